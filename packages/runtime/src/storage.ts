import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type NodeId, StorageFailedError } from '@hustings/elector';
import { readCount, readRecord, readString } from '@hustings/elector/protocol';
import { createDirectory, type FileLock, flushDirectory, lockFile } from './directory.js';

/** Where one node keeps what it must not forget. The runtime calls one method at a time. */
export interface Storage<Durable> {
  /** What was saved last, or undefined when nothing ever was. */
  load(): Promise<Durable | undefined>;
  /** Resolves once `durable` would survive a power cut. */
  save(durable: Durable): Promise<void>;
  /** Lets go of what it holds, once a save in progress has ended. The elector calls it last of all. Idempotent. */
  close?(): Promise<void>;
}

/** Forgets when the process ends: for tests, and for protocols that save nothing. */
export function memoryStorage<Durable = never>(): Storage<Durable> {
  let saved: Durable | undefined;
  return {
    load: async () => structuredClone(saved),
    save: async (durable) => {
      saved = structuredClone(durable);
    },
  };
}

export interface FileStorageOptions<Durable> {
  /** Created when missing. Nodes may share it, as long as their ids differ. */
  readonly directory: string;
  readonly id: NodeId;
  /** The protocol's `decodeDurable`. */
  readonly decode: (value: unknown) => Durable;
  /** Whether to refuse a file that another process of this machine uses. Default true. */
  readonly lock?: boolean;
}

/** Holds its file from the first use until it is closed, or the process ends. */
export interface FileStorage<Durable> extends Storage<Durable>, AsyncDisposable {
  close(): Promise<void>;
}

const formatVersion = 1;

/**
 * One JSON file a node. A save writes a new file beside the old one, flushes it, and renames it into place,
 * so a crash at any moment leaves either the old state or the new. A file that is damaged nevertheless is
 * refused: a node that forgot its vote could vote twice.
 */
export function fileStorage<Durable>({
  directory,
  id,
  decode,
  lock = true,
}: FileStorageOptions<Durable>): FileStorage<Durable> {
  const path = join(directory, `${encodeURIComponent(id)}.json`);
  const temporaryPath = `${path}.tmp`;
  let held: FileLock | null = null;
  let saving: Promise<void> = Promise.resolve();

  async function prepare(): Promise<void> {
    if (held !== null) return;
    await createDirectory(directory);
    if (lock) held = await lockFile(path);
  }

  async function close(): Promise<void> {
    // Otherwise it could take the place of what the next process has saved.
    await saving.catch(() => {});
    await held?.release();
    held = null;
  }

  return {
    async load() {
      const text = await attempt(`Could not read ${path}`, async () => {
        await prepare();
        return readIfPresent(path);
      });
      if (text === undefined) return undefined;
      return attempt(
        `The state in ${path} is damaged. Restore it, or retire this node and join under a new id`,
        async () => decode(unseal(text)),
      );
    },

    save(durable) {
      saving = attempt(`Could not write ${path}`, async () => {
        await prepare();
        await writeAndFlush(temporaryPath, seal(durable));
        await rename(temporaryPath, path);
        await flushDirectory(directory);
      });
      return saving;
    },

    close,
    [Symbol.asyncDispose]: close,
  };
}

function seal(durable: unknown): string {
  return `${JSON.stringify({ version: formatVersion, checksum: checksumOf(durable), durable })}\n`;
}

function unseal(text: string): unknown {
  const record = readRecord(JSON.parse(text), 'The file');
  const version = readCount(record, 'version');
  if (version !== formatVersion) throw new Error(`Format ${version} is not known here.`);
  const { durable } = record;
  if (readString(record, 'checksum') !== checksumOf(durable)) throw new Error('The checksum does not match.');
  return durable;
}

/** Of the JSON text, which parsing and printing again leaves as it was. */
function checksumOf(durable: unknown): string {
  return createHash('sha256')
    .update(`${JSON.stringify(durable)}`)
    .digest('hex');
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeAndFlush(path: string, text: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function attempt<Value>(failure: string, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action();
  } catch (cause) {
    throw new StorageFailedError(`${failure}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
