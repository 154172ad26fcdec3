/** Voters: every node is one, whatever else it is. */

import type { NodeId } from '@hustings/elector';
import { andThen, send } from '@hustings/elector/protocol';
import { isUpToDate } from '../log.js';
import { isMember } from '../membership.js';
import type { RaftMessage } from '../messages.js';
import { boundForMs, change, noticeMs, type RaftState } from '../state.js';
import { electionTimer, type RaftTransition } from '../transition.js';
import { bindingTo, release } from './certificates.js';
import { becomeFollower } from './follower.js';
import { tellRemoved } from './leader.js';

type PreVoteRequest = Extract<RaftMessage, { type: 'pre-vote-request' }>;
type VoteRequest = Extract<RaftMessage, { type: 'vote-request' }>;

/** Until when a leader may hold a lease that this node has acknowledged: it helps nobody else into office before. */
export function boundUntilMs({ role, leaseUntilMs, boundSinceMs, settings }: RaftState): number {
  if (role === 'leader') return leaseUntilMs ?? Number.NEGATIVE_INFINITY;
  return boundSinceMs === null ? Number.NEGATIVE_INFINITY : boundSinceMs + boundForMs(settings);
}

/**
 * Whether this node would neither vote nor promise its vote. A leader promises nothing: while its lease runs, it is
 * well itself.
 */
function isTaken({ role, settings }: RaftState, boundMs: number): boolean {
  return boundMs > (role === 'leader' ? 0 : noticeMs(settings));
}

function freeInMs(state: RaftState, nowMs: number): number {
  return Math.max(0, boundUntilMs(state) - nowMs);
}

/**
 * Would this node vote so? Answering changes nothing, however often it is asked (thesis §9.6). To whoever would
 * not even promise its vote, the leader is well, and the question not worth an answer.
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
  if (isTaken(state, freeInMs(state, nowMs))) return [state, []];
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

/** RequestVote (Figure 2), unless a leader may still hold a lease (thesis §4.2.3). */
export function onVoteRequest(
  before: RaftState,
  from: NodeId,
  message: VoteRequest,
  nowMs: number,
): RaftTransition {
  const state = release(before, message.gone);
  const boundMs = message.transfer ? 0 : freeInMs(state, nowMs);
  if (isTaken(state, boundMs)) return ignoreCandidate(state, message.term);
  if (message.term > state.currentTerm) {
    return andThen(becomeFollower(state, message.term, null), (follower) =>
      vote(follower, from, message, boundMs, nowMs),
    );
  }
  return vote(state, from, message, boundMs, nowMs);
}

/**
 * Where there is a leader, not even the term is taken over: a node that was cut off must not depose one that is well.
 * Whoever is bound by its vote alone takes it over, or it would later stand in a term that is spent already.
 */
function ignoreCandidate(state: RaftState, term: number): RaftTransition {
  const learns = state.leaderId === null && term > state.currentTerm;
  return learns ? becomeFollower(state, term, null) : [state, []];
}

/**
 * At most one vote in a term, first come first served (§5.2), and only for a log that lacks nothing (§5.4.1). It
 * may be the one that elects, so it binds like a leader's word. While the voter is bound to another, it is a promise:
 * given and on disk, but not to be counted before.
 */
function vote(
  state: RaftState,
  from: NodeId,
  { term, lastIndex, lastTerm }: VoteRequest,
  boundMs: number,
  nowMs: number,
): RaftTransition {
  const lacksNothing = isUpToDate(state.log, lastIndex, lastTerm);
  const granted =
    term === state.currentTerm && (state.votedFor === null || state.votedFor === from) && lacksNothing;
  const boundForMs = granted ? inTenths(boundMs) : 0;
  const reply = send(from, { type: 'vote-reply', term: state.currentTerm, granted, boundForMs });
  if (granted)
    return [
      change(state, { votedFor: from, ...bindingTo(state, from, nowMs) }),
      [electionTimer(state), reply],
    ];
  return [lacksNothing ? state : refuseStaleLog(state), [reply]];
}

/** Rounded up, as traces are read by people. */
const inTenths = (ms: number): number => Math.ceil(ms * 10) / 10;
