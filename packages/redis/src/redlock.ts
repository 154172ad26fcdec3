import { InvalidOptionError } from '@hustings/elector';
import { type RedisClient, Subscriptions } from '@hustings/fence/clients';
import type {
  Acquired,
  AcquireRequest,
  Free,
  Held,
  LeaseStore,
  Lost,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreTraits,
} from '@hustings/lease';
import { Instance, type Proposal, type Seen } from './instance.js';
import { assumptions, traitsOf } from './traits.js';

export interface RedlockStoreOptions {
  /** One client for each Redis: an odd number of instances that know nothing of each other, usually five. */
  readonly clients: readonly RedisClient[];
  /** What the keys begin with. Default `hustings`. */
  readonly prefix?: string;
  /** How long one instance may take to answer. Default 200. */
  readonly requestTimeoutMs?: number;
  /** What a restart of all instances leaves of a lease, as with `redisStore`. Default `nothing`. */
  readonly survives?: 'disk' | 'nothing';
}

/**
 * Redlock, as Redis describes it: whoever has the lease at a majority of the instances has it. That says nothing of a
 * process that is paused, a clock that is set, or an instance that forgets: its critics are right, and a fence is needed
 * all the same. Redlock has no token; this one agrees on one that a majority remembers, so that there is something to
 * fence with.
 */
export function redlockStore(options: RedlockStoreOptions): LeaseStore {
  return new Store(options);
}

class Store implements LeaseStore {
  readonly traits: StoreTraits;
  readonly #instances: readonly Instance[];
  readonly #majority: number;
  readonly #subscriptions = new Subscriptions();

  constructor({
    clients,
    prefix = 'hustings',
    requestTimeoutMs = 200,
    survives = 'nothing',
  }: RedlockStoreOptions) {
    if (clients.length < 3 || clients.length % 2 === 0) {
      throw new InvalidOptionError(
        `clients must be three, five or more, an odd number; there are ${clients.length}.`,
      );
    }
    this.traits = {
      ...traitsOf('redlock', survives),
      assumptions: assumptions.map((sentence) => `Of a majority of the instances: ${sentence}`),
    };
    this.#instances = clients.map((client) => new Instance(client, prefix, requestTimeoutMs));
    this.#majority = Math.floor(clients.length / 2) + 1;
  }

  async acquire(request: AcquireRequest): Promise<Acquired | Held> {
    const { name, holder, ttlMs } = request;
    const proposal = proposeToken();
    const seen = await this.#ask((instance) => instance.acquire(request, proposal));
    const tokens = seen.flatMap((each) => (each.type === 'mine' ? [each.token] : []));
    if (tokens.length >= this.#majority) {
      const token = tokens.reduce((a, b) => (a > b ? a : b));
      const isAgreed = tokens.every((each) => each === token) || (await this.#agree(name, holder, token));
      if (isAgreed) return { type: 'acquired', token, validForMs: ttlMs };
    }
    // Rather nobody's than some of it: otherwise two that come at once both wait for the end of a lease that is none.
    if (tokens.length > 0) await this.#ask((instance) => instance.forsake(name, holder));
    return this.#judge(seen) ?? nobodyHas();
  }

  async renew(request: RenewRequest): Promise<Renewed | Lost> {
    const answers = await this.#ask((instance) => instance.renew(request));
    const renewed = answers.filter(Boolean).length;
    if (renewed >= this.#majority) return { type: 'renewed', validForMs: request.ttlMs };
    // Those that did not answer might have said yes.
    if (renewed + this.#instances.length - answers.length < this.#majority) return { type: 'lost' };
    throw noMajority(answers.length);
  }

  async release(request: ReleaseRequest): Promise<void> {
    const answers = await this.#ask((instance) => instance.release(request).then(() => true));
    if (answers.length < this.#majority) throw noMajority(answers.length);
  }

  async read(name: string): Promise<Held | Free> {
    return this.#judge(await this.#ask((instance) => instance.read(name))) ?? { type: 'free' };
  }

  async watch(name: string, changed: () => void): Promise<() => void> {
    const attempts = await Promise.allSettled(
      this.#instances.map((instance) => this.#subscriptions.add(instance.listen(name, changed))),
    );
    const ends = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    return () => {
      for (const end of ends) end();
    };
  }

  async close(): Promise<void> {
    this.#subscriptions.close();
  }

  /**
   * The greatest token that a member of the majority would give, remembered by a majority. The next majority shares a
   * member with this one, so its greatest is greater.
   */
  async #agree(name: string, holder: string, token: bigint): Promise<boolean> {
    const answers = await this.#ask((instance) => instance.raise(name, holder, token));
    return answers.filter(Boolean).length >= this.#majority;
  }

  /** Who has the lease at a majority; null where nobody does. */
  #judge(seen: readonly Seen[]): Held | null {
    if (seen.length < this.#majority) throw noMajority(seen.length);
    const held = seen.filter((each) => each.type === 'held');
    for (const { holder, token } of held) {
      const same = held.filter((each) => each.holder === holder && each.token === token);
      if (same.length < this.#majority) continue;
      // Over when the majority is.
      const [expiresInMs = 1] = same
        .map(({ leftMs }) => leftMs)
        .toSorted((a, b) => b - a)
        .slice(this.#majority - 1);
      return { type: 'held', holder, token, expiresInMs };
    }
    return null;
  }

  /** What those say that answer in time. */
  async #ask<Answer>(question: (instance: Instance) => Promise<Answer>): Promise<Answer[]> {
    const answers = await Promise.allSettled(this.#instances.map(question));
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }
}

/** For the way to Redis, and for clocks that differ. */
const aheadMs = 20;

/** A little ahead of all clocks, so that all instances give the same token, and need not be asked to agree on one. */
const proposeToken = (): Proposal => ({
  token: BigInt(Date.now() + aheadMs) * 1000n,
  maxAheadMs: 2 * aheadMs,
});

/** At random, so that two that came at once do not come again at once. */
const nobodyHas = (): Held => ({
  type: 'held',
  holder: null,
  token: null,
  expiresInMs: 5 + 45 * Math.random(),
});

const noMajority = (answered: number): Error =>
  new Error(`Only ${answered} instances of Redis have answered, which is no majority.`);
