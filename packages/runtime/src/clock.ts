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
    let cancel = wait();

    // `setTimeout` counts whole milliseconds of its own clock, and is a fraction of one early or a whole one late. So
    // it is asked to be early, and the rest, which is less than one, passes in turns of the event loop.
    function wait(): () => void {
      const remainingMs = dueMs - performance.now();
      if (remainingMs < 1) {
        const immediate = setImmediate(look);
        return () => clearImmediate(immediate);
      }
      const timeout = setTimeout(look, Math.min(Math.floor(remainingMs), longestDelayMs));
      return () => clearTimeout(timeout);
    }

    function look(): void {
      if (performance.now() < dueMs) cancel = wait();
      else callback();
    }

    return () => cancel();
  },
};
