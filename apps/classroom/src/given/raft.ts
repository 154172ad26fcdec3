/**
 * The Raft of the exercises: an election, and a log that holds nothing but terms. A student writes one of its rules;
 * the others are here. It keeps no lease, so that two nodes may lead in two terms at once, as in the paper.
 *
 * D. Ongaro and J. Ousterhout, "In Search of an Understandable Consensus Algorithm (Extended Version)", 2014: Figure 2.
 */

import type { NodeId } from '@hustings/elector';
import {
  andThen,
  byRank,
  cancelTimer,
  type Input,
  type Protocol,
  send,
  setTimer,
} from '@hustings/elector/protocol';
import {
  electionTimeoutMs,
  type Raft,
  type RaftDurable,
  type RaftEffect,
  type RaftMessage,
  type RaftState,
  type RaftTransition,
  type VoteRequest,
} from '../../exercises/09-raft-vote/types.js';
import { noGuarantees } from '../sketch.js';

export type { Raft, RaftDurable, RaftEffect, RaftMessage, RaftState, RaftTransition, VoteRequest };
export { electionTimeoutMs };

const heartbeatMs = 50;
/** Longer logs show nothing new. */
const mostEntries = 24;

export interface RaftRules {
  onVoteRequest(state: RaftState, from: NodeId, request: VoteRequest): RaftTransition;
}

const guarantees = { ...noGuarantees, toleratesPartition: true };

export function raftWith(rules: RaftRules): Protocol<Raft> {
  return {
    algorithm: 'raft-sketch',
    variant: 'default',
    guarantees,
    periodicMessages: new Set(['append', 'append-reply']),
    initialState: (id, peers) => ({
      id,
      peers: [...peers].sort(byRank),
      role: 'follower',
      currentTerm: 0,
      votedFor: null,
      log: [],
      leaderId: null,
      votes: [],
      commitIndex: 0,
      stored: {},
      standing: false,
    }),
    step: (state, input) => step(state, input, rules),
    decodeMessage: (value) => value as RaftMessage,
    decodeDurable: (value) => value as RaftDurable,
  };
}

function step(state: RaftState, input: Input<Raft>, rules: RaftRules): RaftTransition {
  switch (input.type) {
    case 'started':
      return [state, [electionTimer]];
    case 'restarted':
      return [{ ...state, ...input.durable }, [electionTimer]];
    case 'campaign-requested':
      return [{ ...state, standing: true }, []];
    case 'resign-requested':
      return [
        { ...state, role: 'follower', standing: false },
        [{ type: 'step-down', reason: 'resigned' }, electionTimer],
      ];
    case 'received':
      return onMessage(state, input.from, input.message, rules);
    case 'timer-fired':
      return input.timer === 'election' ? onElectionTimeout(state) : onHeartbeat(state);
    default:
      return [state, []];
  }
}

const electionTimer: RaftEffect = setTimer('election', electionTimeoutMs);
const save = ({ currentTerm, votedFor, log }: RaftState): RaftEffect => ({
  type: 'save',
  durable: { currentTerm, votedFor, log },
});
const toAll = ({ peers }: RaftState, message: RaftMessage): RaftEffect[] =>
  peers.map((peer) => send(peer, message));
const isMajority = ({ peers }: RaftState, count: number): boolean => 2 * count > peers.length + 1;
const lastTermOf = ({ log }: RaftState): number => log.at(-1) ?? 0;

function onMessage(state: RaftState, from: NodeId, message: RaftMessage, rules: RaftRules): RaftTransition {
  if (message.term > state.currentTerm) {
    return andThen(takeOverTerm(state, message.term), (follower) =>
      onMessageOfTerm(follower, from, message, rules),
    );
  }
  return onMessageOfTerm(state, from, message, rules);
}

/** Rules for all servers (Figure 2): a later term makes a follower of anyone. */
function takeOverTerm(state: RaftState, term: number): RaftTransition {
  const follower: RaftState = {
    ...state,
    role: 'follower',
    currentTerm: term,
    votedFor: null,
    leaderId: null,
    votes: [],
    standing: state.standing && state.role !== 'leader',
  };
  if (state.role === 'leader') {
    return [follower, [{ type: 'step-down', reason: 'deposed' }, cancelTimer('heartbeat'), electionTimer]];
  }
  return [follower, state.leaderId === null ? [] : [{ type: 'follow', leaderId: null, token: null }]];
}

function onMessageOfTerm(
  state: RaftState,
  from: NodeId,
  message: RaftMessage,
  rules: RaftRules,
): RaftTransition {
  switch (message.type) {
    case 'vote-request':
      return rules.onVoteRequest(state, from, message);
    case 'vote-reply':
      return onVoteReply(state, from, message.term, message.granted);
    case 'append':
      return onAppend(state, from, message);
    case 'append-reply':
      return onAppendReply(state, from, message.term, message.stored);
  }
}

function onElectionTimeout(state: RaftState): RaftTransition {
  if (state.role === 'leader') return [state, []];
  if (!state.standing) return [state, [electionTimer]];
  const candidate: RaftState = {
    ...state,
    role: 'candidate',
    currentTerm: state.currentTerm + 1,
    votedFor: state.id,
    leaderId: null,
    votes: [state.id],
  };
  const request: VoteRequest = {
    type: 'vote-request',
    term: candidate.currentTerm,
    lastIndex: state.log.length,
    lastTerm: lastTermOf(state),
  };
  const asked: RaftTransition = [
    candidate,
    [save(candidate), { type: 'campaign' }, electionTimer, ...toAll(candidate, request)],
  ];
  return isMajority(candidate, 1) ? andThen(asked, becomeLeader) : asked;
}

function onVoteReply(state: RaftState, from: NodeId, term: number, granted: boolean): RaftTransition {
  const counts = granted && term === state.currentTerm && state.role === 'candidate';
  if (!counts || state.votes.includes(from)) return [state, []];
  const candidate: RaftState = { ...state, votes: [...state.votes, from] };
  return isMajority(candidate, candidate.votes.length) ? becomeLeader(candidate) : [candidate, []];
}

function becomeLeader(state: RaftState): RaftTransition {
  const leader: RaftState = {
    ...state,
    role: 'leader',
    leaderId: state.id,
    log: [...state.log, state.currentTerm],
    stored: {},
  };
  return andThen(
    [leader, [save(leader), cancelTimer('election'), { type: 'lead', token: BigInt(leader.currentTerm) }]],
    replicate,
  );
}

function replicate(state: RaftState): RaftTransition {
  const { currentTerm: term, log, commitIndex } = state;
  return [
    state,
    [...toAll(state, { type: 'append', term, log, commitIndex }), setTimer('heartbeat', heartbeatMs)],
  ];
}

/** Another entry now and then, once the last one is committed, so that logs differ. */
function onHeartbeat(state: RaftState): RaftTransition {
  if (state.role !== 'leader') return [state, []];
  if (state.commitIndex < state.log.length || state.log.length >= mostEntries) return replicate(state);
  const longer: RaftState = { ...state, log: [...state.log, state.currentTerm] };
  return andThen([longer, [save(longer)]], replicate);
}

function onAppend(
  state: RaftState,
  from: NodeId,
  { term, log, commitIndex }: Extract<RaftMessage, { type: 'append' }>,
): RaftTransition {
  if (term < state.currentTerm) return [state, [reply(from, state.currentTerm, 0)]];
  // A message that was overtaken must not take back what has been acknowledged.
  const isOverdue = isPrefix(log, state.log) && state.log.length > log.length && lastTermOf(state) === term;
  const follower: RaftState = {
    ...state,
    role: 'follower',
    leaderId: from,
    votes: [],
    log: isOverdue ? state.log : log,
    commitIndex: Math.max(state.commitIndex, Math.min(commitIndex, log.length)),
  };
  const effects: RaftEffect[] = [electionTimer];
  if (String(follower.log) !== String(state.log) || term !== state.currentTerm) effects.push(save(follower));
  if (state.leaderId !== from) effects.push({ type: 'follow', leaderId: from, token: BigInt(term) });
  return [follower, [...effects, reply(from, term, follower.log.length)]];
}

const reply = (to: NodeId, term: number, stored: number): RaftEffect =>
  send(to, { type: 'append-reply', term, stored });

const isPrefix = (short: readonly number[], long: readonly number[]): boolean =>
  short.length <= long.length && short.every((term, index) => term === long[index]);

/** An entry is committed when a majority stores it, and it is of this term (§5.4.2). */
function onAppendReply(state: RaftState, from: NodeId, term: number, count: number): RaftTransition {
  if (state.role !== 'leader' || term !== state.currentTerm) return [state, []];
  const stored = { ...state.stored, [from]: Math.max(state.stored[from] ?? 0, count) };
  const counts = [state.log.length, ...state.peers.map((peer) => stored[peer] ?? 0)].sort((a, b) => b - a);
  const byMajority = counts[Math.floor(counts.length / 2)]!;
  const isOfThisTerm = state.log[byMajority - 1] === state.currentTerm;
  const commitIndex = isOfThisTerm ? Math.max(state.commitIndex, byMajority) : state.commitIndex;
  return [{ ...state, stored, commitIndex }, []];
}
