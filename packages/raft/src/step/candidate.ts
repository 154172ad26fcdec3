/** Candidates: they ask whether they could win, then begin a term and ask for votes. */

import type { NodeId } from '@hustings/elector';
import { lastIndex, lastTerm } from '../log.js';
import { isMajority } from '../membership.js';
import type { RaftMessage } from '../messages.js';
import { isEligible, mayRun, type RaftState } from '../state.js';
import {
  andThen,
  electionTimer,
  followNobody,
  type RaftEffect,
  type RaftTransition,
  send,
  setTimer,
} from '../transition.js';
import { loseLeader } from './follower.js';
import { becomeLeader } from './leader.js';
import { boundUntilMs } from './voter.js';

type TimeoutNow = Extract<RaftMessage, { type: 'timeout-now' }>;

/** The leader has been silent, or the last election undecided, for an election timeout (§5.2). */
export function onElectionTimeout(state: RaftState, nowMs: number): RaftTransition {
  if (!mayRun(state)) return loseLeader(state);
  if (state.role === 'candidate' && state.askedMs === null) return askForVotes(state, false, nowMs);
  return state.settings.preVote ? becomePreCandidate(state, nowMs) : campaign(state, false, nowMs);
}

/** The leader has stepped down in this node's favour: no need to wait, nor to ask beforehand (thesis §3.10). */
export function onTimeoutNow(
  state: RaftState,
  from: NodeId,
  { term }: TimeoutNow,
  nowMs: number,
): RaftTransition {
  const fromLeader = state.role === 'follower' && state.leaderId === from && term === state.currentTerm;
  return fromLeader && isEligible(state) ? campaign(state, true, nowMs) : [state, []];
}

function becomePreCandidate(state: RaftState, nowMs: number): RaftTransition {
  const preCandidate: RaftState = {
    ...state,
    role: 'pre-candidate',
    leaderId: null,
    votes: [state.id],
    freeFromMs: Math.max(nowMs, boundUntilMs(state)),
  };
  const request: RaftMessage = {
    type: 'pre-vote-request',
    term: state.currentTerm + 1,
    lastIndex: lastIndex(state.log),
    lastTerm: lastTerm(state.log),
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

/** Begins a term, and votes for itself in it (§5.2). */
function becomeCandidate(state: RaftState, transfer: boolean, nowMs: number): RaftTransition {
  const candidate: RaftState = {
    ...state,
    role: 'candidate',
    currentTerm: state.currentTerm + 1,
    votedFor: state.id,
    leaderId: null,
    votes: [state.id],
    askedMs: null,
  };
  // Until its voters are free, and it is itself, its own vote has time to reach the disk.
  const waitMs = state.role === 'pre-candidate' ? state.freeFromMs - nowMs : 0;
  return waitMs > 0
    ? [candidate, [setTimer('election', [waitMs, waitMs])]]
    : askForVotes(candidate, transfer, nowMs);
}

function askForVotes(state: RaftState, transfer: boolean, nowMs: number): RaftTransition {
  const candidate: RaftState = { ...state, boundSinceMs: null, askedMs: nowMs };
  const request: RaftMessage = {
    type: 'vote-request',
    term: candidate.currentTerm,
    lastIndex: lastIndex(state.log),
    lastTerm: lastTerm(state.log),
    transfer,
  };
  const effects = [...toOtherVoters(candidate, request), electionTimer(candidate)];
  return andThen([candidate, effects], (asked) => countVotes(asked, nowMs));
}

/** A refusal in a later term never comes here: step.ts has made a follower of the node. */
export function onPreVoteReply(
  state: RaftState,
  from: NodeId,
  { term, granted, boundForMs }: Extract<RaftMessage, { type: 'pre-vote-reply' }>,
  nowMs: number,
): RaftTransition {
  const counts = state.role === 'pre-candidate' && granted && term === state.currentTerm + 1;
  if (!counts) return [state, []];
  const freeFromMs = Math.max(state.freeFromMs, nowMs + boundForMs);
  return countPreVotes({ ...withVote(state, from), freeFromMs }, nowMs);
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
  return state.votes.includes(voter) ? state : { ...state, votes: [...state.votes, voter] };
}

function countPreVotes(state: RaftState, nowMs: number): RaftTransition {
  return hasMajority(state) ? becomeCandidate(state, false, nowMs) : [state, []];
}

function countVotes(state: RaftState, nowMs: number): RaftTransition {
  return hasMajority(state) ? becomeLeader(state, nowMs) : [state, []];
}

function hasMajority({ membership, votes }: RaftState): boolean {
  return isMajority(membership, votes);
}

function toOtherVoters({ membership, id }: RaftState, message: RaftMessage): RaftEffect[] {
  return membership.voters.filter((voter) => voter !== id).map((voter) => send(voter, message));
}
