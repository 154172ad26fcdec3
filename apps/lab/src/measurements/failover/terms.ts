/** Who led when, as they say themselves, and what is wrong with that. */

import type { NodeId } from '@hustings/elector';

export interface Term {
  readonly id: NodeId;
  /** Null where it has none. */
  readonly token: bigint | null;
  readonly beganMs: number;
  /** When it was last able to act; null while it may be. */
  endedMs: number | null;
  /** Whether something was done to its node, so that it had to end. */
  wasStruck: boolean;
  /** When its process went on after it had been stopped; null if it never was. */
  resumedMs: number | null;
}

export const newTerm = (id: NodeId, token: bigint | null, beganMs: number): Term => ({
  ...{ id, token, beganMs, endedMs: null, wasStruck: false, resumedMs: null },
});

export interface Verdict {
  /** How often one began while another could act. A stopped process cannot. */
  readonly overlaps: number;
  /** Null where there was none. */
  readonly longestOverlapMs: number | null;
  /** Leaderships that ended although nothing was done to their nodes. */
  readonly lostWithoutCause: number;
}

/** Of elections that have nothing to do with each other. */
export function judge(elections: readonly (readonly Term[])[]): Verdict {
  const overlapsMs = elections.flatMap(overlapsOf);
  const ended = elections.flat().filter(({ endedMs }) => endedMs !== null);
  return {
    overlaps: overlapsMs.length,
    longestOverlapMs: overlapsMs.length === 0 ? null : Math.max(...overlapsMs),
    lostWithoutCause: ended.filter(({ wasStruck }) => !wasStruck).length,
  };
}

function overlapsOf(terms: readonly Term[]): number[] {
  return terms.flatMap((earlier) =>
    terms
      .filter((later) => later.id !== earlier.id && later.beganMs > earlier.beganMs)
      .map((later) => overlapMs(earlier, later))
      .filter((ms) => ms > 0),
  );
}

/** For how long the earlier one could act beside the later. */
function overlapMs(earlier: Term, later: Term): number {
  const besideMs = Math.max(later.beganMs, earlier.resumedMs ?? later.beganMs);
  return Math.min(ending(earlier), ending(later)) - besideMs;
}

const ending = ({ endedMs }: Term): number => endedMs ?? Number.POSITIVE_INFINITY;
