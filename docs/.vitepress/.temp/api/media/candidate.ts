/** Candidates: they ask whether they could win, then begin a term and ask for votes. */

import type { NodeId } from '@hustings/elector';
import { andThen, followNobody, send, setTimer } from '@hustings/elector/protocol';
import { lastIndex, lastTerm } from '../log.js';
import { isMajority, readyByMajority } from '../membership.js';
import type { RaftMessage } from '../messages.js';
import { change, isEligible, mayRun, type RaftState, waitOutMs } from '../state.js';
import { electionTimer, type RaftEffect, type RaftTransition } from '../transition.js';
import { loseLeader } from './follower.js';
import { becomeLeader } from './leader.js';
import { boundUntilMs } from './voter.js';

type TimeoutNow = Extract<RaftMessage, { type: 'timeout-now' }>;

/** The leader has been silent, or the last election undecided, for an election timeout (§5.2). */
export function onElectionTimeout(state: RaftState, nowMs: number): RaftTransition {
  if (!mayRun(state)) return loseLeader(state);
  if (state.role === 'candidate' && hasMajority(state)) return takeOffice(state, nowMs);
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
  const preCandidate = change(state, {
    role: 'pre-candidate',
    leaderId: null,
    votes: { [state.id]: nowMs },
  });
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

/** Begins a term, and votes for itself in it (§5.2). Its own vote counts as the others' do: when it is free. */
function becomeCandidate(state: RaftState, transfer: boolean, nowMs: number): RaftTransition {
  const candidate = change(state, {
    role: 'candidate',
    currentTerm: state.currentTerm + 1,
    votedFor: state.id,
    leaderId: null,
    votes: { [state.id]: Math.max(nowMs, boundUntilMs(state)) },
    askedMs: nowMs,
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
  return counts ? countPreVotes(withVote(state, from, nowMs), nowMs) : [state, []];
}

export function onVoteReply(
  state: RaftState,
  from: NodeId,
  { term, granted, boundForMs }: Extract<RaftMessage, { type: 'vote-reply' }>,
  nowMs: number,
): RaftTransition {
  const counts = state.role === 'candidate' && granted && term === state.currentTerm;
  if (!counts) return [state, []];
  return countVotes(withVote(state, from, nowMs + waitOutMs(state.settings, boundForMs)), nowMs);
}

function withVote(state: RaftState, voter: NodeId, countsFromMs: number): RaftState {
  return Object.hasOwn(state.votes, voter)
    ? state
    : change(state, { votes: { ...state.votes, [voter]: countsFromMs } });
}

function countPreVotes(state: RaftState, nowMs: number): RaftTransition {
  return hasMajority(state) ? becomeCandidate(state, false, nowMs) : [state, []];
}

function countVotes(state: RaftState, nowMs: number): RaftTransition {
  return hasMajority(state) ? takeOffice(state, nowMs) : [state, []];
}

/** A timer may come up the last bit of a float too early. It must then move on, however coarsely its driver counts. */
const leastWaitMs = 0.1;

/** Elected, but those who voted may have promised not to help anybody before a certain time. It leads from then on. */
function takeOffice(state: RaftState, nowMs: number): RaftTransition {
  const { membership, votes } = state;
  const leftMs = readyByMajority(membership, (voter) => votes[voter] ?? Number.POSITIVE_INFINITY) - nowMs;
  if (leftMs <= 0) return becomeLeader(state, nowMs);
  const waitMs = Math.max(leftMs, leastWaitMs);
  return [state, [setTimer('election', [waitMs, waitMs])]];
}

function hasMajority({ membership, votes }: RaftState): boolean {
  return isMajority(membership, Object.keys(votes));
}

/** What has freed this node frees those who do not know it yet. */
const certificateOf = ({ certificate }: RaftState) => (certificate === null ? {} : { gone: certificate });

function toOtherVoters({ membership, id }: RaftState, message: RaftMessage): RaftEffect[] {
  return membership.voters.filter((voter) => voter !== id).map((voter) => send(voter, message));
}
