import { defaultSettings, guardMs, pingRestMs } from '@hustings/zookeeper';
import type { LeaseKind } from './kind.js';

/** It ends sessions once a tick, which is customarily 2 s, and grants none of less than two ticks. */
const tickMs = 2000;

export const zookeeper: LeaseKind = {
  setting: 'sessionTimeoutMs',
  unitMs: 1,
  stepMs: 1,
  leastMs: 2 * tickMs,
  guardShare: 1 / 5,
  guardMs: (timeoutMs, driftBound) => guardMs({ ...defaultSettings, driftBound }, timeoutMs),
  renewEveryMs: pingRestMs,
  // A session counts from the ping before the last.
  countsForMs: (timeoutMs) => 2 * pingRestMs(timeoutMs),
  silenceMs: (timeoutMs) => timeoutMs + tickMs,
};
