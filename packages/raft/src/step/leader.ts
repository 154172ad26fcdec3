/** Leaders: they replicate the log, commit it, and hold a lease for as long as a majority answers. */

import type { NodeId } from '@hustings/elector';
import { andThen, cancelTimer, send, setTimer } from '@hustings/elector/protocol';
import { append, type Entry, entriesFrom, lastIndex, termAt } from '../log.js';
import { isMajority, isMember, isReached, isVoter, reachedByMajority } from '../membership.js';
import type { RaftMessage } from '../messages.js';
import { change, changeProgress, leaseMs, type Progress, type RaftState } from '../state.js';
import { quorumTimer, type RaftEffect, type RaftTransition, withLog } from '../transition.js';
import { commitThrough } from './commit.js';
import { becomeFollower } from './follower.js';
import { completeTransfer, handOver, relieveCaretaker } from './transfer.js';

type Reply = Extract<RaftMessage, { type: 'append-reply' | 'heartbeat-reply' }>;

/** Leads its term. A Leadership with a lease begins when a majority has answered the first entry, and is bound by it. */
export function becomeLeader(state: RaftState, nowMs: number): RaftTransition {
  const leader = change(state, {
    role: 'leader',
    leaderId: state.id,
    votes: [],
    followers: {},
    leaseUntilMs: null,
    successor: null,
  });
  const timers = [
    cancelTimer('election'),
    heartbeatTimer(leader),
    ...(leader.settings.checkQuorum || !leader.standing ? [quorumTimer(leader)] : []),
  ];
  return andThen(
    [leader, timers],
    beginOffice,
    // Entries of earlier terms are committed only along with one of this term (§5.4.2). This is that one.
    (elected) => appendEntry(elected, noOp(elected), nowMs),
  );
}

const unknownProgress = (nextIndex: number): Progress => ({
  nextIndex,
  matchIndex: 0,
  inFlight: 0,
  wentBackMs: null,
  answeredMs: null,
  active: false,
  available: null,
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
  return change(state, { followers });
}

// ---- Replication ---------------------------------------------------------------------------------------

export function onHeartbeatTimer(state: RaftState, nowMs: number): RaftTransition {
  return andThen(
    replicateToAll(state, nowMs),
    // A voter alone needs nobody's answer to renew its lease.
    (sent) => renewLease(sent, nowMs),
    (sent) => [sent, [heartbeatTimer(sent)]],
  );
}

const heartbeatTimer = ({ settings }: RaftState): RaftEffect =>
  setTimer('heartbeat', [settings.heartbeatMs, settings.heartbeatMs]);

function replicateToAll(state: RaftState, nowMs: number): RaftTransition {
  const followers: Record<NodeId, Progress> = {};
  const effects: RaftEffect[] = [];
  let changed = false;
  for (const [id, progress] of Object.entries(state.followers)) {
    const message = nextMessage(state, progress, nowMs);
    followers[id] = afterSending(progress, message);
    changed ||= followers[id] !== progress;
    effects.push(send(id, message));
  }
  return [changed ? change(state, { followers }) : state, effects];
}

/** Sends what the follower lacks, or a heartbeat. */
export function replicateTo(state: RaftState, id: NodeId, nowMs: number): RaftTransition {
  const progress = state.followers[id];
  if (progress === undefined) return [state, []];
  const message = nextMessage(state, progress, nowMs);
  return [withProgress(state, id, afterSending(progress, message)), [send(id, message)]];
}

function nextMessage(state: RaftState, progress: Progress, nowMs: number): RaftMessage {
  const { log, currentTerm: term, commitIndex, settings } = state;
  const sentMs = wholeMs(nowMs);
  const isFull = isPipeFull(state, progress);
  const isBehind = progress.nextIndex <= log.snapshot.index;
  if (isBehind && !isFull) return { type: 'snapshot', term, sentMs, snapshot: log.snapshot };
  const previousIndex = Math.max(progress.nextIndex - 1, log.snapshot.index);
  const previousTerm = termAt(log, previousIndex)!;
  if (isFull || previousIndex === lastIndex(log)) {
    return { type: 'heartbeat', term, sentMs, previousIndex, previousTerm, commitIndex };
  }
  const entries = entriesFrom(log, previousIndex + 1, settings.maxEntriesPerAppend);
  return { type: 'append', term, sentMs, previousIndex, previousTerm, commitIndex, entries };
}

/** The time in a message is rounded down, which can only shorten a lease. */
const wholeMs = Math.floor;

/** A follower that answers nothing is sent heartbeats only, until it does. */
function isPipeFull({ settings }: RaftState, { inFlight }: Progress): boolean {
  return inFlight >= settings.maxAppendsInFlight;
}

/** Assumes that it will arrive; if it does not, the next message is refused and the leader goes back. */
function afterSending(progress: Progress, message: RaftMessage): Progress {
  switch (message.type) {
    case 'append':
      return sentThrough(progress, message.previousIndex + message.entries.length);
    case 'snapshot':
      return sentThrough(progress, message.snapshot.index);
    default:
      return progress;
  }
}

function sentThrough(progress: Progress, index: number): Progress {
  return changeProgress(progress, { nextIndex: index + 1, inFlight: progress.inFlight + 1 });
}

function withProgress(state: RaftState, id: NodeId, progress: Progress): RaftState {
  if (state.followers[id] === progress) return state;
  const followers: Record<NodeId, Progress> = { ...state.followers };
  followers[id] = progress;
  return change(state, { followers });
}

/** A follower has answered: it is alive, bound to this leader since it was asked, and stores what it says. */
export function onAcknowledgement(
  state: RaftState,
  from: NodeId,
  reply: Reply,
  nowMs: number,
): RaftTransition {
  const former = state.followers[from];
  if (former === undefined || reply.term < state.currentTerm) return [state, []];
  const progress = answer(state, former, reply, nowMs);
  const answered = withProgress(state, from, progress);
  const lacksMore = progress.nextIndex <= lastIndex(state.log) && !isPipeFull(state, progress);
  return andThen(lacksMore ? replicateTo(answered, from, nowMs) : [answered, []], (sent) =>
    advance(sent, nowMs),
  );
}

function answer(state: RaftState, progress: Progress, reply: Reply, nowMs: number): Progress {
  const { type, accepted, index, sentMs, available } = reply;
  const answered = changeProgress(progress, {
    inFlight: type === 'append-reply' ? Math.max(0, progress.inFlight - 1) : progress.inFlight,
    answeredMs: progress.answeredMs === null ? sentMs : Math.max(progress.answeredMs, sentMs),
    active: true,
    available,
  });
  if (accepted) return goForward(answered, index);
  // Whatever was on its way when the leader went back is refused as well, and is sent again already.
  const isOld = progress.wentBackMs !== null && sentMs < progress.wentBackMs;
  return isOld ? answered : goBack(state, answered, index, nowMs);
}

function goForward(progress: Progress, index: number): Progress {
  const matchIndex = Math.max(progress.matchIndex, index);
  const nextIndex = Math.max(progress.nextIndex, matchIndex + 1);
  // If everything has arrived, nothing is on its way, however many answers were lost.
  const inFlight = matchIndex === nextIndex - 1 ? 0 : progress.inFlight;
  return changeProgress(progress, { matchIndex, nextIndex, inFlight });
}

/** Goes back to where the follower says (§5.3), but never behind what it has stored: such a refusal is an old one. */
function goBack({ log }: RaftState, progress: Progress, index: number, nowMs: number): Progress {
  const nextIndex = Math.max(progress.matchIndex + 1, Math.min(index, lastIndex(log) + 1));
  return changeProgress(progress, { nextIndex, inFlight: 0, wentBackMs: wholeMs(nowMs) });
}

/** What a new answer, or a new entry, may have made possible. */
function advance(state: RaftState, nowMs: number): RaftTransition {
  return andThen(
    renewLease(state, nowMs),
    (leader) => advanceCommit(leader, nowMs),
    (leader) => completeTransfer(leader, nowMs),
    (leader) => relieveCaretaker(leader, nowMs),
  );
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
  return voter === id ? lastIndex(log) : followers[voter]!.matchIndex;
}

/**
 * A committed membership lets go of those it leaves out, the leader itself included (thesis §4.2.2). They are sent
 * one last message, so that they know, and do not campaign for ever.
 */
function retireRemoved(state: RaftState, nowMs: number): RaftTransition {
  const { membership, id } = state;
  if (state.membershipIndex > state.commitIndex) return [state, []];
  const followers = Object.entries(state.followers);
  const staying = followers.filter(([follower]) => isMember(membership, follower));
  const farewells = followers
    .filter(([follower]) => !isMember(membership, follower))
    .map(([follower, progress]) => send(follower, nextMessage(state, progress, nowMs)));
  const remaining = change(state, { followers: Object.fromEntries(staying) });
  return andThen([remaining, farewells], (leader) =>
    isVoter(membership, id) ? [leader, []] : handOver(leader, 'deposed', nowMs),
  );
}

/** A node that was removed, and asks whether it could be elected, did not hear that its removal is committed. */
export function tellRemoved(
  state: RaftState,
  id: NodeId,
  theirLastIndex: number,
  nowMs: number,
): RaftTransition {
  const nextIndex = Math.min(theirLastIndex, lastIndex(state.log)) + 1;
  return [state, [send(id, nextMessage(state, unknownProgress(nextIndex), nowMs))]];
}

// ---- The lease -----------------------------------------------------------------------------------------

/** Without a lease the Leadership begins with the election, and lasts until this node hears of a later term. */
function beginOffice(state: RaftState): RaftTransition {
  const { settings, standing, membership, id, currentTerm } = state;
  const begins = !settings.lease && standing && isVoter(membership, id);
  return [state, begins ? [{ type: 'lead', token: BigInt(currentTerm) }] : []];
}

/**
 * A majority is bound to this leader from when it heard it, which is after it was sent. So the lease may
 * last from the sending until the first of them could be free (thesis §6.4.1).
 */
function renewLease(state: RaftState, nowMs: number): RaftTransition {
  const { membership, leaseUntilMs, successor, standing, settings } = state;
  // A leader that resigns is not confirmed in office, a caretaker has none, and a node that is removed begins none.
  if (!settings.lease || successor !== null || !standing) return [state, []];
  if (leaseUntilMs === null && !isVoter(membership, state.id)) return [state, []];
  const lengthMs = leaseMs(settings);
  const leastMs = Math.max(nowMs, leaseUntilMs ?? nowMs);
  // Asked at every acknowledgement, and mostly too few have answered: to count them is quick.
  if (!isReached(membership, (voter) => answeredMs(state, voter, nowMs) + lengthMs > leastMs))
    return [state, []];
  const untilMs = lengthMs + reachedByMajority(membership, (voter) => answeredMs(state, voter, nowMs));
  return [
    change(state, { leaseUntilMs: untilMs }),
    [{ type: 'lead', token: BigInt(state.currentTerm), validForMs: untilMs - nowMs }],
  ];
}

function answeredMs({ id, followers }: RaftState, voter: NodeId, nowMs: number): number {
  return voter === id ? nowMs : (followers[voter]!.answeredMs ?? Number.NEGATIVE_INFINITY);
}

/** A leader that a majority has not answered for an election timeout may have been replaced (thesis §6.2). */
export function checkQuorum(state: RaftState): RaftTransition {
  // Whoever wanted to lead has had time to take over.
  if (!state.standing) return becomeFollower(change(state, { caretaker: false }), state.currentTerm, null);
  const active = Object.keys(state.followers).filter((follower) => state.followers[follower]!.active);
  if (!isMajority(state.membership, [state.id, ...active])) {
    return becomeFollower(state, state.currentTerm, null, 'quorum-lost');
  }
  const followers = Object.fromEntries(
    Object.entries(state.followers).map(([id, progress]) => [
      id,
      changeProgress(progress, { active: false }),
    ]),
  );
  return [change(state, { followers }), [quorumTimer(state)]];
}
