/**
 * A session with a TTL is the lease, a key that it has locked says whose it is, and the index at which the key was
 * locked is the token.
 *
 * Consul ends a session between one and two times its TTL after the last renewal. The holder stops after one.
 */

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
  type StoreTraits,
  Turns,
} from '@hustings/lease';
import { ConsulApi, type Entry } from './api.js';

export interface ConsulStoreOptions {
  /** Agents or servers; one is asked until it does not answer. Default: `http://127.0.0.1:8500`, this machine's agent. */
  readonly hosts?: readonly string[] | undefined;
  /** An ACL token with `key_prefix` write and `session_prefix` write. */
  readonly aclToken?: string | undefined;
  readonly datacenter?: string | undefined;
  /** Where the keys are, with a slash at the end. Default: `hustings/`. */
  readonly prefix?: string | undefined;
  /**
   * How long Consul keeps a key from others after a session has ended before its time, by somebody's hand. Default 0:
   * a leader whose session was destroyed learns of it at its next renewal, and another may lead by then.
   */
  readonly lockDelayMs?: number | undefined;
  /** As `session_ttl_min` of the servers has it. Default 10,000, which is theirs. */
  readonly minTtlMs?: number | undefined;
}

/** Consul does not tell what a session has left, so whoever waits asks now and then; the watch is faster. */
const askAgainMs = 250;

/** A lease store on Consul. */
export function consulStore(options: ConsulStoreOptions = {}): LeaseStore {
  const { hosts = ['http://127.0.0.1:8500'], prefix = 'hustings/' } = options;
  if (!Array.isArray(hosts) || hosts.length === 0 || !hosts.every(isAddress)) {
    throw new InvalidOptionError("hosts must be an array of addresses such as 'http://127.0.0.1:8500'.");
  }
  if (typeof prefix !== 'string') throw new InvalidOptionError('prefix must be a text such as hustings/.');
  return new ConsulStore({ ...options, hosts, prefix });
}

const isAddress = (host: unknown): boolean =>
  typeof host === 'string' && URL.canParse(host) && /^https?:/.test(host);

/** The session of one holder under one name. */
interface Session {
  readonly id: string;
  readonly ttlMs: number;
}

type Settings = ConsulStoreOptions & { readonly hosts: readonly string[]; readonly prefix: string };

class ConsulStore implements LeaseStore {
  readonly traits: StoreTraits;
  readonly #api: ConsulApi;
  readonly #prefix: string;
  readonly #lockDelayMs: number;
  readonly #sessions = new Map<string, Session>();
  readonly #turns = new Turns();
  readonly #watches = new Set<AbortController>();
  #isClosed = false;

  constructor({ hosts, aclToken, datacenter, prefix, lockDelayMs = 0, minTtlMs = 10_000 }: Settings) {
    this.#api = new ConsulApi({ hosts, aclToken, datacenter });
    this.#prefix = prefix;
    this.#lockDelayMs = lockDelayMs;
    this.traits = { ...traits, minTtlMs };
  }

  acquire({ name, holder, ttlMs }: AcquireRequest): Promise<Acquired | Held> {
    return this.#turns.take(mapKey(name, holder), async () => {
      const before = await this.#api.get(this.#keyOf(name));
      const own = this.#sessions.get(mapKey(name, holder));
      if (before !== null && before.session !== null && before.session !== own?.id) return heldAs(before);
      const session = await this.#openSession(name, holder, ttlMs);
      const entry = before?.session === session.id ? before : await this.#lock(name, holder, session);
      if (entry?.session !== session.id) return heldAs(entry);
      return { type: 'acquired', token: entry.modifyIndex, validForMs: session.ttlMs };
    });
  }

  renew({ name, holder, token }: RenewRequest): Promise<Renewed | Lost> {
    return this.#turns.take(mapKey(name, holder), async () => {
      const session = this.#sessions.get(mapKey(name, holder));
      if (session === undefined || !(await this.#api.renewSession(session.id))) return { type: 'lost' };
      const entry = await this.#api.get(this.#keyOf(name));
      if (entry?.session !== session.id || entry.modifyIndex !== token) return { type: 'lost' };
      return { type: 'renewed', validForMs: session.ttlMs };
    });
  }

  release({ name, holder, token }: ReleaseRequest): Promise<void> {
    return this.#turns.take(mapKey(name, holder), async () => {
      const session = this.#sessions.get(mapKey(name, holder));
      const entry = await this.#api.get(this.#keyOf(name));
      if (session === undefined || entry?.session !== session.id || entry.modifyIndex !== token) return;
      // Unlocked first: a session that is destroyed while it locks something leaves a lock-delay.
      await this.#api.unlock(this.#keyOf(name), session.id, entry.value);
      this.#sessions.delete(mapKey(name, holder));
      await this.#api.destroySession(session.id);
    });
  }

  async read(name: string): Promise<Held | Free> {
    const entry = await this.#api.get(this.#keyOf(name));
    return entry === null || entry.session === null ? { type: 'free' } : heldAs(entry);
  }

  /** A question that Consul answers when the key has changed, again and again. */
  async watch(name: string, changed: () => void): Promise<() => void> {
    const ending = new AbortController();
    const unwatch = () => {
      ending.abort();
      this.#watches.delete(ending);
    };
    this.#watches.add(ending);
    try {
      const first = await this.#api.waitForChange(this.#keyOf(name), '0', ending.signal);
      void this.#watchSince(name, first, changed, ending.signal);
    } catch (error) {
      unwatch();
      throw error;
    }
    return unwatch;
  }

  /** Destroys its sessions, and so frees what they have locked. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const watch of this.#watches) watch.abort();
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.allSettled(sessions.map(({ id }) => this.#api.destroySession(id)));
  }

  #keyOf(name: string): string {
    return `${this.#prefix}${name}`;
  }

  /** One that has the whole TTL before it. */
  async #openSession(name: string, holder: string, ttlMs: number): Promise<Session> {
    const own = this.#sessions.get(mapKey(name, holder));
    if (own !== undefined && (await this.#api.renewSession(own.id))) return own;
    const id = await this.#api.createSession(holder, ttlMs, this.#lockDelayMs);
    const session = { id, ttlMs };
    this.#sessions.set(mapKey(name, holder), session);
    // What it would lock now, nobody would give back.
    if (this.#isClosed) {
      await this.close();
      throw new Error('The store was closed meanwhile.');
    }
    return session;
  }

  /** The key as it is afterwards, whoever has locked it. */
  async #lock(name: string, holder: string, { id }: Session): Promise<Entry | null> {
    await this.#api.lock(this.#keyOf(name), id, holder);
    return this.#api.get(this.#keyOf(name));
  }

  async #watchSince(name: string, first: string, changed: () => void, ending: AbortSignal): Promise<void> {
    let index = first;
    while (!ending.aborted) {
      try {
        const next = await this.#api.waitForChange(this.#keyOf(name), index, ending);
        if (next !== index) changed();
        index = next;
      } catch {
        if (ending.aborted) return;
        // Consul is away, or has begun anew with smaller indexes. What happened meanwhile is unknown.
        await pause(askAgainMs);
        index = '0';
      }
    }
  }
}

const traits = {
  name: 'consul',
  clock: 'store',
  expiryFactor: 2,
  granularityMs: askAgainMs,
  survives: 'majority',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    'Nobody else destroys the session of a leader, or writes, unlocks or deletes its key.',
    'The servers of Consul keep their data: after a restored snapshot, indexes may go back.',
  ],
} as const;

function heldAs(entry: Entry | null): Held {
  const isHeld = entry !== null && entry.session !== null;
  const { holder, token } = isHeld
    ? { holder: entry.value, token: entry.modifyIndex }
    : { holder: null, token: null };
  return { type: 'held', holder, token, expiresInMs: askAgainMs };
}

const mapKey = (name: string, holder: string): string => JSON.stringify([name, holder]);

const pause = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));
