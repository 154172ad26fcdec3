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
  /** The protocol threw or broke its contract, which is a bug in it, or `onAnnouncement` threw; the node has left. */
  | { readonly type: 'protocol-failed'; readonly error: Error }
  /** The transport failed to start, or to close. In either case the node is not in the election. */
  | { readonly type: 'transport-failed'; readonly error: Error }
  /** `stop()` waited this long for the resignation, or for a write to disk, and then left without it. */
  | { readonly type: 'stop-timed-out'; readonly afterMs: number };

export interface StallWatch {
  readonly clock: Clock;
  readonly thresholdMs: number;
  readonly onStall: (forMs: number) => void;
}

const intervalMs = 50;

/** A stall is one of the whole process: a thousand electors need one timer. */
const measurements = new WeakMap<Clock, Measurement>();

interface Measurement {
  readonly watches: Set<StallWatch>;
  cancel(): void;
}

/** Measures how late a timer is: whatever delayed it delayed everything else in the process. */
export function watchForStalls(watch: StallWatch): () => void {
  const { clock } = watch;
  const measurement = measurements.get(clock) ?? { watches: new Set(), cancel() {} };
  const { watches } = measurement;
  measurements.set(clock, measurement);
  watches.add(watch);
  if (watches.size === 1) measure(clock, measurement);
  return () => {
    if (watches.delete(watch) && watches.size === 0) measurement.cancel();
  };
}

function measure(clock: Clock, measurement: Measurement): void {
  const dueMs = clock.nowMs() + intervalMs;
  measurement.cancel = clock.setTimer(intervalMs, () => {
    const lateMs = clock.nowMs() - dueMs;
    measure(clock, measurement);
    for (const { thresholdMs, onStall } of [...measurement.watches])
      if (lateMs > thresholdMs) onStall(lateMs);
  });
}
