import { defaultSettings, leaseMs } from '@hustings/raft';
import type { LeaseKind } from './kind.js';

/** As the calmer timings of `raftElector` have it. */
const heartbeatMs = (timeoutMs: number): number => timeoutMs / 10;

/** The lease follows from the shortest election timeout; the longest is twice that. */
export const raft: LeaseKind = {
  setting: 'electionTimeoutMs',
  unitMs: 1,
  stepMs: 1,
  leastMs: 50,
  guardShare: 1,
  guardMs: (timeoutMs, driftBound) => {
    const settings = { ...defaultSettings, maxDriftRate: driftBound };
    return timeoutMs - leaseMs({ ...settings, electionTimeoutMs: [timeoutMs, 2 * timeoutMs] });
  },
  renewEveryMs: heartbeatMs,
  countsForMs: heartbeatMs,
  silenceMs: (timeoutMs) => 2 * timeoutMs,
};
