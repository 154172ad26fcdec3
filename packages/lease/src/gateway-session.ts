/**
 * A store that many elections of one process share. Whoever renews first renews for all: one call, where the store
 * can take many leases at once. Whoever asks soon after that is told what is left of what it was given then.
 *
 * What is answered without asking the store is shorter by the time that has passed, so nobody leads longer for it.
 *
 * Reads travel together, too: docs/decisions/0033.
 */

import { gatherMs, gathersOn, Renewals, shortened } from './renewals.js';
import type { Free, Held, LeaseStore, Lost, Renewed, RenewRequest } from './store.js';

interface Renewal {
  readonly askedMs: number;
  /** By name and token: the lease may have been given back and taken anew since they were asked for. */
  readonly answers: Promise<ReadonlyMap<string, Renewed | Lost>>;
}

/** Reads that go in one call, once the time to join them is over. */
interface Reading {
  /** Returns where the answer will be. */
  join(name: string): number;
  readonly answers: Promise<readonly (Held | Free)[]>;
}

export function sharedStore(store: LeaseStore): LeaseStore {
  return new SharedStore(store);
}

class SharedStore implements LeaseStore {
  readonly #store: LeaseStore;
  readonly #renewals = new Renewals();
  #renewal: Renewal | null = null;
  #reading: Reading | null = null;
  readonly watch?: NonNullable<LeaseStore['watch']>;

  constructor(store: LeaseStore) {
    this.#store = store;
    const { watch } = store;
    if (watch !== undefined) this.watch = (name, changed) => watch.call(store, name, changed);
  }

  get traits(): LeaseStore['traits'] {
    return this.#store.traits;
  }

  async acquire(request: Parameters<LeaseStore['acquire']>[0]): ReturnType<LeaseStore['acquire']> {
    const askedMs = performance.now();
    const answer = await this.#store.acquire(request);
    if (answer.type === 'acquired') this.#renewals.acquired(request, answer, askedMs);
    return answer;
  }

  async renew(request: RenewRequest): Promise<Renewed | Lost> {
    const startedMs = performance.now();
    this.#renewals.asked(request, startedMs);
    const left = this.#renewals.leftOf(request, startedMs);
    if (left !== null) return left;
    const isKnown = this.#renewals.has(request);
    if (this.#store.renewAll === undefined || !isKnown) return this.#store.renew(request);
    const { askedMs, answers } = this.#renewAll(startedMs);
    const answer = (await answers).get(keyOf(request));
    if (answer === undefined) return this.#store.renew(request);
    // The store was asked before this call, where that one was on its way already.
    return answer.type === 'lost' ? answer : shortened(answer, startedMs - askedMs);
  }

  async release(request: Parameters<LeaseStore['release']>[0]): Promise<void> {
    this.#renewals.released(request);
    await this.#store.release(request);
  }

  async read(name: string): Promise<Held | Free> {
    if (this.#store.readAll === undefined) return this.#store.read(name);
    this.#reading ??= this.#readSoon();
    const { join, answers } = this.#reading;
    const place = join(name);
    return (await answers)[place]!;
  }

  async close(): Promise<void> {
    await this.#store.close?.();
  }

  #readSoon(): Reading {
    const names: string[] = [];
    const begunMs = performance.now();
    let timer: NodeJS.Timeout;
    const gathered = new Promise((resolve) => {
      timer = setTimeout(resolve, gatherMs);
    });
    const answers = gathered.then(() => {
      this.#reading = null;
      return this.#store.readAll!(names);
    });
    const join = (name: string): number => {
      if (gathersOn(begunMs, performance.now())) timer.refresh();
      return names.push(name) - 1;
    };
    return { join, answers };
  }

  /** All at once; and whoever asks while the answer is on its way waits for the same. */
  #renewAll(askedMs: number): Renewal {
    if (this.#renewal !== null) return this.#renewal;
    const answers = this.#ask(this.#renewals.wanted(askedMs), askedMs).finally(() => {
      this.#renewal = null;
    });
    this.#renewal = { askedMs, answers };
    return this.#renewal;
  }

  async #ask(
    requests: readonly RenewRequest[],
    askedMs: number,
  ): Promise<ReadonlyMap<string, Renewed | Lost>> {
    const given = await this.#store.renewAll!(requests);
    const answers = new Map(requests.map((request, index) => [keyOf(request), given[index]!]));
    for (const request of requests) this.#renewals.answered(request, answers.get(keyOf(request))!, askedMs);
    return answers;
  }
}

const keyOf = ({ name, token }: RenewRequest): string => `${token} ${name}`;
