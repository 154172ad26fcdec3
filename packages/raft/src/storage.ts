/**
 * Raft's memory on disk: one append-only file a node. Each save appends one record with the difference to the
 * save before it, and returns when the disk has it. Now and then the file is written anew, whole.
 *
 * ```ts
 * const storage = raftStorage({ directory: 'state', id: 'node-1' });
 * const elector = createElector({ protocol: raft(), transport, peers, storage });
 * ```
 *
 * @packageDocumentation
 */

import { join } from 'node:path';
import { type NodeId, StorageFailedError } from '@hustings/elector';
import type { Storage } from '@hustings/runtime';
import type { RaftDurable } from './messages.js';
import { type Disk, fileDisk } from './storage-disk.js';
import { differenceBetween, encodeFile, encodeRecord, readRecords, replay } from './storage-records.js';

export type { Disk } from './storage-disk.js';

export interface RaftStorageOptions {
  /** Created when missing. Nodes may share it, as long as their ids differ. */
  readonly directory: string;
  readonly id: NodeId;
  /** Whether to refuse a file that another process of this machine uses. Default true. */
  readonly lock?: boolean;
  /** How many bytes may follow the first record before the file is written anew. Default 1 MiB. */
  readonly rewriteAfterBytes?: number;
  readonly disk?: Disk;
}

export interface RaftStorage extends Storage<RaftDurable>, AsyncDisposable {
  /**
   * What was saved last, or undefined when nothing ever was. Throws `StorageFailedError` for a damaged file, and for
   * one that another process uses.
   */
  load(): Promise<RaftDurable | undefined>;
  /** Resolves once `durable` would survive a power cut. After one failure every later save fails, too. */
  save(durable: RaftDurable): Promise<void>;
  /** Lets go of the file, once a save in progress has ended. The end of the process does so as well. */
  close(): Promise<void>;
}

export function raftStorage(options: RaftStorageOptions): RaftStorage {
  return new LogFile(options);
}

class LogFile implements RaftStorage {
  readonly #path: string;
  readonly #disk: Disk;
  readonly #rewriteAfterBytes: number;
  readonly #wantsLock: boolean;
  #isLocked = false;
  /** What the file says; null before there is one. */
  #saved: RaftDurable | null = null;
  #bytesSinceRewrite = 0;
  #saving: Promise<void> = Promise.resolve();
  /** The disk's own state is unknown after it failed: a retried flush may report success for lost data. */
  #failure: StorageFailedError | null = null;

  constructor({
    directory,
    id,
    lock = true,
    rewriteAfterBytes = 2 ** 20,
    disk = fileDisk(),
  }: RaftStorageOptions) {
    this.#path = join(directory, `${encodeURIComponent(id)}.raft`);
    this.#disk = disk;
    this.#rewriteAfterBytes = rewriteAfterBytes;
    this.#wantsLock = lock;
  }

  async load(): Promise<RaftDurable | undefined> {
    await this.#lock();
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

  save(durable: RaftDurable): Promise<void> {
    this.#saving = this.#save(durable);
    return this.#saving;
  }

  /** A file that is written anew could otherwise take the place of what the next process has saved. */
  async close(): Promise<void> {
    await this.#saving.catch(() => {});
    this.#isLocked = false;
    await this.#disk.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #save(durable: RaftDurable): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    await this.#lock();
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

  async #lock(): Promise<void> {
    if (this.#isLocked || !this.#wantsLock) return;
    await this.#disk.lock(this.#path).catch((cause) => {
      throw this.#failedTo('lock', cause);
    });
    this.#isLocked = true;
  }

  async #append(record: Uint8Array): Promise<void> {
    await this.#disk.append(this.#path, record);
    this.#bytesSinceRewrite += record.length;
  }

  async #rewrite(durable: RaftDurable): Promise<void> {
    await this.#disk.replace(this.#path, encodeFile(durable));
    this.#bytesSinceRewrite = 0;
  }

  async #attempt<Value>(verb: string, action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (cause) {
      this.#failure = this.#failedTo(verb, cause);
      throw this.#failure;
    }
  }

  #failedTo(verb: string, cause: unknown): StorageFailedError {
    return new StorageFailedError(`Could not ${verb} ${this.#path}: ${messageOf(cause)}`, { cause });
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

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
