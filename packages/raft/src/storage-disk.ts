import type { BigIntStats } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createDirectory, type FileLock, flushDirectory, lockFile } from '@hustings/runtime/directory';

/** What the file needs of a disk. Tests put one in its place that loses power. */
export interface Disk {
  /** Keeps everybody else from the file, until it is closed. Throws when somebody has it. */
  lock(path: string): Promise<void>;
  /** Undefined when there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Resolves once the bytes would survive a power cut. Throws when the file is no longer in its place. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Cuts the file off at this length, durably. */
  truncate(path: string, length: number): Promise<void>;
  /** Puts a whole new file in the place of the old one, durably; a crash leaves one or the other. Throws like `append`. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Lets go of what it holds open. */
  close(): Promise<void>;
}

/** How much of a file is made ready at a time. */
const roomBytes = 2 ** 16;

/** A file that is appended to: up to `end` there are records, from there to `size` zeros. */
interface HeldFile {
  readonly file: FileHandle;
  /** Which file it is, whatever its name. */
  readonly identity: string;
  end: number;
  size: number;
}

/**
 * The real one. Keeps the file open from when it is read, and makes room ahead of appends: where an append changes
 * nothing of a file but its bytes, the disk need not note a new length each time, and several nodes on one disk do not
 * wait for one another to do so. Zeros are no record, so whoever reads them takes them for a torn tail.
 */
export function fileDisk(): Disk {
  let held: HeldFile | null = null;
  let fileLock: FileLock | null = null;

  async function hold(path: string): Promise<HeldFile> {
    held ??= await heldFile(await open(path, 'r+'));
    return held;
  }

  async function letGo(): Promise<void> {
    const { file } = held ?? {};
    held = null;
    await file?.close();
  }

  return {
    async lock(path) {
      await createDirectory(dirname(path));
      fileLock = await lockFile(path);
    },

    async read(path) {
      await createDirectory(dirname(path));
      try {
        const { file, size } = await hold(path);
        return await readAll(file, size);
      } catch (error) {
        if (isMissingFile(error)) return undefined;
        throw error;
      }
    },

    async append(path, bytes) {
      const { file, end, size } = await hold(path);
      if (end + bytes.length > size) {
        const room = new Uint8Array(end + bytes.length + roomBytes - size);
        await writeAt(file, size, room);
        held!.size = size + room.length;
      }
      await writeAt(file, end, bytes);
      held!.end = end + bytes.length;
      await Promise.all([file.datasync(), expectInPlace(path, held!)]);
    },

    async truncate(path, length) {
      const { file, identity } = await hold(path);
      await file.truncate(length);
      await file.sync();
      held = { file, identity, end: length, size: length };
    },

    async replace(path, bytes) {
      if (held !== null) await expectInPlace(path, held);
      await letGo(); // It is about to be the old file.
      const temporaryPath = `${path}.tmp`;
      held = await heldFile(await open(temporaryPath, 'w+'));
      await writeAt(held.file, 0, bytes);
      await held.file.sync();
      held.end = bytes.length;
      held.size = bytes.length;
      await rename(temporaryPath, path);
      await flushDirectory(dirname(path));
    },

    async close() {
      await letGo();
      await fileLock?.release();
      fileLock = null;
    },
  };
}

async function heldFile(file: FileHandle): Promise<HeldFile> {
  const stats = await file.stat({ bigint: true });
  const size = Number(stats.size);
  return { file, identity: identityOf(stats), end: size, size };
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}/${ino}`;
}

/** A file that was deleted, moved or replaced can still be written to, but nobody will ever read it. */
async function expectInPlace(path: string, { identity }: HeldFile): Promise<void> {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => {
    if (isMissingFile(error)) return null;
    throw error;
  });
  if (found !== null && identityOf(found) === identity) return;
  throw new Error(
    'It was deleted or replaced while this node was using it, and what the node has promised with it. Put it back; or remove this node from the cluster, and add it under a new id.',
  );
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** From the start, wherever the last reading ended. */
async function readAll(file: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let read = 0;
  while (read < size) {
    const { bytesRead } = await file.read(bytes, read, size - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}

async function writeAt(file: FileHandle, position: number, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const rest = bytes.length - written;
    written += (await file.write(bytes, written, rest, position + written)).bytesWritten;
  }
}
