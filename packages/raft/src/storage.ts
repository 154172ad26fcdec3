/**
 * Raft's memory on disk: one append-only file a node. Each save appends one record with the difference to the
 * save before it, and returns when the disk has it. Now and then the file is written anew, whole.
 *
 * ```ts
 * const storage = raftStorage({ directory: 'state', id: 'node-1' });
 * const elector = createElector({ protocol: raft(), transport, peers, storage });
 * ```
 *
 * Layout: a header of 8 bytes that names the format, then records. A record is the length of its body, the
 * checksum of its body, and the checksum of those two (12 bytes, big-endian), then the body, which is JSON.
 * The first record holds the whole state; every later one a difference.
 *
 * @packageDocumentation
 */

import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { type NodeId, StorageFailedError } from '@hustings/elector';
import { readCount, readRecord } from '@hustings/elector/protocol';
import type { Entry } from './log.js';
import { decodeDurable, type RaftDurable, readEntries } from './messages.js';

/** What the file needs of a disk. Tests put one in its place that loses power. */
export interface Disk {
  /** Undefined when there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Resolves once the bytes would survive a power cut. */
  append(path: string, bytes: Uint8Array): Promise<void>;
  /** Cuts the file off at this length, durably. */
  truncate(path: string, length: number): Promise<void>;
  /** Puts a whole new file in the place of the old one, durably; a crash leaves one or the other. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Lets go of what it holds open. */
  close(): Promise<void>;
}

export interface RaftStorageOptions {
  /** Created when missing. Nodes may share it; two running processes must not share a directory and an id. */
  readonly directory: string;
  readonly id: NodeId;
  /** How many bytes may follow the first record before the file is written anew. Default 1 MiB. */
  readonly rewriteAfterBytes?: number;
  readonly disk?: Disk;
}

/** Has the shape of the runtime's `Storage`. */
export interface RaftStorage extends AsyncDisposable {
  /** What was saved last, or undefined when nothing ever was. Throws `StorageFailedError` for a damaged file. */
  load(): Promise<RaftDurable | undefined>;
  /** Resolves once `durable` would survive a power cut. After one failure every later save fails, too. */
  save(durable: RaftDurable): Promise<void>;
  close(): Promise<void>;
}

const formatHeader = new TextEncoder().encode('hraft01\n');
const recordHeaderBytes = 12;

export function raftStorage(options: RaftStorageOptions): RaftStorage {
  return new LogFile(options);
}

class LogFile implements RaftStorage {
  readonly #path: string;
  readonly #disk: Disk;
  readonly #rewriteAfterBytes: number;
  /** What the file says; null before there is one. */
  #saved: RaftDurable | null = null;
  #bytesSinceRewrite = 0;
  /** The disk's own state is unknown after it failed: a retried flush may report success for lost data. */
  #failure: StorageFailedError | null = null;

  constructor({ directory, id, rewriteAfterBytes = 2 ** 20, disk = fileDisk() }: RaftStorageOptions) {
    this.#path = join(directory, `${encodeURIComponent(id)}.raft`);
    this.#disk = disk;
    this.#rewriteAfterBytes = rewriteAfterBytes;
  }

  async load(): Promise<RaftDurable | undefined> {
    const bytes = await this.#attempt('read', () => this.#disk.read(this.#path));
    if (bytes === undefined) return undefined;
    const { bodies, length } = this.#refuseDamage(() => readRecords(bytes));
    // The last save was cut short, so nobody was ever told of it.
    if (length < bytes.length) await this.#attempt('repair', () => this.#disk.truncate(this.#path, length));
    const durable = this.#refuseDamage(() => replay(bodies));
    this.#saved = durable;
    this.#bytesSinceRewrite = length;
    return durable;
  }

  async save(durable: RaftDurable): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const saved = this.#saved;
    await this.#attempt('write', () =>
      saved === null ||
      saved.snapshot !== durable.snapshot ||
      this.#bytesSinceRewrite > this.#rewriteAfterBytes
        ? this.#rewrite(durable)
        : this.#append(encodeRecord(differenceBetween(saved, durable))),
    );
    this.#saved = durable;
  }

  close(): Promise<void> {
    return this.#disk.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #append(record: Uint8Array): Promise<void> {
    await this.#disk.append(this.#path, record);
    this.#bytesSinceRewrite += record.length;
  }

  async #rewrite(durable: RaftDurable): Promise<void> {
    await this.#disk.replace(this.#path, concatenate([formatHeader, encodeRecord(durable)]));
    this.#bytesSinceRewrite = 0;
  }

  async #attempt<Value>(verb: string, action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (cause) {
      this.#failure = new StorageFailedError(`Could not ${verb} ${this.#path}: ${messageOf(cause)}`, {
        cause,
      });
      throw this.#failure;
    }
  }

  #refuseDamage<Value>(action: () => Value): Value {
    try {
      return action();
    } catch (cause) {
      this.#failure = new StorageFailedError(
        `${this.#path} is damaged: ${messageOf(cause)} A node that forgot its vote could vote twice, so this one does not start. Restore the file; or remove this node from the cluster, delete the file, and add the node under a new id.`,
        { cause },
      );
      throw this.#failure;
    }
  }
}

// ---- Records -------------------------------------------------------------------------------------------

/** What a save changed. Entries after `keepThrough` are replaced by `entries`. */
interface Difference extends Pick<RaftDurable, 'currentTerm' | 'votedFor'> {
  readonly keepThrough: number;
  readonly entries: readonly Entry[];
}

/** Two logs of one node that agree on an entry agree on all before it (§5.3), so only the end need be compared. */
export function differenceBetween(before: RaftDurable, after: RaftDurable): Difference {
  const { currentTerm, votedFor, snapshot } = after;
  let kept = Math.min(before.entries.length, after.entries.length);
  while (kept > 0 && before.entries[kept - 1]!.term !== after.entries[kept - 1]!.term) kept -= 1;
  return { currentTerm, votedFor, keepThrough: snapshot.index + kept, entries: after.entries.slice(kept) };
}

function replay([first, ...differences]: readonly unknown[]): RaftDurable {
  let durable = decodeDurable(first);
  const entries = [...durable.entries];
  for (const value of differences) {
    const record = readRecord(value, 'A difference');
    const { currentTerm, votedFor } = record;
    const kept = readCount(record, 'keepThrough') - durable.snapshot.index;
    if (kept < 0 || kept > entries.length) throw new Error('A difference does not fit what came before it.');
    entries.length = kept;
    entries.push(...readEntries(record, durable.snapshot.index + kept));
    durable = decodeDurable({ ...durable, currentTerm, votedFor, entries: [] });
  }
  return { ...durable, entries };
}

function encodeRecord(body: RaftDurable | Difference): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const header = new DataView(new ArrayBuffer(recordHeaderBytes));
  header.setUint32(0, bytes.length);
  header.setUint32(4, crc32(bytes));
  header.setUint32(8, crc32(new Uint8Array(header.buffer, 0, 8)));
  return concatenate([new Uint8Array(header.buffer), bytes]);
}

interface Records {
  readonly bodies: readonly unknown[];
  /** How much of the file is whole records. */
  readonly length: number;
}

/**
 * Reads record after record. A save writes one record and waits for the disk, so only the last one can be
 * torn, and nobody has relied on it. A bad one with a whole one anywhere behind it is damage.
 */
function readRecords(bytes: Uint8Array): Records {
  if (!startsWith(bytes, formatHeader)) throw new Error('It does not begin like a file of this format.');
  const bodies: unknown[] = [];
  let offset = formatHeader.length;
  while (offset < bytes.length) {
    const body = bodyAt(bytes, offset);
    if (body === null) break;
    bodies.push(JSON.parse(new TextDecoder().decode(body)));
    offset += recordHeaderBytes + body.length;
  }
  if (bodies.length === 0) throw new Error('Its first record, which was written whole, is not whole.');
  for (let later = offset + 1; later < bytes.length; later += 1) {
    if (bodyAt(bytes, later) !== null) {
      throw new Error(`The record at byte ${offset} is bad, but the one at byte ${later} is good.`);
    }
  }
  return { bodies, length: offset };
}

/** The body of the record that starts here; null if there is no whole one. */
function bodyAt(bytes: Uint8Array, offset: number): Uint8Array | null {
  const start = offset + recordHeaderBytes;
  if (start > bytes.length) return null;
  const header = new DataView(bytes.buffer, bytes.byteOffset + offset, recordHeaderBytes);
  // Of its own, so that a damaged length cannot pass for a record that was cut short.
  if (crc32(bytes.subarray(offset, offset + 8)) !== header.getUint32(8)) return null;
  const end = start + header.getUint32(0);
  if (end > bytes.length) return null;
  const body = bytes.subarray(start, end);
  return crc32(body) === header.getUint32(4) ? body : null;
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

// ---- The disk ------------------------------------------------------------------------------------------

/** How much of a file is made ready at a time. */
const roomBytes = 2 ** 16;

/** A file that is appended to: up to `end` there are records, from there to `size` zeros. */
interface HeldFile {
  readonly path: string;
  readonly file: FileHandle;
  end: number;
  size: number;
}

/**
 * The real one. Keeps the file open between appends, and makes room ahead of them: where an append changes nothing
 * of a file but its bytes, the disk need not note a new length each time, and several nodes on one disk do not wait
 * for one another to do so. Zeros are no record, so whoever reads them takes them for a torn tail.
 */
export function fileDisk(): Disk {
  let held: HeldFile | null = null;

  async function close(): Promise<void> {
    const { file } = held ?? {};
    held = null;
    await file?.close();
  }

  return {
    async read(path) {
      await createDirectory(dirname(path));
      try {
        return await readFile(path);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },

    async append(path, bytes) {
      if (held?.path !== path) {
        await close();
        const file = await open(path, 'r+');
        const { size } = await file.stat();
        held = { path, file, end: size, size };
      }
      const { file, end, size } = held;
      if (end + bytes.length > size) {
        const room = new Uint8Array(end + bytes.length + roomBytes - size);
        await writeAt(file, size, room);
        held.size = size + room.length;
      }
      await writeAt(file, end, bytes);
      held.end = end + bytes.length;
      await file.datasync();
    },

    async truncate(path, length) {
      const file = await open(path, 'r+');
      try {
        await file.truncate(length);
        await file.sync();
      } finally {
        await file.close();
      }
    },

    async replace(path, bytes) {
      await close(); // What it holds open is about to be the old file.
      const temporaryPath = `${path}.tmp`;
      const file = await open(temporaryPath, 'w');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporaryPath, path);
      await flushDirectory(dirname(path));
    },

    close,
  };
}

async function writeAt(file: FileHandle, position: number, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const rest = bytes.length - written;
    written += (await file.write(bytes, written, rest, position + written)).bytesWritten;
  }
}

/** A new directory is durable once its parent is. */
async function createDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let parent = dirname(resolve(path)); parent.length >= top.length; parent = dirname(parent)) {
    await flushDirectory(parent);
    if (parent === top) return;
  }
}

/** The rename itself is durable only once the directory is. Windows cannot flush one, and needs not. */
async function flushDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
