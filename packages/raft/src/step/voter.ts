/** Voters: every node is one, whatever else it is. */

import type { NodeId } from '@hustings/elector';
import { isUpToDate } from '../log.js';
import type { RaftMessage } from '../messages.js';
import { boundForMs, type RaftState } from '../state.js';
import { andThen, electionTimer, type RaftTransition, send } from '../transition.js';
import { becomeFollower } from './follower.js';

type PreVoteRequest = Extract<RaftMessage, { type: 'pre-vote-request' }>;
type VoteRequest = Extract<RaftMessage, { type: 'vote-request' }>;

/** Whether a leader may hold a lease that this node has acknowledged: then it helps nobody else into office. */
export function isBound(state: RaftState, nowMs: number): boolean {
  return boundUntilMs(state) > nowMs;
}

export function boundUntilMs({ role, leaseUntilMs, boundSinceMs, settings }: RaftState): number {
  if (role === 'leader') return leaseUntilMs ?? Number.NEGATIVE_INFINITY;
  return boundSinceMs === null ? Number.NEGATIVE_INFINITY : boundSinceMs + boundForMs(settings);
}

/**
 * Would this node vote so? Answering changes nothing, however often it is asked (thesis §9.6). Whoever is bound
 * to a leader that has fallen silent says from when on; to anyone else who is bound, the leader is well, and the
 * question not worth an answer.
 */
export function onPreVoteRequest(
  state: RaftState,
  from: NodeId,
  { term, lastIndex, lastTerm }: PreVoteRequest,
  nowMs: number,
): RaftTransition {
  const freeInMs = Math.max(0, boundUntilMs(state) - nowMs);
  if (freeInMs > state.settings.heartbeatMs) return [state, []];
  const lacksNothing = isUpToDate(state.log, lastIndex, lastTerm);
  const granted = term > state.currentTerm && lacksNothing;
  const answer: RaftMessage = granted
    ? { type: 'pre-vote-reply', term, granted, boundForMs: inTenths(freeInMs) }
    : { type: 'pre-vote-reply', term: state.currentTerm, granted, boundForMs: 0 };
  return [lacksNothing ? state : refuseStaleLog(state), [send(from, answer)]];
}

/** Rounded up, as traces are read by people. */
const inTenths = (ms: number): number => Math.ceil(ms * 10) / 10;

/** A candidate lacks entries that this node has. If this node does not stand, it must see to it that they get there. */
function refuseStaleLog(state: RaftState): RaftState {
  const isNeeded = state.role === 'follower' && !state.standing && !state.caretaker;
  return isNeeded ? { ...state, caretaker: true } : state;
}

/** RequestVote (Figure 2), unless a leader may still hold a lease (thesis §4.2.3). */
export function onVoteRequest(
  state: RaftState,
  from: NodeId,
  message: VoteRequest,
  nowMs: number,
): RaftTransition {
  // Not even the term is taken over: a node that was cut off must not depose a leader that is well.
  if (!message.transfer && isBound(state, nowMs)) return [state, []];
  if (message.term > state.currentTerm) {
    return andThen(becomeFollower(state, message.term, null), (follower) =>
      vote(follower, from, message, nowMs),
    );
  }
  return vote(state, from, message, nowMs);
}

/**
 * At most one vote in a term, first come first served (§5.2), and only for a log that lacks nothing (§5.4.1). It
 * may be the one that elects, so it binds like a leader's word.
 */
function vote(
  state: RaftState,
  from: NodeId,
  { term, lastIndex, lastTerm }: VoteRequest,
  nowMs: number,
): RaftTransition {
  const lacksNothing = isUpToDate(state.log, lastIndex, lastTerm);
  const granted =
    term === state.currentTerm && (state.votedFor === null || state.votedFor === from) && lacksNothing;
  const reply = send(from, { type: 'vote-reply', term: state.currentTerm, granted });
  if (granted) return [{ ...state, votedFor: from, boundSinceMs: nowMs }, [electionTimer(state), reply]];
  return [lacksNothing ? state : refuseStaleLog(state), [reply]];
}
