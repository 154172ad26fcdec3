/** Voters: every node is one, whatever else it is. */

import type { NodeId } from '@hustings/elector';
import { andThen, send } from '@hustings/elector/protocol';
import { isUpToDate } from '../log.js';
import { isMember } from '../membership.js';
import type { RaftMessage } from '../messages.js';
import { boundMs, change, type RaftState } from '../state.js';
import { electionTimer, type RaftTransition } from '../transition.js';
import { release } from './certificates.js';
import { becomeFollower } from './follower.js';
import { tellRemoved } from './leader.js';

type PreVoteRequest = Extract<RaftMessage, { type: 'pre-vote-request' }>;
type VoteRequest = Extract<RaftMessage, { type: 'vote-request' }>;

/**
 * Would this node vote so? Answering changes nothing, however often it is asked (thesis §9.6). To whoever is bound,
 * the leader is well, and the question not worth an answer.
 */
export function onPreVoteRequest(
  before: RaftState,
  from: NodeId,
  { term, lastIndex, lastTerm, gone }: PreVoteRequest,
  nowMs: number,
): RaftTransition {
  const state = release(before, gone);
  // Not to one whose term is later: it would refuse, and depose the leader.
  const isStranger = state.role === 'leader' && !isMember(state.membership, from);
  if (isStranger && term <= state.currentTerm + 1) return tellRemoved(state, from, lastIndex, nowMs);
  if (boundMs(state, nowMs) > 0) return [state, []];
  const lacksNothing = isUpToDate(state.log, lastIndex, lastTerm);
  const granted = term > state.currentTerm && lacksNothing;
  const answer: RaftMessage = granted
    ? { type: 'pre-vote-reply', term, granted }
    : { type: 'pre-vote-reply', term: state.currentTerm, granted };
  return [lacksNothing ? state : refuseStaleLog(state), [send(from, answer)]];
}

/** A candidate lacks entries that this node has. If this node does not stand, it must see to it that they get there. */
function refuseStaleLog(state: RaftState): RaftState {
  return state.standing || state.caretaker ? state : change(state, { caretaker: true });
}

/**
 * RequestVote (Figure 2), unless a leader may still hold a lease (thesis §4.2.3). Then not even the term is taken over:
 * a node that was cut off must not depose a leader that is well.
 */
export function onVoteRequest(
  before: RaftState,
  from: NodeId,
  message: VoteRequest,
  nowMs: number,
): RaftTransition {
  const state = release(before, message.gone);
  if (!message.transfer && boundMs(state, nowMs) > 0) return [state, []];
  if (message.term > state.currentTerm) {
    return andThen(becomeFollower(state, message.term, null), (follower) => vote(follower, from, message));
  }
  return vote(state, from, message);
}

/** At most one vote in a term, first come first served (§5.2), and only for a log that lacks nothing (§5.4.1). */
function vote(state: RaftState, from: NodeId, { term, lastIndex, lastTerm }: VoteRequest): RaftTransition {
  const lacksNothing = isUpToDate(state.log, lastIndex, lastTerm);
  const granted =
    term === state.currentTerm && (state.votedFor === null || state.votedFor === from) && lacksNothing;
  const reply = send(from, { type: 'vote-reply', term: state.currentTerm, granted });
  if (granted) return [change(state, { votedFor: from }), [electionTimer(state), reply]];
  return [lacksNothing ? state : refuseStaleLog(state), [reply]];
}
