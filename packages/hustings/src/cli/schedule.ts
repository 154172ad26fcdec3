/** When a command must be asked to end, and when it must be dead. */

import type { Schedule } from './keeper-process.js';

/** How late the keeper may be on a busy machine, as a part of the lease. */
const marginPart = 1 / 20;
/** What a command is given between SIGTERM and SIGKILL unless told otherwise. */
const defaultGracePart = 1 / 5;
/**
 * The most that it can be given. Leases are renewed when two fifths or less are left of them: a command that needs more
 * would be ended while all is well.
 */
const mostGracePart = 1 / 4;

export interface Lease {
  readonly nowMs: number;
  /** What is left of it; Infinity where no lease bounds the leadership. */
  readonly remainingMs: number;
  /** What is left of it just after a renewal. */
  readonly fullMs: number;
}

export function graceOf(fullMs: number, askedMs: number | undefined): number {
  return Math.min(askedMs ?? fullMs * defaultGracePart, fullMs * mostGracePart);
}

/** The command is dead before the lease ends, and so before anyone else may lead. */
export function scheduleOf(
  { nowMs, remainingMs, fullMs }: Lease,
  askedGraceMs: number | undefined,
): Schedule {
  if (remainingMs === Number.POSITIVE_INFINITY) return { terminateAtMs: null, killAtMs: null };
  const killAtMs = nowMs + remainingMs - fullMs * marginPart;
  return { terminateAtMs: killAtMs - graceOf(fullMs, askedGraceMs), killAtMs };
}

/** It has been asked to end at `stopAtMs`, by somebody who has time. The lease may have less. */
export function stopBy(schedule: Schedule, stopAtMs: number, patienceMs: number): Schedule {
  const killAtMs = stopAtMs + patienceMs;
  return { terminateAtMs: stopAtMs, killAtMs: Math.min(killAtMs, schedule.killAtMs ?? killAtMs) };
}
