/**
 * Guards files that the processes of one machine write to, and keeps the highest token for guards of other things.
 *
 * @packageDocumentation
 */

import { join } from 'node:path';
import { admit, type Credentials, InvalidOptionError } from '@hustings/elector';
import { readRecord, readString } from '@hustings/elector/protocol';
import { type FileStorage, fileStorage, type Storage } from '@hustings/runtime';
import { createDirectory, FileInUseError, type FileLock, lockFile } from '@hustings/runtime/directory';
import type { Guard } from './index.js';

/** Where a guard keeps the newest credentials that it has seen. */
export type HighestToken = Storage<Credentials>;

export interface TokenFileOptions {
  /** Created when missing. */
  readonly directory: string;
  /** What is guarded, by a name of your own; the file is named after it. */
  readonly resource: string;
  /** Whether to refuse a file that another process of this machine uses. Default true. */
  readonly lock?: boolean;
}

/** The highest token in a file that survives a power cut. One process at a time has it. */
export function tokenFile({ directory, resource, lock = true }: TokenFileOptions): FileStorage<Credentials> {
  if (resource === '') throw new InvalidOptionError('The resource of a fence needs a name; give it one.');
  const stored = fileStorage<Stored>({ directory, id: resource, decode: decodeStored, lock });
  const close = () => stored.close();
  return {
    async load() {
      const found = await stored.load();
      return found === undefined ? undefined : { token: BigInt(found.token), holder: found.holder };
    },
    save: ({ token, holder }) => stored.save({ token: `${token}`, holder }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** JSON has no bigints. */
interface Stored {
  readonly token: string;
  readonly holder: string;
}

function decodeStored(value: unknown): Stored {
  const record = readRecord(value, 'The highest token');
  const token = readString(record, 'token');
  if (!/^\d+$/.test(token)) throw new Error(`The token ${token} is no number.`);
  return { token, holder: readString(record, 'holder') };
}

export interface FileFenceOptions {
  /** For the file with the highest token; created when missing. What is guarded may be anywhere on this machine. */
  readonly directory: string;
  /** What is guarded, by a name of your own. */
  readonly resource: string;
  /** How long to wait for another process's work to end. Default 10,000. */
  readonly patienceMs?: number;
}

/**
 * Work runs alone among all processes of this machine that use the same directory and resource. A process that is
 * paused at its work holds up the others until it goes on or dies.
 */
export function fileFence(options: FileFenceOptions): Guard<void> {
  return new Fence(options);
}

const askAgainMs = 5;

class Fence implements Guard<void> {
  readonly #options: FileFenceOptions;
  readonly #highest: HighestToken;
  /** One at a time, of this process as well. */
  #previous: Promise<unknown> = Promise.resolve();

  constructor(options: FileFenceOptions) {
    this.#options = options;
    this.#highest = tokenFile({ ...options, lock: false });
  }

  run<Result>(credentials: Credentials, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#previous.then(() => this.#runAlone(credentials, work));
    this.#previous = turn.catch(() => {});
    return turn;
  }

  async #runAlone<Result>(credentials: Credentials, work: () => Promise<Result>): Promise<Result> {
    const lock = await this.#lock();
    try {
      await admitAndSave(this.#highest, credentials);
      return await work();
    } finally {
      await lock.release();
    }
  }

  async #lock(): Promise<FileLock> {
    const { directory, resource, patienceMs = 10_000 } = this.#options;
    await createDirectory(directory);
    const giveUpMs = performance.now() + patienceMs;
    for (;;) {
      try {
        return await lockFile(join(directory, encodeURIComponent(resource)));
      } catch (error) {
        if (!(error instanceof FileInUseError) || performance.now() > giveUpMs) throw error;
        // Two that come at the same moment may both be refused: they should not come again at the same moment.
        await new Promise((resolve) => setTimeout(resolve, askAgainMs * (1 + Math.random())));
      }
    }
  }
}

async function admitAndSave(highest: HighestToken, credentials: Credentials): Promise<void> {
  const seen = (await highest.load()) ?? null;
  admit(credentials, seen);
  if (seen?.token !== credentials.token) await highest.save(credentials);
}
