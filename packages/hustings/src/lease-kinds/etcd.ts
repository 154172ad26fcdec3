import { defaultSettings, guardMs } from '@hustings/etcd';
import type { LeaseKind } from './kind.js';

/** It looks for leases that are over twice a second. */
const expiryCheckMs = 500;

const renewMs = (ttlMs: number): number => defaultSettings.renewAfter * ttlMs;

export const etcd: LeaseKind = {
  setting: 'ttlSeconds',
  unitMs: 1000,
  stepMs: 1000,
  leastMs: 2000,
  guardShare: 1 / 2,
  guardMs: (ttlMs, driftBound) => guardMs({ ...defaultSettings, driftBound }, ttlMs),
  renewEveryMs: renewMs,
  countsForMs: renewMs,
  silenceMs: (ttlMs) => ttlMs + expiryCheckMs,
};
