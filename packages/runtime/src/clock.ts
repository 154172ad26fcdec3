/** What the runtime needs of time. Every deadline is read from `nowMs`; a timer only says when to look. */
export interface Clock {
  /** Never goes back, and does not follow the wall clock when that is set. */
  nowMs(): number;
  /** Calls back once, when `nowMs` has grown by `delayMs` or later. Returns how to cancel it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** `setTimeout` fires at once when asked to wait longer than this. */
const longestDelayMs = 2 ** 31 - 1;

export const monotonicClock: Clock = {
  nowMs: () => performance.now(),

  setTimer(delayMs, callback) {
    const dueMs = performance.now() + delayMs;
    let timeout = setTimeout(onTimeout, clampDelay(delayMs));

    // `setTimeout` counts whole milliseconds of its own clock and may be a fraction of one early, at which
    // point a lease would look as if it had not run out yet.
    function onTimeout(): void {
      const remainingMs = dueMs - performance.now();
      if (remainingMs > 0) timeout = setTimeout(onTimeout, clampDelay(remainingMs));
      else callback();
    }

    return () => clearTimeout(timeout);
  },
};

function clampDelay(delayMs: number): number {
  return Math.min(Math.ceil(delayMs), longestDelayMs);
}
