import {
  type Belief,
  type Elector,
  type FencingToken,
  type Guarantees,
  type Leadership,
  LeadershipLostError,
  type StepDownReason,
} from '../src/index.js';
import { undecided } from '../src/protocol/index.js';

const guarantees: Guarantees = {
  atMostOneLeader: true,
  monotonicTokens: true,
  toleratesPartition: true,
  orderedSuccession: false,
  targetedTransfer: false,
  leased: false,
  assumptions: [],
};

/** Wins every campaign at once, loses when the test says so, and keeps a journal of what it was asked. */
export class FakeElector implements Elector {
  readonly id = 'fake';
  readonly guarantees = guarantees;
  readonly journal: string[] = [];
  /** When false, campaigns wait until their signal aborts. */
  electable = true;
  starts = 0;
  /** What observers hear. */
  beliefs: readonly Belief[] = [undecided];
  #token: FencingToken = 0n;
  #term: AbortController | null = null;

  async start(): Promise<void> {
    this.starts += 1;
  }

  async campaign({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Leadership> {
    this.journal.push('campaign');
    if (!this.electable) {
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    this.#token += 1n;
    const term = new AbortController();
    this.#term = term;
    return {
      token: this.#token,
      holder: 'fake#1',
      signal: term.signal,
      get remainingMs() {
        return term.signal.aborted ? 0 : Infinity;
      },
      assertValid: () => term.signal.throwIfAborted(),
      toJSON: () => ({ token: `${this.#token}`, holder: 'fake#1' }),
    };
  }

  /** The node is deposed, or whatever the reason says. */
  lose(reason: StepDownReason = 'deposed'): void {
    this.#term?.abort(new LeadershipLostError(this.#token, reason));
    this.#term = null;
  }

  async resign(): Promise<void> {
    this.journal.push('resign');
    this.lose('resigned');
  }

  belief() {
    return undecided;
  }

  async *observe() {
    yield* this.beliefs;
  }

  async stop(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}
