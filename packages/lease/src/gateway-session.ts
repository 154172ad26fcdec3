/**
 * A store that many elections of one process share. Whoever renews first renews for all: one call, where the store
 * can take many leases at once. Whoever asks soon after that is told what is left of what it was given then.
 *
 * What is answered without asking the store is shorter by the time that has passed, so nobody leads longer for it.
 */

import type { LeaseStore, Lost, Renewed, RenewRequest } from './store.js';

interface Kept {
  readonly request: RenewRequest;
  /** When the store was asked, by this process's clock, and for how long it said yes. */
  readonly askedMs: number;
  readonly validForMs: number;
}

interface Renewal {
  readonly askedMs: number;
  readonly answers: Promise<ReadonlyMap<string, Renewed | Lost>>;
}

const shortened = ({ validForMs }: Renewed, byMs: number): Renewed => ({
  type: 'renewed',
  validForMs: Math.max(0, validForMs - byMs),
});

/** A lease that was renewed less than this fraction of its time ago is not renewed again. */
const fresh = 0.25;

export function sharedStore(store: LeaseStore): LeaseStore {
  return new SharedStore(store);
}

class SharedStore implements LeaseStore {
  readonly #store: LeaseStore;
  readonly #kept = new Map<string, Kept>();
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
    const { name, holder, ttlMs } = request;
    if (answer.type === 'acquired') {
      const renewal = { name, holder, ttlMs, token: answer.token };
      this.#kept.set(name, { request: renewal, askedMs, validForMs: answer.validForMs });
    }
    return answer;
  }

  async renew(request: RenewRequest): Promise<Renewed | Lost> {
    const left = this.#leftOf(request);
    if (left !== null) return left;
    const { name, holder, token } = request;
    const known = this.#kept.get(name)?.request;
    if (known?.holder !== holder || known.token !== token) return this.#store.renew(request);
    const startedMs = performance.now();
    const { askedMs, answers } = this.#renewAll(startedMs);
    const answer = (await answers).get(name);
    if (answer === undefined) return this.#store.renew(request);
    // The store was asked before this call, where that one was on its way already.
    return answer.type === 'lost' ? answer : shortened(answer, startedMs - askedMs);
  }

  async release(request: Parameters<LeaseStore['release']>[0]): Promise<void> {
    const known = this.#kept.get(request.name)?.request;
    if (known?.holder === request.holder && known.token === request.token) this.#kept.delete(request.name);
    await this.#store.release(request);
  }

  read(name: string): ReturnType<LeaseStore['read']> {
    return this.#store.read(name);
  }

  async close(): Promise<void> {
    await this.#store.close?.();
  }

  /** What another's renewal has left of this lease, if it was a short while ago. */
  #leftOf({ name, holder, token, ttlMs }: RenewRequest): Renewed | null {
    const kept = this.#kept.get(name);
    if (kept === undefined || kept.request.holder !== holder || kept.request.token !== token) return null;
    const agoMs = performance.now() - kept.askedMs;
    return kept.request.ttlMs === ttlMs && agoMs < fresh * kept.validForMs
      ? shortened({ type: 'renewed', validForMs: kept.validForMs }, agoMs)
      : null;
  }

  /** All at once; and whoever asks while the answer is on its way waits for the same. */
  #renewAll(askedMs: number): Renewal {
    if (this.#renewal !== null) return this.#renewal;
    const requests = [...this.#kept.values()].map(({ request }) => request);
    const answers = this.#ask(requests, askedMs).finally(() => {
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
    for (const request of requests) this.#keep(request, answers.get(request.name)!, askedMs);
    return answers;
  }

  #keep(request: RenewRequest, answer: Renewed | Lost, askedMs: number): void {
    // Given back, or taken anew, while the answer was on its way.
    if (this.#kept.get(request.name)?.request.token !== request.token) return;
    if (answer.type === 'lost') this.#kept.delete(request.name);
    else this.#kept.set(request.name, { request, askedMs, validForMs: answer.validForMs });
  }
}
