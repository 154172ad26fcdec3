import type { Clock } from '@hustings/runtime';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/**
 * Virtual time for what waits by promises: a millisecond passes with each turn of the event loop, in which a message of
 * a network in memory arrives, too. The same work, the same times.
 */
export class TurningClock implements Clock {
  readonly #timers = new Set<Timer>();
  #nowMs = 0;
  #isTurning = false;

  nowMs(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer: Timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Time passes until the work has ended. Rejects with what `late` says when it has not in time. */
  async during(work: () => Promise<void>, withinMs: number, late: () => Error): Promise<void> {
    this.#isTurning = true;
    setImmediate(() => this.#turn());
    try {
      await new Promise<void>((resolve, reject) => {
        this.setTimer(withinMs, () => reject(late()));
        work().then(resolve, reject);
      });
    } finally {
      this.#isTurning = false;
    }
  }

  #turn(): void {
    if (!this.#isTurning) return;
    setImmediate(() => this.#turn());
    this.#nowMs += 1;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs);
    // What one of them calls off does not happen.
    for (const timer of due.sort((a, b) => a.dueMs - b.dueMs)) {
      if (this.#timers.delete(timer)) timer.callback();
    }
  }
}
