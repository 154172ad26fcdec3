import { once } from 'node:events';
import {
  type Belief,
  type CampaignOptions,
  type Elector,
  type FencingToken,
  type Guarantees,
  type Leadership,
  LeadershipLostError,
  type ObserveOptions,
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

export const ownTerm = (token: FencingToken): Belief => ({ role: 'leader', leaderId: 'fake', token });

/** Wins every campaign at once, loses when the test says so, and keeps a journal of what it was asked. */
export class FakeElector implements Elector {
  readonly id = 'fake';
  readonly guarantees = guarantees;
  readonly journal: string[] = [];
  /** When false, campaigns wait until their signal aborts. */
  electable = true;
  starts = 0;
  /** How many have heard it all, and wait for more. */
  observers = 0;
  /** What observers hear: this node's first term is to come. */
  beliefs: readonly Belief[] = [undecided, ownTerm(1n)];
  #token: FencingToken = 0n;
  #term: AbortController | null = null;

  async start(): Promise<void> {
    this.starts += 1;
  }

  async campaign({ signal }: CampaignOptions = {}): Promise<Leadership> {
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

  /** As of any elector, beliefs go on until the observer has had enough. */
  async *observe({ signal }: ObserveOptions = {}) {
    yield* this.beliefs;
    if (signal === undefined) return;
    this.observers += 1;
    await once(signal, 'abort');
    this.observers -= 1;
  }

  async stop(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}
