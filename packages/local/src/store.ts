/**
 * Leases among the processes of one machine. To hold one is to hold a gate, and the lock of the file with its token.
 *
 * The gate is what others wait at, and of several that come at once lets exactly one in. The file's lock is asked for
 * after it: it is also seen by containers that share the directory but not the network, to whom the gate is invisible.
 */

import { randomUUID } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { InvalidOptionError } from '@hustings/elector';
import {
  type Acquired,
  type AcquireRequest,
  type Free,
  type Held,
  type LeaseStore,
  type Lost,
  type ReleaseRequest,
  type Renewed,
  type RenewRequest,
  StoreRefusedError,
  type StoreTraits,
  Turns,
} from '@hustings/lease';
import { createDirectory, FileInUseError, type FileLock, lockFile } from '@hustings/runtime/directory';
import { raiseCounter, readCounter } from './counter.js';
import { Gate, type GateAddress, gateAddress, visit, waitAt } from './gate.js';

export interface LocalStoreOptions {
  /**
   * Where the tokens are kept. All processes that take part name the same one; one that outlives a reboot, or tokens
   * begin anew. By default `hustings` in `XDG_STATE_HOME`, or in `~/.local/state`.
   */
  readonly directory?: string;
}

const traits: StoreTraits = {
  name: 'local',
  clock: 'store',
  expiryFactor: Number.POSITIVE_INFINITY,
  minTtlMs: 1,
  granularityMs: 0,
  survives: 'disk',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    'All processes that take part run on one machine and name the same directory.',
    'A holder that is stopped, or whose event loop never returns, is not replaced until its process ends.',
    'Nobody deletes what is in the directory while a process takes part.',
    'The disk loses nothing that was written to it while the machine runs.',
  ],
};

/** A lease store for the processes of this machine. */
export function localStore({ directory = defaultDirectory() }: LocalStoreOptions = {}): LeaseStore {
  if (typeof directory !== 'string' || directory === '') {
    throw new InvalidOptionError('directory must be the path of a directory, such as /var/lib/billing.');
  }
  return new LocalStore(directory);
}

/** The lease of one name, held by this process. */
interface Tenure {
  readonly holder: string;
  readonly token: bigint;
  readonly gate: Gate;
  readonly lock: TokenLock;
}

class LocalStore implements LeaseStore {
  readonly traits = traits;
  readonly #directory: string;
  /** Not the process's number: containers that share a network may all be process 1. */
  readonly #identity = randomUUID();
  readonly #tenures = new Map<string, Tenure>();
  readonly #turns = new Turns();
  readonly #places = new Map<string, Promise<Place>>();
  #isClosed = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  acquire({ name, holder, ttlMs }: AcquireRequest): Promise<Acquired | Held> {
    return this.#turns.take(name, async () => {
      const own = this.#tenures.get(name);
      if (own !== undefined && own.holder !== holder) return heldBy(incumbentOf(own));
      if (own !== undefined) return acquired(own, ttlMs);
      const place = await this.#placeOf(name);
      const tenure = await takeOffice(place, this.#identity, holder);
      if (tenure === null) return heldBy(await incumbentAt(place));
      this.#tenures.set(name, tenure);
      // Nobody would give it back any more, and without an end of its own it would last as long as this process.
      if (this.#isClosed) {
        await this.#leave(name);
        throw new Error('The store was closed meanwhile.');
      }
      return acquired(tenure, ttlMs);
    });
  }

  renew({ name, holder, token, ttlMs }: RenewRequest): Promise<Renewed | Lost> {
    return this.#turns.take(name, async () => {
      if (!isOf(this.#tenures.get(name), holder, token)) return { type: 'lost' };
      return { type: 'renewed', validForMs: ttlMs };
    });
  }

  release({ name, holder, token }: ReleaseRequest): Promise<void> {
    return this.#turns.take(name, async () => {
      if (isOf(this.#tenures.get(name), holder, token)) await this.#leave(name);
    });
  }

  async read(name: string): Promise<Held | Free> {
    const own = this.#tenures.get(name);
    if (own !== undefined) return heldBy(incumbentOf(own));
    const incumbent = await incumbentAt(await this.#placeOf(name));
    return incumbent === null ? { type: 'free' } : heldBy(incumbent);
  }

  async watch(name: string, changed: () => void): Promise<() => void> {
    const { address, tokenFile } = await this.#placeOf(name);
    return waitAt(address, this.#identity, async () => readCounter(tokenFile), changed);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const name of [...this.#tenures.keys()]) await this.#turns.take(name, () => this.#leave(name));
  }

  async #leave(name: string): Promise<void> {
    const tenure = this.#tenures.get(name);
    this.#tenures.delete(name);
    if (tenure !== undefined) await leaveOffice(tenure);
  }

  #placeOf(name: string): Promise<Place> {
    const known = this.#places.get(name) ?? placeIn(this.#directory, name);
    this.#places.set(name, known);
    known.catch(() => this.#places.delete(name));
    return known;
  }
}

/** Where the lease of a name is to be had. */
interface Place {
  readonly tokenFile: string;
  readonly address: GateAddress;
}

async function placeIn(directory: string, name: string): Promise<Place> {
  const fileName = `${encodeURIComponent(name)}.token`;
  if (fileName.length > maxFileNameBytes) {
    throw new StoreRefusedError(
      `The election's name is too long for a file: ${fileName}. Use a shorter one.`,
    );
  }
  try {
    await createDirectory(directory);
    const tokenFile = join(await realpath(directory), fileName);
    await rehearse(tokenFile);
    return { tokenFile, address: gateAddress(tokenFile) };
  } catch (cause) {
    throw refusal(`The directory ${directory} cannot be used`, cause);
  }
}

/** Whoever cannot write here should hear it when it comes to wait, not when the leader has died. */
async function rehearse(tokenFile: string): Promise<void> {
  const trial = `${tokenFile}.${randomUUID().slice(0, 8)}`;
  const lock = await lockFile(trial);
  try {
    await raiseCounter(trial);
  } finally {
    await Promise.all([rm(trial, { force: true }), lock.release()]);
  }
}

/** Leaves room for what is appended to it. */
const maxFileNameBytes = 200;

/** Null if somebody else is in office, or came at the same moment. */
async function takeOffice(
  { tokenFile, address }: Place,
  identity: string,
  holder: string,
): Promise<Tenure | null> {
  const gate = new Gate(address, identity);
  const lock = new TokenLock(tokenFile);
  if (!(await takeAll(address.exclusive ? [gate, lock] : [lock, gate]))) return null;
  try {
    const token = await raiseCounter(tokenFile);
    gate.greet(JSON.stringify({ holder, token: `${token}` }));
    return { holder, token, gate, lock };
  } catch (cause) {
    await leaveOffice({ gate, lock });
    throw refusal(`The token in ${tokenFile} cannot be raised`, cause);
  }
}

/** Whoever has waited at the gate must find the lock free. */
async function leaveOffice({ gate, lock }: Pick<Tenure, 'gate' | 'lock'>): Promise<void> {
  await lock.leave();
  await gate.leave();
}

interface Takeable {
  take(): Promise<boolean>;
  leave(): Promise<void>;
}

/** All of them in this order, or none. */
async function takeAll([first, ...rest]: readonly Takeable[]): Promise<boolean> {
  if (first === undefined) return true;
  if (!(await first.take())) return false;
  const complete = takeAll(rest);
  if (await complete.catch(() => false)) return true;
  await first.leave();
  return complete;
}

class TokenLock implements Takeable {
  readonly #file: string;
  #lock: FileLock | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  async take(): Promise<boolean> {
    try {
      this.#lock = await lockFile(this.#file);
      return true;
    } catch (error) {
      if (error instanceof FileInUseError) return false;
      throw refusal(`${this.#file} cannot be locked`, error);
    }
  }

  async leave(): Promise<void> {
    await this.#lock?.release();
  }
}

// ---- What is known of a holder --------------------------------------------------------------------------

type Incumbent = Pick<Held, 'holder' | 'token'>;

const incumbentOf = ({ holder, token }: Tenure): Incumbent => ({ holder, token });

/** Null if nobody is in office. One that is stopped, or has not begun yet, says nothing of itself. */
async function incumbentAt({ address }: Place): Promise<Incumbent | null> {
  const greeting = await visit(address);
  if (greeting === null) return null;
  if (greeting === '') return { holder: null, token: null };
  const { holder, token } = JSON.parse(greeting);
  return { holder: `${holder}`, token: BigInt(token) };
}

/** The gate tells when a holder has gone, so whoever waits for one asks only now and then. */
const askAgainMs = 1000;
/** Two that came at the same moment and were both refused should not come at the same moment again. */
const collisionMs = { min: 20, max: 100 };

function heldBy(incumbent: Incumbent | null): Held {
  if (incumbent !== null) return { type: 'held', ...incumbent, expiresInMs: askAgainMs };
  const expiresInMs = collisionMs.min + Math.random() * (collisionMs.max - collisionMs.min);
  return { type: 'held', holder: null, token: null, expiresInMs };
}

function acquired({ token }: Tenure, ttlMs: number): Acquired {
  return { type: 'acquired', token, validForMs: ttlMs };
}

function isOf(tenure: Tenure | undefined, holder: string, token: bigint): boolean {
  return tenure?.holder === holder && tenure.token === token;
}

function refusal(what: string, cause: unknown): StoreRefusedError {
  if (cause instanceof StoreRefusedError) return cause;
  return new StoreRefusedError(`${what}: ${cause instanceof Error ? cause.message : cause}`, { cause });
}

function defaultDirectory(): string {
  return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'hustings');
}
