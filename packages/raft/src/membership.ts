import type { NodeId } from '@hustings/elector';

/** Who takes part. The latest one in a node's log counts, committed or not (thesis §4.1). */
export interface Membership {
  readonly voters: readonly NodeId[];
  /** They receive the log and vote for nobody (thesis §4.2.1). */
  readonly learners: readonly NodeId[];
}

export type MembershipChange = 'add-learner' | 'promote' | 'remove';

/** The smallest quorum: any two of this size share a voter. */
export function majority({ voters }: Membership): number {
  return Math.floor(voters.length / 2) + 1;
}

export function isVoter({ voters }: Membership, id: NodeId): boolean {
  return voters.includes(id);
}

export function isMember(membership: Membership, id: NodeId): boolean {
  return isVoter(membership, id) || membership.learners.includes(id);
}

/** Whether the voters among these nodes are a majority. */
export function isMajority(membership: Membership, nodes: readonly NodeId[]): boolean {
  // Asked at every vote, and nearly always too early.
  if (nodes.length < majority(membership)) return false;
  const among = new Set(nodes);
  return isReached(membership, (voter) => among.has(voter));
}

/** Whether a majority of the voters has got there. */
export function isReached(membership: Membership, hasReached: (voter: NodeId) => boolean): boolean {
  let count = 0;
  for (const voter of membership.voters) if (hasReached(voter)) count += 1;
  return count >= majority(membership);
}

/** The greatest value that a majority of the voters has reached: of match indices, of acknowledged times. */
export function reachedByMajority(membership: Membership, reached: (voter: NodeId) => number): number {
  // Not in a Float64Array: an index that comes out of one is a float to V8, and makes floats of all it is stored in.
  const values = membership.voters.map(reached).sort((a, b) => b - a);
  return values[majority(membership) - 1] ?? Number.NEGATIVE_INFINITY;
}

/** The membership after one change of one server, so that old and new majorities overlap (thesis §4.1). */
export function changeMembership(
  { voters, learners }: Membership,
  change: MembershipChange,
  node: NodeId,
): Membership {
  const others = (ids: readonly NodeId[]): NodeId[] => ids.filter((id) => id !== node);
  switch (change) {
    case 'add-learner':
      return { voters, learners: [...learners, node] };
    case 'promote':
      return { voters: [...voters, node], learners: others(learners) };
    case 'remove':
      return { voters: others(voters), learners: others(learners) };
  }
}
