/**
 * Raft. A majority elects a leader for a term; the leader replicates a log; what a majority stores is final.
 *
 * D. Ongaro and J. Ousterhout, "In Search of an Understandable Consensus Algorithm (Extended Version)", 2014:
 * the sections marked §. D. Ongaro, "Consensus: Bridging Theory and Practice", 2014: 'thesis'.
 */

import type { NodeId } from '@hustings/elector';
import { andThen, announce } from '@hustings/elector/protocol';
import { durableOf, type RaftDurable, type RaftMessage, type RaftTimer } from './messages.js';
import { change, type RaftState } from './state.js';
import { onElectionTimeout, onPreVoteReply, onTimeoutNow, onVoteReply } from './step/candidate.js';
import { meet, onPeerGone } from './step/certificates.js';
import { becomeFollower, onAppend, onLeaderLinkDown, onSnapshot } from './step/follower.js';
import { checkQuorum, onAcknowledgement, onHeartbeatTimer, replicateTo } from './step/leader.js';
import { onRequest } from './step/requests.js';
import { abandonTransfer, handOver, resign } from './step/transfer.js';
import { onPreVoteRequest, onVoteRequest } from './step/voter.js';
import {
  electionTimer,
  type RaftEffect,
  type RaftInput,
  type RaftTransition,
  withLog,
} from './transition.js';

export function step(state: RaftState, input: RaftInput, nowMs: number): RaftTransition {
  if (input.type === 'restarted') return restart(state, input.durable, nowMs);
  return saveFirst(state, decide(state, input, nowMs));
}

function decide(
  state: RaftState,
  input: Exclude<RaftInput, { type: 'restarted' }>,
  nowMs: number,
): RaftTransition {
  switch (input.type) {
    case 'started':
      return [state, [electionTimer(state)]];
    case 'campaign-requested':
      return stand(state);
    case 'resign-requested':
      return resign(state, input.to, nowMs);
    case 'received':
      return onMessage(state, input.from, input.message, nowMs);
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'lease-expired':
      return state.role === 'leader'
        ? becomeFollower(state, state.currentTerm, null, 'lease-expired')
        : [state, []];
    case 'health-changed':
      return onHealth(state, input.healthy, nowMs);
    case 'link-up':
      // What was sent before the connection stood is lost. Only a leader has followers.
      return replicateTo(meet(state, input.peer, input.incarnation), input.peer, nowMs);
    case 'peer-gone':
      return onPeerGone(state, input);
    case 'link-down':
      return state.leaderId === input.peer ? onLeaderLinkDown(state, nowMs) : [state, []];
    case 'observation-changed':
      return [state, []]; // Heartbeats tell everyone who leads.
    case 'requested':
      return onRequest(state, input.request, nowMs);
  }
}

/**
 * The one place that saves. Term, vote and log are on disk before anything that depends on them is said to
 * anybody.
 */
function saveFirst(before: RaftState, [after, effects]: RaftTransition): RaftTransition {
  const sameVote = after.currentTerm === before.currentTerm && after.votedFor === before.votedFor;
  if (sameVote && after.log === before.log) return [after, effects];
  const firstToWait = effects.findIndex((effect) => dependsOnDisk(effect, sameVote));
  const position = firstToWait === -1 ? effects.length : firstToWait;
  const save: RaftEffect = { type: 'save', durable: durableOf(after) };
  return [after, [...effects.slice(0, position), save, ...effects.slice(position)]];
}

function dependsOnDisk(effect: RaftEffect, sameVote: boolean): boolean {
  switch (effect.type) {
    case 'step-down':
    case 'campaign':
    case 'set-timer':
    case 'cancel-timer':
      return false;
    case 'announce':
      return effect.announcement.type !== 'accepted'; // Which promises nothing yet.
    case 'lead':
      return !sameVote; // Its token is the term, and a majority's answers are its ground: not the log.
    case 'send':
      // A leader writes to its disk while its followers write to theirs (thesis §10.2.1). No answer is heard
      // before the write is done, so the leader's own copy counts only once it is there.
      return !(sameVote && effect.message.type === 'append');
    default:
      return true;
  }
}

/** Everything but the durable state is forgotten: also whether a leader was heard just now, so be bound to it. */
function restart(state: RaftState, durable: RaftDurable, nowMs: number): RaftTransition {
  const { currentTerm, votedFor, snapshot, entries } = durable;
  const { index, term, data } = snapshot;
  const restored = withLog(
    change(state, { currentTerm, votedFor, commitIndex: index, boundSinceMs: nowMs }),
    { snapshot, entries },
  );
  return [
    restored,
    index === 0
      ? [electionTimer(state)]
      : [electionTimer(state), announce({ type: 'restored', index, term, data })],
  ];
}

/** The election timer, which always runs in a node that does not lead, does the rest. */
function stand(state: RaftState): RaftTransition {
  if (state.successor !== null) {
    // Asked to resign, and asked to lead before that was done: first the one, then the other.
    return andThen(abandonTransfer(state), stand);
  }
  return [state.standing ? state : change(state, { standing: true, caretaker: false }), []];
}

/**
 * How far ahead of its own a term may be for a node to take it over. Terms are counted up to 2^53 − 1, and a single
 * message of that term would end all elections. Nobody is so far ahead that began its terms one by one: a node that
 * is cut off, without pre-votes, and holds an election every 10 ms needs 16 months.
 */
export const maxTermJump = 2 ** 32;

function onMessage(state: RaftState, from: NodeId, message: RaftMessage, nowMs: number): RaftTransition {
  if (message.term - state.currentTerm > maxTermJump) return [state, []];
  switch (message.type) {
    case 'pre-vote-request':
      return onPreVoteRequest(state, from, message, nowMs);
    case 'vote-request':
      return onVoteRequest(state, from, message, nowMs);
    case 'pre-vote-reply':
      // A grant names a term that nobody has begun yet.
      if (message.granted) return onPreVoteReply(state, from, message, nowMs);
  }
  if (message.term > state.currentTerm) {
    // Rules for all servers (Figure 2): a later term makes a follower of anyone.
    const speaksAsLeader =
      message.type === 'append' || message.type === 'heartbeat' || message.type === 'snapshot';
    return andThen(becomeFollower(state, message.term, speaksAsLeader ? from : null), (follower) =>
      onMessageOfTerm(follower, from, message, nowMs),
    );
  }
  return onMessageOfTerm(state, from, message, nowMs);
}

type TermMessage = Exclude<RaftMessage, { type: 'pre-vote-request' | 'vote-request' }>;

function onMessageOfTerm(
  state: RaftState,
  from: NodeId,
  message: TermMessage,
  nowMs: number,
): RaftTransition {
  switch (message.type) {
    case 'append':
    case 'heartbeat':
      return onAppend(state, from, message, nowMs);
    case 'snapshot':
      return onSnapshot(state, from, message, nowMs);
    case 'append-reply':
    case 'heartbeat-reply':
      return onAcknowledgement(state, from, message, nowMs);
    case 'vote-reply':
      return onVoteReply(state, from, message, nowMs);
    case 'timeout-now':
      return onTimeoutNow(state, message, nowMs);
    case 'stale-term':
    case 'pre-vote-reply': // Refused.
      return [state, []]; // It teaches the term, and nothing else.
  }
}

function onTimer(state: RaftState, timer: RaftTimer, nowMs: number): RaftTransition {
  // A timer may come up along with what has just cancelled it.
  if ((timer === 'election') === (state.role === 'leader')) return [state, []];
  switch (timer) {
    case 'election':
      return onElectionTimeout(state, nowMs);
    case 'heartbeat':
      return onHeartbeatTimer(state, nowMs);
    case 'quorum':
      return checkQuorum(state);
    case 'transfer':
      return abandonTransfer(state);
  }
}

/** An unhealthy leader makes way; an unhealthy candidate, which has nobody to hand over to, withdraws until it is well. */
function onHealth(state: RaftState, healthy: boolean, nowMs: number): RaftTransition {
  const changed = change(state, { healthy });
  if (healthy || state.role === 'follower') return [changed, []];
  return handOver(changed, 'unhealthy', nowMs);
}
