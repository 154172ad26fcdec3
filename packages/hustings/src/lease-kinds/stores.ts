import { defaultSettings, guardMs } from '@hustings/lease';
import type { LeaseKind } from './kind.js';

const storeGuardMs = (ttlMs: number, driftBound: number): number =>
  guardMs({ ...defaultSettings, driftBound }, ttlMs);
const renewMs = (ttlMs: number): number => defaultSettings.renewAfter * ttlMs;

/** The store decides by its clock: PostgreSQL, Redis. */
export const store: LeaseKind = {
  setting: 'ttlMs',
  unitMs: 1,
  stepMs: 1,
  leastMs: 1000,
  guardShare: 1 / 2,
  guardMs: storeGuardMs,
  renewEveryMs: renewMs,
  countsForMs: renewMs,
  silenceMs: (ttlMs) => ttlMs,
};

/** Nobody tells an observer: it waits from when it has looked, and grants the guard once more. */
export const dynamodb: LeaseKind = {
  ...store,
  silenceMs: (ttlMs, driftBound) => ttlMs + renewMs(ttlMs) + storeGuardMs(ttlMs, driftBound),
};

/** A Lease counts in seconds. */
export const kubernetes: LeaseKind = { ...dynamodb, stepMs: 1000 };

/** Consul ends a session at twice its time at the latest, and grants none below 10 s. */
export const consul: LeaseKind = { ...store, leastMs: 10_000, silenceMs: (ttlMs) => 2 * ttlMs };
