/** Followers: they accept what the leader of their term sends, and notice when it is gone. */

import type { NodeId, StepDownReason } from '@hustings/elector';
import { andThen, announce, cancelTimer, followNobody, send } from '@hustings/elector/protocol';
import { conflictIndex, install, matches, merge } from '../log.js';
import type { RaftMessage } from '../messages.js';
import { change, isEligible, type RaftState } from '../state.js';
import { electionTimer, type RaftEffect, type RaftTransition, withLog } from '../transition.js';
import { bindingTo } from './certificates.js';
import { commitThrough } from './commit.js';

type Append = Extract<RaftMessage, { type: 'append' | 'heartbeat' }>;
type Reply = Extract<RaftMessage, { type: 'append-reply' | 'heartbeat-reply' }>;
type InstallSnapshot = Extract<RaftMessage, { type: 'snapshot' }>;

/**
 * Steps back into the ranks, in this term or a later one (§5.1). A leader's Leadership ends here, before
 * anything else is said or done; `reason` tells why. A candidate goes on standing.
 */
export function becomeFollower(
  state: RaftState,
  term: number,
  leaderId: NodeId | null,
  reason: StepDownReason = 'deposed',
): RaftTransition {
  const follower = change(state, {
    role: 'follower',
    currentTerm: term,
    votedFor: term > state.currentTerm ? null : state.votedFor,
    leaderId,
    standing: state.standing && state.role !== 'leader',
    votes: [],
    followers: {},
    leaseUntilMs: null,
    successor: null,
  });
  return [follower, [...leaveOffice(state, reason), ...changeOfBelief(state, follower)]];
}

function leaveOffice(state: RaftState, reason: StepDownReason): RaftEffect[] {
  if (state.role !== 'leader') return []; // The timer that runs goes on (Figure 2).
  return [
    // Whatever ends the office of a leader that was asked to resign, it has resigned. A caretaker held none.
    ...(state.standing
      ? [{ type: 'step-down' as const, reason: state.successor === null ? reason : 'resigned' }]
      : []),
    cancelTimer('heartbeat'),
    cancelTimer('quorum'),
    cancelTimer('transfer'),
    electionTimer(state),
  ];
}

function changeOfBelief(before: RaftState, { leaderId, currentTerm }: RaftState): RaftEffect[] {
  if (leaderId !== null) return [{ type: 'follow', leaderId, token: BigInt(currentTerm) }];
  const believedInNobody =
    before.role === 'leader' || (before.role === 'follower' && before.leaderId === null);
  return believedInNobody ? [] : [followNobody];
}

/** A leader of the current term has spoken: this node follows it, and is bound to it for a while. */
function followLeader(state: RaftState, leaderId: NodeId, nowMs: number): RaftTransition {
  if (state.leaderId === leaderId) {
    return [change(state, bindingTo(state, leaderId, nowMs)), [electionTimer(state)]];
  }
  return andThen(becomeFollower(state, state.currentTerm, leaderId), (follower) => [
    change(follower, bindingTo(follower, leaderId, nowMs)),
    [electionTimer(state)],
  ]);
}

/** AppendEntries (Figure 2), with or without entries. */
export function onAppend(state: RaftState, from: NodeId, message: Append, nowMs: number): RaftTransition {
  const type = message.type === 'append' ? 'append-reply' : 'heartbeat-reply';
  if (message.term < state.currentTerm) return refuseTerm(state, from);
  const following = followLeader(state, from, nowMs);
  const { previousIndex, previousTerm } = message;
  if (!matches(state.log, previousIndex, previousTerm)) {
    const retryIndex = conflictIndex(state.log, previousIndex, state.commitIndex);
    return andThen(following, (follower) => [
      follower,
      [send(from, acknowledge(type, follower, message, false, retryIndex))],
    ]);
  }
  const entries = message.type === 'append' ? message.entries : [];
  // Beyond the last entry of this message the log may differ from the leader's.
  const matchIndex = previousIndex + entries.length;
  return andThen(
    following,
    (follower) => [
      withLog(follower, merge(follower.log, entries)),
      [send(from, acknowledge(type, follower, message, true, matchIndex))],
    ],
    (follower) => commitThrough(follower, Math.min(message.commitIndex, matchIndex)),
  );
}

/** InstallSnapshot (§7). */
export function onSnapshot(
  state: RaftState,
  from: NodeId,
  message: InstallSnapshot,
  nowMs: number,
): RaftTransition {
  if (message.term < state.currentTerm) return refuseTerm(state, from);
  const { snapshot } = message;
  const { index, term, data } = snapshot;
  const reply = (follower: RaftState): RaftEffect =>
    send(from, acknowledge('append-reply', follower, message, true, index));
  return andThen(followLeader(state, from, nowMs), (follower) =>
    index <= follower.commitIndex
      ? [follower, [reply(follower)]]
      : [
          change(withLog(follower, install(follower.log, snapshot)), { commitIndex: index }),
          [reply(follower), announce({ type: 'restored', index, term, data })],
        ],
  );
}

/** Whoever sent this leads no longer, but may lead a later term, in which it must not take this for an answer. */
function refuseTerm(state: RaftState, from: NodeId): RaftTransition {
  return [state, [send(from, { type: 'stale-term', term: state.currentTerm })]];
}

function acknowledge(
  type: Reply['type'],
  state: RaftState,
  { sentMs }: { readonly sentMs: number },
  accepted: boolean,
  index: number,
): Reply {
  return { type, term: state.currentTerm, sentMs, accepted, index, available: isEligible(state) };
}

/** No leader has been heard for an election timeout, and this node cannot take its place. */
export function loseLeader(state: RaftState): RaftTransition {
  return [
    change(state, { leaderId: null }),
    state.leaderId === null ? [electionTimer(state)] : [followNobody, electionTimer(state)],
  ];
}
