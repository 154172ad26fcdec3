/** What the electors do with their leases: one file each, so that nobody loads an algorithm that is not used. */

/** What an elector does with its lease. Every function of `ttlMs` is a straight line. */
export interface LeaseKind {
  /** The setting, as it is called, and how many milliseconds its unit has. */
  readonly setting: string;
  readonly unitMs: number;
  /** A lease is a multiple of it. */
  readonly stepMs: number;
  /** The shortest that the server grants as it is customarily set up. */
  readonly leastMs: number;
  /** The largest share of the lease that the elector lets the guard take. */
  readonly guardShare: number;
  readonly guardMs: (ttlMs: number, driftBound: number) => number;
  readonly renewEveryMs: (ttlMs: number) => number;
  /** From what a lease counts from to the renewal that is the next to prolong it. */
  readonly countsForMs: (ttlMs: number) => number;
  /** From the crash of a leader until the lease is over for the others, by a clock that is right. */
  readonly silenceMs: (ttlMs: number, driftBound: number) => number;
}

/** How late one renewal may be, for any reason. */
export function slackMs(kind: LeaseKind, ttlMs: number, driftBound: number): number {
  return ttlMs - kind.countsForMs(ttlMs) - kind.guardMs(ttlMs, driftBound);
}
