/** Leaders: they replicate the log, commit it, and hold a lease for as long as a majority answers. */

import type { NodeId } from '@hustings/elector';
import { append, type Entry, entriesFrom, lastIndex, termAt } from '../log.js';
import { isMajority, isMember, isVoter, reachedByMajority } from '../membership.js';
import type { Acknowledgement, RaftMessage } from '../messages.js';
import { leaseMs, type Progress, type RaftState } from '../state.js';
import {
  andThen,
  cancel,
  quorumTimer,
  type RaftEffect,
  type RaftTransition,
  send,
  setTimer,
  withLog,
} from '../transition.js';
import { commitThrough } from './commit.js';
import { becomeFollower } from './follower.js';
import { completeTransfer, handOver, relieveCaretaker } from './transfer.js';

/**
 * Leads its term. Whoever voted for it is bound to it from then on, so the election is itself the first
 * acknowledgement, and the Leadership begins with it.
 */
export function becomeLeader(state: RaftState, nowMs: number): RaftTransition {
  const leader: RaftState = {
    ...state,
    role: 'leader',
    leaderId: state.id,
    votes: {},
    followers: membersElecting(state),
    leaseUntilMs: null,
    successor: null,
  };
  const timers = [
    cancel('election'),
    heartbeatTimer(leader),
    ...(leader.settings.checkQuorum || !leader.standing ? [quorumTimer(leader)] : []),
  ];
  return andThen(
    andThen([leader, timers], (elected) => renewLease(elected, nowMs)),
    // Entries of earlier terms are committed only along with one of this term (§5.4.2). This is that one.
    (elected) => appendEntry(elected, noOp(elected), nowMs),
  );
}

function membersElecting({ id, membership, votes, askedMs, log }: RaftState): Record<NodeId, Progress> {
  const members = [...membership.voters, ...membership.learners].filter((member) => member !== id);
  return Object.fromEntries(
    members.map((member) => [
      member,
      { ...unknownProgress(lastIndex(log) + 1), answeredMs: Object.hasOwn(votes, member) ? askedMs : null },
    ]),
  );
}

const unknownProgress = (nextIndex: number): Progress => ({
  nextIndex,
  matchIndex: 0,
  answeredMs: null,
  active: false,
  available: false,
});

const noOp = ({ log, currentTerm }: RaftState): Entry => ({
  index: lastIndex(log) + 1,
  term: currentTerm,
  type: 'no-op',
});

/** The leader only ever appends to its log (§5.3), and tells everyone. */
export function appendEntry(state: RaftState, entry: Entry, nowMs: number): RaftTransition {
  const longer = trackMembers(withLog(state, append(state.log, entry)), entry.index);
  return andThen(replicateToAll(longer, nowMs), (sent) => advance(sent, nowMs));
}

/** Who is about to leave is served until its leaving is committed, so that it hears of it. */
function trackMembers(state: RaftState, nextIndex: number): RaftState {
  const followers: Record<NodeId, Progress> = { ...state.followers };
  for (const id of [...state.membership.voters, ...state.membership.learners]) {
    if (id === state.id || followers[id] !== undefined) continue;
    followers[id] = unknownProgress(nextIndex);
  }
  return { ...state, followers };
}

// ---- Replication ---------------------------------------------------------------------------------------

export function onHeartbeatTimer(state: RaftState, nowMs: number): RaftTransition {
  return andThen(
    // A voter alone needs nobody's answer to renew its lease.
    andThen(replicateToAll(state, nowMs), (sent) => renewLease(sent, nowMs)),
    (sent) => [sent, [heartbeatTimer(sent)]],
  );
}

const heartbeatTimer = ({ settings }: RaftState): RaftEffect =>
  setTimer('heartbeat', [settings.heartbeatMs, settings.heartbeatMs]);

function replicateToAll(state: RaftState, nowMs: number): RaftTransition {
  let sent = state;
  const effects: RaftEffect[] = [];
  for (const id of Object.keys(state.followers)) {
    const message = nextMessage(sent, sent.followers[id]!, nowMs);
    sent = markSent(sent, id, message);
    effects.push(send(id, message));
  }
  return [sent, effects];
}

/** Sends what the follower lacks, or a heartbeat. */
export function replicateTo(state: RaftState, id: NodeId, nowMs: number): RaftTransition {
  const progress = state.followers[id];
  if (progress === undefined) return [state, []];
  const message = nextMessage(state, progress, nowMs);
  return [markSent(state, id, message), [send(id, message)]];
}

function nextMessage(state: RaftState, { nextIndex }: Progress, nowMs: number): RaftMessage {
  const { log, currentTerm: term, commitIndex, settings } = state;
  // Rounded down, which can only shorten a lease.
  const sentMs = Math.floor(nowMs);
  const previousIndex = nextIndex - 1;
  const previousTerm = termAt(log, previousIndex);
  if (previousTerm === undefined) return { type: 'snapshot', term, sentMs, snapshot: log.snapshot };
  const position = { term, sentMs, previousIndex, previousTerm, commitIndex };
  if (nextIndex > lastIndex(log)) return { type: 'heartbeat', ...position };
  return { type: 'append', ...position, entries: entriesFrom(log, nextIndex, settings.maxEntriesPerAppend) };
}

/** Assumes that it will arrive; if it does not, the next message is refused and the leader goes back. */
function markSent(state: RaftState, id: NodeId, message: RaftMessage): RaftState {
  switch (message.type) {
    case 'append':
      return withNextIndex(state, id, message.previousIndex + message.entries.length + 1);
    case 'snapshot':
      return withNextIndex(state, id, message.snapshot.index + 1);
    default:
      return state;
  }
}

function withNextIndex(state: RaftState, id: NodeId, nextIndex: number): RaftState {
  return withProgress(state, id, { ...state.followers[id]!, nextIndex });
}

function withProgress(state: RaftState, id: NodeId, progress: Progress): RaftState {
  return { ...state, followers: { ...state.followers, [id]: progress } };
}

/** A follower has answered: it is alive, bound to this leader since it was asked, and stores what it says. */
export function onAcknowledgement(
  state: RaftState,
  from: NodeId,
  reply: Acknowledgement,
  nowMs: number,
): RaftTransition {
  const progress = state.followers[from];
  if (state.role !== 'leader' || progress === undefined || reply.term < state.currentTerm) return [state, []];
  const answered = withProgress(state, from, answer(state, progress, reply));
  const goesOn = answered.followers[from]!.nextIndex <= lastIndex(answered.log);
  return andThen(goesOn ? replicateTo(answered, from, nowMs) : [answered, []], (sent) =>
    advance(sent, nowMs),
  );
}

function answer(state: RaftState, progress: Progress, reply: Acknowledgement): Progress {
  const { accepted, index, sentMs, available } = reply;
  const matchIndex = accepted ? Math.max(progress.matchIndex, index) : progress.matchIndex;
  return {
    nextIndex: accepted ? Math.max(progress.nextIndex, matchIndex + 1) : backTrack(state, progress, index),
    matchIndex,
    answeredMs: progress.answeredMs === null ? sentMs : Math.max(progress.answeredMs, sentMs),
    active: true,
    available,
  };
}

/** Goes back to where the follower says (§5.3), but never behind what it has stored: such a refusal is an old one. */
function backTrack({ log }: RaftState, { matchIndex }: Progress, index: number): number {
  return Math.max(matchIndex + 1, Math.min(index, lastIndex(log) + 1));
}

/** What a new answer, or a new entry, may have made possible. */
function advance(state: RaftState, nowMs: number): RaftTransition {
  const confirmed = andThen(renewLease(state, nowMs), (leader) => advanceCommit(leader, nowMs));
  return andThen(andThen(confirmed, completeTransfer), (leader) => relieveCaretaker(leader, nowMs));
}

/** A majority stores an entry of this term: it is committed, and everything before it with it (§5.3, §5.4.2). */
function advanceCommit(state: RaftState, nowMs: number): RaftTransition {
  if (state.commitIndex === lastIndex(state.log)) return [state, []];
  const stored = reachedByMajority(state.membership, (voter) => storedAt(state, voter));
  // An earlier term's entry is never committed by counting: it could still be overwritten (Figure 8).
  if (stored <= state.commitIndex || termAt(state.log, stored) !== state.currentTerm) return [state, []];
  return andThen(commitThrough(state, stored), (committed) => retireRemoved(committed, nowMs));
}

function storedAt({ id, log, followers }: RaftState, voter: NodeId): number {
  return voter === id ? lastIndex(log) : (followers[voter]?.matchIndex ?? 0);
}

/** A committed membership lets go of those it leaves out, the leader itself included (thesis §4.2.2). */
function retireRemoved(state: RaftState, nowMs: number): RaftTransition {
  const { membership, id } = state;
  if (state.membershipIndex > state.commitIndex) return [state, []];
  const remaining: RaftState = {
    ...state,
    followers: Object.fromEntries(
      Object.entries(state.followers).filter(([follower]) => isMember(membership, follower)),
    ),
  };
  return isVoter(membership, id) ? [remaining, []] : handOver(remaining, 'deposed', nowMs);
}

// ---- The lease -----------------------------------------------------------------------------------------

/**
 * A majority is bound to this leader from when it heard it, which is after it was sent. So the lease may
 * last from the sending until the first of them could be free (thesis §6.4.1).
 */
function renewLease(state: RaftState, nowMs: number): RaftTransition {
  const { membership, leaseUntilMs, successor, standing } = state;
  // A leader that resigns is not confirmed in office, and a caretaker has none.
  if (successor !== null || !standing) return [state, []];
  const boundSinceMs = reachedByMajority(membership, (voter) => answeredMs(state, voter, nowMs));
  const untilMs = boundSinceMs + leaseMs(state.settings);
  if (untilMs <= nowMs || (leaseUntilMs !== null && untilMs <= leaseUntilMs)) return [state, []];
  return [
    { ...state, leaseUntilMs: untilMs },
    [{ type: 'lead', token: BigInt(state.currentTerm), validForMs: untilMs - nowMs }],
  ];
}

function answeredMs({ id, followers }: RaftState, voter: NodeId, nowMs: number): number {
  return voter === id ? nowMs : (followers[voter]?.answeredMs ?? Number.NEGATIVE_INFINITY);
}

/** A leader that a majority has not answered for an election timeout may have been replaced (thesis §6.2). */
export function checkQuorum(state: RaftState): RaftTransition {
  // Whoever wanted to lead has had time to take over.
  if (!state.standing) return becomeFollower({ ...state, caretaker: false }, state.currentTerm, null);
  const active = Object.keys(state.followers).filter((follower) => state.followers[follower]!.active);
  if (!isMajority(state.membership, [state.id, ...active])) {
    return becomeFollower(state, state.currentTerm, null, 'quorum-lost');
  }
  const followers = Object.fromEntries(
    Object.entries(state.followers).map(([id, progress]) => [id, { ...progress, active: false }]),
  );
  return [{ ...state, followers }, [quorumTimer(state)]];
}
