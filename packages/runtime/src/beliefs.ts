import type { Belief, BeliefJson, FencingToken, NodeId, Role } from '@hustings/elector';
import { undecided } from '@hustings/elector/protocol';

/** The node's present belief, and everyone who watches it change. */
export class Beliefs {
  readonly #streams = new Set<BeliefStream>();
  readonly #onObserved: (observed: boolean) => void;
  #present: Belief = new PresentBelief(undecided);
  #ended = false;

  /** Hears of the first observer that comes, and of the last that goes. */
  constructor(onObserved: (observed: boolean) => void = () => {}) {
    this.#onObserved = onObserved;
  }

  get isObserved(): boolean {
    return this.#streams.size > 0;
  }

  get present(): Belief {
    return this.#present;
  }

  change(belief: Belief): void {
    if (isSame(belief, this.#present)) return;
    this.#present = new PresentBelief(belief);
    for (const stream of this.#streams) stream.push(this.#present);
  }

  observe(signal?: AbortSignal): AsyncIterable<Belief> {
    return { [Symbol.asyncIterator]: () => this.#open(signal) };
  }

  /** Observers receive what they have not read yet, and then the end. */
  end(): void {
    this.#ended = true;
    for (const stream of this.#streams) stream.end();
  }

  #open(signal?: AbortSignal): BeliefStream {
    const stream = new BeliefStream(() => {
      this.#streams.delete(stream);
      signal?.removeEventListener('abort', abort);
      if (!this.isObserved) this.#onObserved(false);
    });
    const abort = () => void stream.return();
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.#onObserved(true);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    stream.push(this.#present);
    if (this.#ended) stream.end();
    return stream;
  }
}

/** A belief as the application has it, which can be written as JSON. */
class PresentBelief implements Belief {
  readonly role: Role;
  readonly leaderId: NodeId | null;
  readonly token: FencingToken | null;

  constructor({ role, leaderId, token }: Belief) {
    this.role = role;
    this.leaderId = leaderId;
    this.token = token;
  }

  toJSON(): BeliefJson {
    return { role: this.role, leaderId: this.leaderId, token: this.token?.toString() ?? null };
  }
}

type Result = IteratorResult<Belief, undefined>;

const done: Result = { done: true, value: undefined };

/** One observer's own queue, so that a slow one misses nothing and holds up nobody. */
class BeliefStream implements AsyncIterator<Belief, undefined> {
  readonly #onEnd: () => void;
  readonly #unread: Belief[] = [];
  readonly #waiting: ((result: Result) => void)[] = [];
  #ended = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(belief: Belief): void {
    if (this.#ended) return;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#unread.push(belief);
    else waiting({ done: false, value: belief });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const waiting of this.#waiting.splice(0)) waiting(done);
    this.#onEnd();
  }

  next(): Promise<Result> {
    const belief = this.#unread.shift();
    if (belief !== undefined) return Promise.resolve({ done: false, value: belief });
    if (this.#ended) return Promise.resolve(done);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<Result> {
    this.#unread.length = 0;
    this.end();
    return Promise.resolve(done);
  }
}

function isSame(a: Belief, b: Belief): boolean {
  return a.role === b.role && a.leaderId === b.leaderId && a.token === b.token;
}
