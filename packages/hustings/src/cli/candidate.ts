/** This process as a candidate, and what it does while it leads: what `run` and `sidecar` have in common. */

import { type Elector, type Leadership, lead, type NodeId } from '../index.js';
import type { ChosenElector } from './electors.js';

export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Somebody has asked this node to resign. It does so when the work has ended. */
interface Resignation {
  readonly to: NodeId | undefined;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

export class Candidate {
  readonly elector: Elector;
  readonly id: NodeId;
  readonly election: string | null;
  /** Held, and worked under. Null again before it is released. */
  leadership: Leadership | null = null;
  readonly #start: () => Promise<void>;
  #leave = new AbortController();
  #leaving: AbortSignal = this.#leave.signal;
  #resignations: readonly Resignation[] = [];

  constructor({ elector, id, election, start }: ChosenElector) {
    this.#start = start;
    this.elector = elector;
    this.id = id;
    this.election = election;
  }

  /**
   * Works each time this node leads, until `stop` aborts or the work returns while it leads. The work is told to end by
   * `leave` while there is still time, and by the Leadership's own signal when there is none.
   */
  async lead(
    stop: AbortSignal,
    work: (leadership: Leadership, leave: AbortSignal) => Promise<void>,
  ): Promise<void> {
    // While nobody works there is nothing to wait for, not even for a server that cannot be reached.
    const leaveAtOnce = () => void (this.leadership === null && this.elector.stop());
    stop.addEventListener('abort', leaveAtOnce, { once: true });
    try {
      if (stop.aborted) return;
      await this.#start();
      await lead(this.elector, (leadership) => this.#serve(leadership, stop, work), { signal: stop });
    } catch (error) {
      if (!stop.aborted) throw error;
    } finally {
      stop.removeEventListener('abort', leaveAtOnce);
      await this.elector.stop();
    }
  }

  /** It leads, and has been asked not to. */
  get isLeaving(): boolean {
    return this.#leaving.aborted;
  }

  /** Resolves when the others can take over; rejects where this node does not lead. */
  resign(to?: NodeId): Promise<void> {
    if (this.leadership === null) return Promise.reject(new Error(`${this.id} does not lead.`));
    if (to !== undefined && !this.elector.guarantees.targetedTransfer) {
      return Promise.reject(new Error('This elector cannot choose its successor; resign without --to.'));
    }
    return new Promise((done, failed) => {
      this.#resignations = [...this.#resignations, { to, done, failed }];
      this.#leave.abort();
    });
  }

  async #serve(
    given: Leadership,
    stop: AbortSignal,
    work: (leadership: Leadership, leave: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#leave = new AbortController();
    this.#leaving = AbortSignal.any([stop, this.#leave.signal]);
    this.leadership = given;
    try {
      await work(given, this.#leaving);
    } finally {
      this.leadership = null;
      await this.#resignIfAsked();
      if (stop.aborted) await this.elector.stop();
    }
  }

  async #resignIfAsked(): Promise<void> {
    const resignations = this.#resignations;
    this.#resignations = [];
    if (resignations.length === 0) return;
    // Whoever asked first has chosen the successor.
    for (const { to, done, failed } of resignations) {
      await this.elector.resign(to === undefined ? {} : { to }).then(done, failed);
    }
    // The work has ended, even if the successor was refused.
    await this.elector.resign();
  }
}
