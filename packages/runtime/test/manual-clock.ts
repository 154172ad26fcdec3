import type { Clock } from '../src/index.js';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Time that passes only when a test says so. */
export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>();
  // Nobody may take it for the time since the start.
  #nowMs = 1_000_000;

  get pendingTimers(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves to each timer in turn and lets everything that follows from it happen. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#earliest(untilMs); next !== undefined; next = this.#earliest(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#timers.delete(next);
      next.callback();
      await settled();
    }
    this.#nowMs = untilMs;
    await settled();
  }

  /** The process is paused: time passes and no timer fires. */
  pause(forMs: number): void {
    this.#nowMs += forMs;
  }

  #earliest(untilMs: number): Timer | undefined {
    return [...this.#timers]
      .filter((timer) => timer.dueMs <= untilMs)
      .sort((a, b) => a.dueMs - b.dueMs)
      .at(0);
  }
}

/** Lets every promise that can settle do so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
