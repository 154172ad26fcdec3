/** Candidates: they ask whether they could win, then begin a term and ask for votes. */

import type { NodeId } from '@hustings/elector';
import { andThen, followNobody, send, setTimer } from '@hustings/elector/protocol';
import { lastIndex, lastTerm } from '../log.js';
import { isMajority } from '../membership.js';
import type { RaftMessage } from '../messages.js';
import { boundMs, change, isEligible, mayRun, type RaftState } from '../state.js';
import { electionTimer, type RaftEffect, type RaftTransition } from '../transition.js';
import { loseLeader } from './follower.js';
import { becomeLeader } from './leader.js';

type TimeoutNow = Extract<RaftMessage, { type: 'timeout-now' }>;

/** The leader has been silent, or the last election undecided, for an election timeout (§5.2). */
export function onElectionTimeout(state: RaftState, nowMs: number): RaftTransition {
  if (!mayRun(state)) return loseLeader(state);
  // A node that is bound does not vote, for itself as little as for others. Timers come up early, if by a trifle.
  const leftMs = boundMs(state, nowMs);
  if (leftMs > 0) return [state, [setTimer('election', Math.ceil(leftMs))]];
  return state.settings.preVote ? becomePreCandidate(state, nowMs) : campaign(state, false, nowMs);
}

/**
 * The leader has stepped down in this node's favour: no need to wait, nor to ask beforehand (thesis §3.10). Only the
 * leader of a term sends this, and leads no longer when it does. So any node that is still in that term may act on
 * it, also one that has stopped following, or has restarted.
 */
export function onTimeoutNow(state: RaftState, { term }: TimeoutNow, nowMs: number): RaftTransition {
  if (term !== state.currentTerm || !isEligible(state)) return [state, []];
  return campaign(change(state, { boundSinceMs: null }), true, nowMs);
}

function becomePreCandidate(state: RaftState, nowMs: number): RaftTransition {
  const preCandidate = change(state, { role: 'pre-candidate', leaderId: null, votes: [state.id] });
  const request: RaftMessage = {
    type: 'pre-vote-request',
    term: state.currentTerm + 1,
    lastIndex: lastIndex(state.log),
    lastTerm: lastTerm(state.log),
    ...certificateOf(state),
  };
  const effects: RaftEffect[] = [...seekOffice(state), ...toOtherVoters(state, request), askAgain(state)];
  return andThen([preCandidate, effects], (asked) => countPreVotes(asked, nowMs));
}

/** Asking changes nothing, so it may be repeated soon: questions and answers get lost. */
function askAgain({ settings: { heartbeatMs } }: RaftState): RaftEffect {
  return setTimer('election', [heartbeatMs, 2 * heartbeatMs]);
}

/** Becomes a candidate straight away. */
function campaign(state: RaftState, transfer: boolean, nowMs: number): RaftTransition {
  return andThen([state, seekOffice(state)], (follower) => becomeCandidate(follower, transfer, nowMs));
}

/** What the application hears: a caretaker seeks a term, but no office. */
function seekOffice(state: RaftState): RaftEffect[] {
  if (state.standing) return [{ type: 'campaign' }];
  return state.leaderId === null ? [] : [followNobody];
}

/** Begins a term, votes for itself in it, and asks the others (§5.2). */
function becomeCandidate(state: RaftState, transfer: boolean, nowMs: number): RaftTransition {
  const candidate = change(state, {
    role: 'candidate',
    currentTerm: state.currentTerm + 1,
    votedFor: state.id,
    leaderId: null,
    votes: [state.id],
  });
  const request: RaftMessage = {
    type: 'vote-request',
    term: candidate.currentTerm,
    lastIndex: lastIndex(state.log),
    lastTerm: lastTerm(state.log),
    transfer,
    ...certificateOf(state),
  };
  const effects = [...toOtherVoters(candidate, request), electionTimer(candidate)];
  return andThen([candidate, effects], (asked) => countVotes(asked, nowMs));
}

/** Only grants come here: a refusal teaches its term, and nothing else (step.ts). */
export function onPreVoteReply(
  state: RaftState,
  from: NodeId,
  { term }: Extract<RaftMessage, { type: 'pre-vote-reply' }>,
  nowMs: number,
): RaftTransition {
  const counts = state.role === 'pre-candidate' && term === state.currentTerm + 1;
  return counts ? countPreVotes(withVote(state, from), nowMs) : [state, []];
}

export function onVoteReply(
  state: RaftState,
  from: NodeId,
  { term, granted }: Extract<RaftMessage, { type: 'vote-reply' }>,
  nowMs: number,
): RaftTransition {
  const counts = state.role === 'candidate' && granted && term === state.currentTerm;
  return counts ? countVotes(withVote(state, from), nowMs) : [state, []];
}

function withVote(state: RaftState, voter: NodeId): RaftState {
  return state.votes.includes(voter) ? state : change(state, { votes: [...state.votes, voter] });
}

function countPreVotes(state: RaftState, nowMs: number): RaftTransition {
  return isMajority(state.membership, state.votes) ? becomeCandidate(state, false, nowMs) : [state, []];
}

function countVotes(state: RaftState, nowMs: number): RaftTransition {
  return isMajority(state.membership, state.votes) ? becomeLeader(state, nowMs) : [state, []];
}

/** What has freed this node frees those who do not know it yet. */
const certificateOf = ({ certificate }: RaftState) => (certificate === null ? {} : { gone: certificate });

function toOtherVoters({ membership, id }: RaftState, message: RaftMessage): RaftEffect[] {
  return membership.voters.filter((voter) => voter !== id).map((voter) => send(voter, message));
}
