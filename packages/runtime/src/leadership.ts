import {
  type FencingToken,
  type Leadership,
  LeadershipLostError,
  type StepDownReason,
} from '@hustings/elector';
import type { Clock } from './clock.js';

export interface TenureOptions {
  readonly token: FencingToken;
  readonly holder: string;
  readonly clock: Clock;
  /** `Infinity` where no lease bounds it. */
  readonly deadlineMs: number;
}

/**
 * The driver's side of one Leadership. It lasts from the protocol's `lead` to its `step-down`. The
 * application's side, `leadership`, may be over sooner, and once over it never comes back.
 */
export class Tenure {
  readonly token: FencingToken;
  readonly leadership: Leadership;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #deadlineMs: number;
  #lapseNoticed = false;

  constructor({ token, holder, clock, deadlineMs }: TenureOptions) {
    this.token = token;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.leadership = this.#present(holder);
  }

  get deadlineMs(): number {
    return this.#deadlineMs;
  }

  get over(): boolean {
    return this.#controller.signal.aborted;
  }

  /** The deadline has passed, whether or not any timer has noticed. */
  get lapsed(): boolean {
    return this.#clock.nowMs() >= this.#deadlineMs;
  }

  /** True the first time that the present deadline is found to have passed. */
  noticeLapse(): boolean {
    if (this.#lapseNoticed || !this.lapsed) return false;
    this.#lapseNoticed = true;
    return true;
  }

  extendTo(deadlineMs: number): void {
    this.#deadlineMs = deadlineMs;
    this.#lapseNoticed = false;
  }

  end(reason: StepDownReason): void {
    if (!this.over) this.#controller.abort(new LeadershipLostError(this.token, reason));
  }

  #remainingMs(): number {
    return this.over ? 0 : Math.max(0, this.#deadlineMs - this.#clock.nowMs());
  }

  #assertValid(): void {
    this.#controller.signal.throwIfAborted();
    if (this.lapsed) throw new LeadershipLostError(this.token, 'lease-expired');
  }

  #present(holder: string): Leadership {
    const remainingMs = () => this.#remainingMs();
    return {
      token: this.token,
      holder,
      signal: this.#controller.signal,
      get remainingMs() {
        return remainingMs();
      },
      assertValid: () => this.#assertValid(),
    };
  }
}
