import type { Finding, Invariants, NodeView } from '@hustings/elector/protocol';
import { entryAt, type Log, lastIndex, lastTerm, termAt } from './log.js';
import { isMember, isVoter } from './membership.js';
import type { RaftState } from './state.js';

type View = NodeView<RaftState>;

/** The five properties of Figure 3, what they rest on, and what a node owes its driver. */
export const invariants: Invariants<RaftState> = {
  ofOneState: {
    'a leader follows itself, and only a leader does': ({ id, role, leaderId }) =>
      (role === 'leader') === (leaderId === id) ? null : `${id} is ${role} and follows ${leaderId}`,
    'only a healthy node that stands, or takes care of one that does, campaigns or leads': (state) =>
      state.role === 'follower' || ((state.standing || state.caretaker) && state.healthy)
        ? null
        : `${state.id} is ${state.role}`,
    'a caretaker holds no lease': ({ id, role, standing, leaseUntilMs }) =>
      role === 'leader' && !standing && leaseUntilMs !== null ? `${id} does not stand` : null,
    'a candidate has voted for itself': ({ id, role, votedFor }) =>
      (role === 'candidate' || role === 'leader') && votedFor !== id
        ? `${id} is ${role} and voted for ${votedFor}`
        : null,
    'only a leader holds a lease, serves followers or awaits a successor': (state) =>
      state.role === 'leader' ||
      (state.leaseUntilMs === null && state.successor === null && Object.keys(state.followers).length === 0)
        ? null
        : `${state.id} is ${state.role}`,
    'what is committed is in the log, and what is compacted is committed': ({ id, log, commitIndex }) =>
      log.snapshot.index <= commitIndex && commitIndex <= lastIndex(log)
        ? null
        : `${id} committed ${commitIndex} with a log from ${log.snapshot.index} to ${lastIndex(log)}`,
    'no entry is of a later term than its node': ({ id, log, currentTerm }) =>
      lastTerm(log) <= currentTerm
        ? null
        : `${id} is in term ${currentTerm} and has an entry of ${lastTerm(log)}`,
  },
  ofTwoStates: {
    'terms never go back': (before, after) =>
      after.currentTerm >= before.currentTerm
        ? null
        : `${after.id} went from term ${before.currentTerm} to ${after.currentTerm}`,
    'a vote is given at most once in a term': (before, after) =>
      after.currentTerm === before.currentTerm &&
      before.votedFor !== null &&
      after.votedFor !== before.votedFor
        ? `${after.id} voted for ${before.votedFor} and then for ${after.votedFor} in term ${after.currentTerm}`
        : null,
    'a committed entry never changes, nor is it lost': (before, after) =>
      after.log === before.log ? null : changeOfCommitted(before, after),
    'a leader only appends to its log': (before, after) =>
      after.log === before.log || before.role !== 'leader' || after.role !== 'leader'
        ? null
        : changeThrough(before, after, lastIndex(before.log)),
    'a node that its own membership leaves out begins no Leadership': (before, after) =>
      before.leaseUntilMs === null && after.leaseUntilMs !== null && !isVoter(after.membership, after.id)
        ? `${after.id} leads, but ${after.membership.voters.join(', ')} vote`
        : null,
    'whoever begins to lead was a candidate for that term': (before, after) =>
      after.role !== 'leader' || before.role === 'leader' || becameLeaderFairly(before, after)
        ? null
        : `${after.id} went from ${before.role} in term ${before.currentTerm} to leader in ${after.currentTerm}`,
  },
  always: {
    'at most one leader in a term': findSecondLeaderOfTerm,
    'logs that agree on an entry agree on all before it': findLogMismatch,
    'committed entries agree': findCommittedMismatch,
    'a leader has every committed entry': findIncompleteLeader,
  },
  concernsAll: (before, after) =>
    after.role !== before.role ||
    after.currentTerm !== before.currentTerm ||
    after.log !== before.log ||
    after.commitIndex !== before.commitIndex,
  eventually: {
    'every member that runs has every committed entry': findLaggard,
  },
};

/** A voter alone, and one that pre-votes with it, passes through candidacy within a step. */
function becameLeaderFairly(before: RaftState, after: RaftState): boolean {
  if (before.role === 'candidate') return before.currentTerm === after.currentTerm;
  return after.currentTerm === before.currentTerm + 1;
}

function changeOfCommitted(before: RaftState, after: RaftState): Finding {
  return changeThrough(before, after, before.commitIndex);
}

function changeThrough(before: RaftState, after: RaftState, index: number): Finding {
  if (index <= after.log.snapshot.index || termAt(before.log, index) === termAt(after.log, index))
    return null;
  return `${after.id} changed its entry ${index}`;
}

/** Election safety (§5.2). */
function findSecondLeaderOfTerm(nodes: readonly View[]): Finding {
  for (let a = 0; a < nodes.length; a += 1) {
    const first = nodes[a]!.state;
    if (first.role !== 'leader') continue;
    for (let b = a + 1; b < nodes.length; b += 1) {
      const second = nodes[b]!.state;
      if (second.role === 'leader' && second.currentTerm === first.currentTerm) {
        return `${first.id} and ${second.id} both lead term ${first.currentTerm}`;
      }
    }
  }
  return null;
}

/** The logs of a run that were compared last. They are immutable, so only one that is new need be compared again. */
const compared = new WeakMap<readonly View[], Log[]>();

/** Log matching (§5.3). */
function findLogMismatch(nodes: readonly View[]): Finding {
  let logs = compared.get(nodes);
  if (logs === undefined) {
    logs = [];
    compared.set(nodes, logs);
  }
  for (let position = 0; position < nodes.length; position += 1) {
    const { id, state } = nodes[position]!;
    if (logs[position] === state.log) continue;
    for (const other of nodes) {
      const finding = compare(state.log, other.state.log);
      if (finding !== null) return `${id} and ${other.id} ${finding}`;
    }
    logs[position] = state.log;
  }
  return null;
}

/** Below the last index at which the terms agree, everything must. */
function compare(a: Log, b: Log): Finding {
  const from = Math.max(a.snapshot.index, b.snapshot.index);
  let index = Math.min(lastIndex(a), lastIndex(b));
  while (index > from && termAt(a, index) !== termAt(b, index)) index -= 1;
  for (; index > from; index -= 1) {
    if (!isSameEntry(a, b, index)) return `agree on a later entry but not on ${index}`;
  }
  return null;
}

function isSameEntry(a: Log, b: Log, index: number): boolean {
  const first = entryAt(a, index);
  const second = entryAt(b, index);
  if (first === second) return true;
  return first?.term === second?.term && JSON.stringify(first) === JSON.stringify(second);
}

/** State machine safety (§5.4.3): compared with whoever has committed most. */
function findCommittedMismatch(nodes: readonly View[]): Finding {
  let most = nodes[0];
  for (const node of nodes) if (node.state.commitIndex > (most?.state.commitIndex ?? 0)) most = node;
  if (most === undefined) return null;
  for (const { id, state } of nodes) {
    const finding = lacks(most.state.log, state);
    if (finding !== null) return `${most.id} and ${id} differ: ${finding}`;
  }
  return null;
}

/** Leader completeness (§5.4.3). */
function findIncompleteLeader(nodes: readonly View[]): Finding {
  for (const leader of nodes) {
    if (leader.state.role !== 'leader') continue;
    for (const { id, state } of nodes) {
      if (state.currentTerm > leader.state.currentTerm) continue; // It leads no longer, but does not know.
      const finding = lacks(leader.state.log, state);
      if (finding !== null) return `${leader.id} leads without what ${id} has committed: ${finding}`;
    }
  }
  return null;
}

/** By log matching, the last committed entry stands for all before it. */
function lacks(log: Log, { log: other, commitIndex }: RaftState): Finding {
  if (log === other || commitIndex <= log.snapshot.index) return null;
  const term = termAt(other, commitIndex);
  const found = termAt(log, commitIndex);
  return term === found ? null : `entry ${commitIndex} of term ${term} is of term ${found}`;
}

function findLaggard(nodes: readonly View[]): Finding {
  const leader = nodes.find(({ running, leading }) => running && leading);
  if (leader === undefined) return 'nobody leads';
  const { commitIndex, membership } = leader.state;
  const laggard = nodes.find(
    ({ id, running, state }) => running && isMember(membership, id) && state.commitIndex !== commitIndex,
  );
  return laggard === undefined
    ? null
    : `${laggard.id} has committed ${laggard.state.commitIndex} of ${commitIndex}`;
}
