/** What an application may ask for beside leading: entries, changes of membership, and shorter logs. */

import type { NodeId } from '@hustings/elector';
import { andThen, announce } from '@hustings/elector/protocol';
import { compact, type Entry, lastIndex, termAt } from '../log.js';
import { changeMembership, isMember, isVoter, type MembershipChange } from '../membership.js';
import type { RaftRequest, RefusalReason } from '../messages.js';
import { isPresent, type RaftState } from '../state.js';
import { type RaftTransition, withLog } from '../transition.js';
import { appendEntry } from './leader.js';

export function onRequest(state: RaftState, request: RaftRequest, nowMs: number): RaftTransition {
  switch (request.type) {
    case 'propose':
      return propose(state, request.id, { type: 'data', data: request.data }, nowMs);
    case 'snapshot':
      return takeSnapshot(state, request);
    default:
      return requestChange(state, request, nowMs);
  }
}

type Proposal =
  | Pick<Extract<Entry, { type: 'data' }>, 'type' | 'data'>
  | Pick<Extract<Entry, { type: 'membership' }>, 'type' | 'membership'>;

function propose(state: RaftState, id: string, proposal: Proposal, nowMs: number): RaftTransition {
  if (state.role !== 'leader') return refuse(state, id, 'not-leader');
  if (state.successor !== null) return refuse(state, id, 'resigning');
  if (proposal.type === 'data' && isOverfull(state)) return refuse(state, id, 'too-many-uncommitted');
  const index = lastIndex(state.log) + 1;
  const term = state.currentTerm;
  return andThen([state, [announce({ type: 'accepted', id, index, term })]], (leader) =>
    appendEntry(leader, { index, term, ...proposal }, nowMs),
  );
}

/** Changes of membership are let through: they may be the cure. */
function isOverfull({ log, commitIndex, settings }: RaftState): boolean {
  return lastIndex(log) - commitIndex >= settings.maxUncommittedEntries;
}

function refuse(state: RaftState, id: string, reason: RefusalReason): RaftTransition {
  return [state, [announce({ type: 'refused', id, reason, leaderId: state.leaderId })]];
}

function requestChange(
  state: RaftState,
  { type, id, node }: { readonly type: MembershipChange; readonly id: string; readonly node: NodeId },
  nowMs: number,
): RaftTransition {
  const objection = state.role === 'leader' ? objectionTo(state, type, node, nowMs) : 'not-leader';
  if (objection !== null) return refuse(state, id, objection);
  const membership = changeMembership(state.membership, type, node);
  return propose(state, id, { type: 'membership', membership }, nowMs);
}

function objectionTo(
  state: RaftState,
  change: MembershipChange,
  node: NodeId,
  nowMs: number,
): RefusalReason | null {
  const { membership, membershipIndex, commitIndex, currentTerm, log } = state;
  // One change at a time; and none before this term has committed an entry, or a majority of the former
  // membership and one of the next could miss each other (thesis §4.1, and its correction of 2015).
  if (termAt(log, commitIndex) !== currentTerm) return 'term-not-begun';
  if (membershipIndex > commitIndex) return 'change-pending';
  switch (change) {
    case 'add-learner':
      return isMember(membership, node) ? 'no-change' : null;
    case 'promote':
      return membership.learners.includes(node) ? objectionToVoter(state, node, nowMs) : 'no-change';
    case 'remove':
      if (!isMember(membership, node)) return 'no-change';
      return isVoter(membership, node) && membership.voters.length === 1 ? 'last-voter' : null;
  }
}

/** Whoever gets a vote must be able to use it, or the majority grows and those who answer do not (thesis §4.2.1). */
function objectionToVoter(state: RaftState, learner: NodeId, nowMs: number): RefusalReason | null {
  const progress = state.followers[learner]!; // No learner leads, and a leader keeps track of every other member.
  if (progress.matchIndex < state.commitIndex) return 'not-caught-up';
  return isPresent(state, progress, nowMs) ? null : 'silent';
}

/** Any node may shorten its own log, as far as it is committed (§7). */
function takeSnapshot(
  state: RaftState,
  { index, data }: Extract<RaftRequest, { type: 'snapshot' }>,
): RaftTransition {
  if (index <= state.log.snapshot.index || index > state.commitIndex) return [state, []];
  return [withLog(state, compact(state.log, index, data)), []];
}
