import type { FencingToken } from '@hustings/elector';
import type { Clock } from './clock.js';

/** Something an operator would want to know. None of them needs an answer: the runtime has acted already. */
export type Diagnostic =
  /** The event loop did not turn for this long: blocked by code, paused by the system, or starved. */
  | { readonly type: 'stalled'; readonly forMs: number }
  /** The lease was not renewed in time, and the Leadership was ended, this long after its deadline. */
  | { readonly type: 'lease-lapsed'; readonly token: FencingToken; readonly lateMs: number }
  /** Durable state could not be read or written; the node has left the election. */
  | { readonly type: 'storage-failed'; readonly error: Error }
  /** The protocol threw or broke its contract, which is a bug in it; the node has left the election. */
  | { readonly type: 'protocol-failed'; readonly error: Error }
  /** The transport failed to start, or to close. In either case the node is not in the election. */
  | { readonly type: 'transport-failed'; readonly error: Error }
  /** `stop()` waited this long for the resignation, or for a write to disk, and then left without it. */
  | { readonly type: 'stop-timed-out'; readonly afterMs: number };

export interface StallWatch {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly thresholdMs: number;
  readonly onStall: (forMs: number) => void;
}

/** Measures how late its own timer is: whatever delayed it delayed everything else in the process. */
export function watchForStalls({ clock, intervalMs, thresholdMs, onStall }: StallWatch): () => void {
  let cancel = schedule();

  function schedule(): () => void {
    const dueMs = clock.nowMs() + intervalMs;
    return clock.setTimer(intervalMs, () => {
      const lateMs = clock.nowMs() - dueMs;
      cancel = schedule();
      if (lateMs > thresholdMs) onStall(lateMs);
    });
  }

  return () => cancel();
}
