import {
  type FencingToken,
  type Leadership,
  LeadershipLostError,
  type StepDownReason,
} from '@hustings/elector';
import type { Clock } from './clock.js';

export interface GrantOptions {
  readonly token: FencingToken;
  readonly holder: string;
  readonly clock: Clock;
  /** `Infinity` where no lease bounds it. */
  readonly deadlineMs: number;
}

/** One Leadership as the application holds it. Once it has ended it never comes back. */
export class Grant {
  readonly leadership: Leadership;
  readonly #token: FencingToken;
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  #deadlineMs: number;

  constructor({ token, holder, clock, deadlineMs }: GrantOptions) {
    this.#token = token;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.leadership = this.#present(holder);
  }

  extendTo(deadlineMs: number): void {
    this.#deadlineMs = deadlineMs;
  }

  end(reason: StepDownReason): void {
    this.#controller.abort(new LeadershipLostError(this.#token, reason));
  }

  #remainingMs(): number {
    return this.#controller.signal.aborted ? 0 : Math.max(0, this.#deadlineMs - this.#clock.nowMs());
  }

  #assertValid(): void {
    this.#controller.signal.throwIfAborted();
    // Whether or not any timer has noticed.
    if (this.#remainingMs() === 0) throw new LeadershipLostError(this.#token, 'lease-expired');
  }

  #present(holder: string): Leadership {
    const remainingMs = () => this.#remainingMs();
    return {
      token: this.#token,
      holder,
      signal: this.#controller.signal,
      get remainingMs() {
        return remainingMs();
      },
      assertValid: () => this.#assertValid(),
      toJSON: () => ({ token: this.#token.toString(), holder }),
    };
  }
}
