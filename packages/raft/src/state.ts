import { InvalidOptionError, type NodeId } from '@hustings/elector';
import {
  either,
  entriesOf,
  flag,
  listOf,
  must,
  numberAbove,
  numberFrom,
  type OptionTable,
  rangeMs,
  readOptions,
  text,
  wholeNumberFrom,
} from '@hustings/elector/options';
import { byRank, type DelayRangeMs } from '@hustings/elector/protocol';
import { emptyLog, type Log, membershipAt } from './log.js';
import { isVoter, type Membership } from './membership.js';
import type { Life } from './messages.js';

export interface RaftSettings {
  /**
   * How long a follower lets the leader be silent, and a candidate its election last. Drawn anew each time, so
   * that votes rarely split (§5.2). For the lower end a follower stays bound to a leader it has heard from, and that
   * bounds the lease.
   */
  readonly electionTimeoutMs: DelayRangeMs;
  /** How often a leader says that it is there. */
  readonly heartbeatMs: number;
  /** ρ: every clock runs at 1 − ρ to 1 + ρ times real time. Leases may overlap if one does not. */
  readonly maxDriftRate: number;
  /**
   * A follower is bound to its leader, and the leader holds a lease. Without, as in the paper, a leader that was
   * replaced goes on until it hears of it: one leader a term, but not one at a time.
   */
  readonly lease: boolean;
  /** Asks whether an election could be won before beginning a term (thesis §9.6). */
  readonly preVote: boolean;
  /** A leader that hears no majority for an election timeout steps down, even before its lease began (thesis §6.2). */
  readonly checkQuorum: boolean;
  /**
   * From 0 to 1; a node that is not named has 1. Of 0, a node waits one more width of `electionTimeoutMs`
   * before it campaigns. A hint: it never bars anyone.
   */
  readonly priorities: Readonly<Record<NodeId, number>>;
  readonly maxEntriesPerAppend: number;
  /** How many messages with entries a follower may leave unanswered before it is sent heartbeats only. */
  readonly maxAppendsInFlight: number;
  /** How many entries may await their commitment before proposals are refused. */
  readonly maxUncommittedEntries: number;
  /** How many committed entries to keep before asking for a snapshot. */
  readonly snapshotThreshold: number;
  /**
   * A voter that has the death certificate of the leader's process is bound to it no longer, and elects another at
   * once. Needs a transport that certifies.
   */
  readonly deathCertificates: boolean;
  /** Who votes in a new cluster, the same on every node; null: everyone. A node not named waits to be added. */
  readonly voters: readonly NodeId[] | null;
}

export const defaultSettings: RaftSettings = {
  electionTimeoutMs: [150, 300],
  heartbeatMs: 50,
  maxDriftRate: 0.01,
  lease: true,
  preVote: true,
  checkQuorum: true,
  priorities: {},
  maxEntriesPerAppend: 64,
  maxAppendsInFlight: 256,
  maxUncommittedEntries: 10_000,
  snapshotThreshold: 1000,
  deathCertificates: false,
  voters: null,
};

/** Raft as the paper has it: nobody is bound, no lease, no pre-vote, no check-quorum. For teaching, and for comparison. */
export const plainSettings: Partial<RaftSettings> = { lease: false, preVote: false, checkQuorum: false };

export type RaftRole = 'follower' | 'pre-candidate' | 'candidate' | 'leader';

/** What a leader knows of one other member. */
export interface Progress {
  /** The next entry to send. Advanced when sending, put back when refused. */
  readonly nextIndex: number;
  /** The last entry known to be stored there. */
  readonly matchIndex: number;
  /** How many messages with entries, or a snapshot, it has not answered. */
  readonly inFlight: number;
  /** When `nextIndex` was last put back, on the leader's clock. */
  readonly wentBackMs: number | null;
  /** When the latest message that it has answered was sent, on the leader's clock. */
  readonly answeredMs: number | null;
  /** Has answered since the leader last checked its quorum. */
  readonly active: boolean;
  /** Would take over if asked to; null before it has told this leader. */
  readonly available: boolean | null;
}

export interface RaftState {
  readonly id: NodeId;
  readonly settings: RaftSettings;
  readonly role: RaftRole;

  // ---- Durable: a change is saved before anybody hears of it (step.ts) ---------------------------------
  readonly currentTerm: number;
  /** In the current term. */
  readonly votedFor: NodeId | null;
  readonly log: Log;

  // ---- Volatile ---------------------------------------------------------------------------------------
  /** The latest in the log, committed or not. */
  readonly membership: Membership;
  /** Its place in the log. */
  readonly membershipIndex: number;
  /** The last entry known to be committed. After a restart, that of the snapshot. */
  readonly commitIndex: number;
  /** Whom this node follows; itself while leading. */
  readonly leaderId: NodeId | null;
  /**
   * When this node last heard a leader: for `boundForMs` from then on, it helps nobody else into office. A restart
   * counts as well: it may have forgotten a leader.
   */
  readonly boundSinceMs: number | null;
  /** The process that it is bound to; null where that is not known, or nobody asks. */
  readonly boundTo: Life | null;
  /** The process of each peer that what comes from it comes from, as far as anybody asks. */
  readonly lives: Readonly<Record<NodeId, string | undefined>>;
  /** The death certificate by which this node became free: shown to those whose vote it asks for. */
  readonly certificate: Life | null;
  /** The application asks to lead. Every step-down ends that. */
  readonly standing: boolean;
  /** What the application last said of itself. */
  readonly healthy: boolean;
  /**
   * Does not stand, but has entries that a candidate lacks, so that nobody else can win. It seeks the term in
   * order to hand them over, and never the Leadership. Not once it has a leader, or nobody to hand over to.
   */
  readonly caretaker: boolean;
  /** (Pre-)candidate: who has granted it a (pre-)vote. */
  readonly votes: readonly NodeId[];
  /** Leader: the other members. Empty otherwise. */
  readonly followers: Readonly<Record<NodeId, Progress>>;
  /** Leader: until when its Leadership is valid; null before it begins. */
  readonly leaseUntilMs: number | null;
  /** Leader: resigning, and waits until this node has caught up. */
  readonly successor: NodeId | null;
}

export function initialState(
  id: NodeId,
  peers: readonly NodeId[],
  settings: RaftSettings = defaultSettings,
): RaftState {
  const voters = [...(settings.voters ?? [id, ...peers])].sort(byRank);
  const membership: Membership = { voters, learners: [] };
  return {
    id,
    settings,
    role: 'follower',
    currentTerm: 0,
    votedFor: null,
    log: emptyLog(membership),
    membership,
    membershipIndex: 0,
    commitIndex: 0,
    leaderId: null,
    boundSinceMs: null,
    boundTo: null,
    lives: {},
    certificate: null,
    standing: false,
    healthy: true,
    caretaker: false,
    votes: [],
    followers: {},
    leaseUntilMs: null,
    successor: null,
  };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: RaftState, changes: Partial<RaftState>): RaftState {
  const copy: RaftState = {
    id: state.id,
    settings: state.settings,
    role: state.role,
    currentTerm: state.currentTerm,
    votedFor: state.votedFor,
    log: state.log,
    membership: state.membership,
    membershipIndex: state.membershipIndex,
    commitIndex: state.commitIndex,
    leaderId: state.leaderId,
    boundSinceMs: state.boundSinceMs,
    boundTo: state.boundTo,
    lives: state.lives,
    certificate: state.certificate,
    standing: state.standing,
    healthy: state.healthy,
    caretaker: state.caretaker,
    votes: state.votes,
    followers: state.followers,
    leaseUntilMs: state.leaseUntilMs,
    successor: state.successor,
  };
  return Object.assign(copy, changes);
}

export function changeProgress(progress: Progress, changes: Partial<Progress>): Progress {
  const copy: Progress = {
    nextIndex: progress.nextIndex,
    matchIndex: progress.matchIndex,
    inFlight: progress.inFlight,
    wentBackMs: progress.wentBackMs,
    answeredMs: progress.answeredMs,
    active: progress.active,
    available: progress.available,
  };
  return Object.assign(copy, changes);
}

/** Whether this node may seek office. */
export function isEligible(state: RaftState): boolean {
  return state.standing && mayHoldTerm(state);
}

/** Whether this node may seek a term at all, be it for itself or on behalf of a candidate that lacks entries. */
export function mayRun(state: RaftState): boolean {
  return (state.standing || state.caretaker) && mayHoldTerm(state);
}

function mayHoldTerm(state: RaftState): boolean {
  return state.healthy && (isVoter(state.membership, state.id) || isStillNeeded(state));
}

/**
 * A voter whose removal is not yet known to be committed may be the only one to have the entry, and then nobody
 * else can win. It is elected, if at all, by the others' votes, holds no Leadership, and hands the term over when the
 * removal is committed (thesis §4.2.2).
 */
function isStillNeeded({ id, log, membershipIndex, commitIndex }: RaftState): boolean {
  return membershipIndex > commitIndex && isVoter(membershipAt(log, membershipIndex - 1).membership, id);
}

/** How long after hearing a leader a node helps nobody else into office: the least election timeout (thesis §4.2.3). */
function boundForMs({ lease, electionTimeoutMs }: RaftSettings): number {
  return lease ? electionTimeoutMs[0] : 0;
}

/** How much longer a leader may hold a lease that this node has acknowledged; 0 once it is free to help another. */
export function boundMs({ role, leaseUntilMs, boundSinceMs, settings }: RaftState, nowMs: number): number {
  if (role === 'leader') return Math.max(0, (leaseUntilMs ?? nowMs) - nowMs);
  return boundSinceMs === null ? 0 : Math.max(0, boundSinceMs + boundForMs(settings) - nowMs);
}

/**
 * How long a lease lasts on the leader's clock, from the moment its messages were sent. A follower's clock may
 * run fast, so that it is bound for only `boundForMs / (1 + ρ)` of real time; the leader's may run slow, so that
 * its lease takes up to `leaseMs / (1 − ρ)`. Equal, the lease ends no later than the binding.
 */
export function leaseMs({ electionTimeoutMs, maxDriftRate }: RaftSettings): number {
  return (electionTimeoutMs[0] * (1 - maxDriftRate)) / (1 + maxDriftRate);
}

export function priorityOf({ priorities }: RaftSettings, id: NodeId): number {
  return priorities[id] ?? 1;
}

/** Whether a follower has answered of late: within the least election timeout. */
export function isPresent({ settings }: RaftState, { answeredMs }: Progress, nowMs: number): boolean {
  return answeredMs !== null && nowMs - answeredMs < settings.electionTimeoutMs[0];
}

const atLeastOne = wholeNumberFrom(1);

const rules: OptionTable = {
  electionTimeoutMs: rangeMs,
  heartbeatMs: numberAbove(0),
  maxDriftRate: must(
    'at least 0 and less than 1',
    (value) => typeof value === 'number' && value >= 0 && value < 1,
  ),
  lease: flag,
  preVote: flag,
  checkQuorum: flag,
  priorities: entriesOf(numberFrom(0, 1)),
  maxEntriesPerAppend: atLeastOne,
  maxAppendsInFlight: atLeastOne,
  maxUncommittedEntries: atLeastOne,
  snapshotThreshold: atLeastOne,
  deathCertificates: flag,
  voters: either(
    must('null', (value) => value === null),
    listOf(text),
  ),
};

/** Without those that are undefined. Throws `InvalidOptionError`. */
export function readSettings(settings: Partial<RaftSettings>): Partial<RaftSettings> {
  return readOptions('raft', settings, rules);
}

/** Throws `InvalidOptionError` for settings under which no leader could stay in office. */
export function checkSettings(settings: RaftSettings): RaftSettings {
  const { heartbeatMs, lease } = settings;
  if (!(leaseMs(settings) > heartbeatMs)) {
    const ends = lease
      ? `the lease of ${leaseMs(settings)} ms would run out`
      : 'followers would lose patience';
    throw new InvalidOptionError(
      `electionTimeoutMs must start well above heartbeatMs (${heartbeatMs}): ${ends} between two heartbeats.`,
    );
  }
  return settings;
}
