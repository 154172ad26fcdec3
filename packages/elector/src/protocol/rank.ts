import type { NodeId } from '../elector.js';

/**
 * Whether `a` is the stronger of two ids: the longer one, and of equal length the one later in the
 * alphabet. So node-10 outranks node-9, which plain comparison of strings would deny.
 */
export function outranks(a: NodeId, b: NodeId): boolean {
  return a.length === b.length ? a > b : a.length > b.length;
}

/** Sorts ids from weakest to strongest. */
export function byRank(a: NodeId, b: NodeId): number {
  return a === b ? 0 : outranks(a, b) ? 1 : -1;
}
