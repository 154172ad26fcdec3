/**
 * A store that many elections of one process share. Whoever renews first renews for all: one call, where the store
 * can take many leases at once. Whoever asks soon after that is told what is left of what it was given then.
 *
 * What is answered without asking the store is shorter by the time that has passed, so nobody leads longer for it.
 */

import { Renewals, shortened } from './renewals.js';
import type { LeaseStore, Lost, Renewed, RenewRequest } from './store.js';

interface Renewal {
  readonly askedMs: number;
  readonly answers: Promise<ReadonlyMap<string, Renewed | Lost>>;
}

export function sharedStore(store: LeaseStore): LeaseStore {
  return new SharedStore(store);
}

class SharedStore implements LeaseStore {
  readonly #store: LeaseStore;
  readonly #renewals = new Renewals();
  #renewal: Renewal | null = null;
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
    const left = this.#renewals.leftOf(request, startedMs);
    if (left !== null) return left;
    if (!this.#renewals.has(request)) return this.#store.renew(request);
    const { askedMs, answers } = this.#renewAll(startedMs);
    const answer = (await answers).get(request.name);
    if (answer === undefined) return this.#store.renew(request);
    // The store was asked before this call, where that one was on its way already.
    return answer.type === 'lost' ? answer : shortened(answer, startedMs - askedMs);
  }

  async release(request: Parameters<LeaseStore['release']>[0]): Promise<void> {
    this.#renewals.released(request);
    await this.#store.release(request);
  }

  read(name: string): ReturnType<LeaseStore['read']> {
    return this.#store.read(name);
  }

  async close(): Promise<void> {
    await this.#store.close?.();
  }

  /** All at once; and whoever asks while the answer is on its way waits for the same. */
  #renewAll(askedMs: number): Renewal {
    if (this.#renewal !== null) return this.#renewal;
    const answers = this.#ask(this.#renewals.all, askedMs).finally(() => {
      this.#renewal = null;
    });
    this.#renewal = { askedMs, answers };
    return this.#renewal;
  }

  async #ask(
    requests: readonly RenewRequest[],
    askedMs: number,
  ): Promise<ReadonlyMap<string, Renewed | Lost>> {
    const store = this.#store;
    const given = store.renewAll
      ? await store.renewAll(requests)
      : await Promise.all(requests.map((request) => store.renew(request)));
    const answers = new Map(requests.map(({ name }, index) => [name, given[index]!]));
    for (const request of requests) this.#renewals.answered(request, answers.get(request.name)!, askedMs);
    return answers;
  }
}
