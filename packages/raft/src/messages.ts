import type { NodeId } from '@hustings/elector';
import {
  MalformedError,
  readBoolean,
  readCount,
  readList,
  readNumber,
  readRecord,
  readString,
  readStrings,
  type UnknownRecord,
} from '@hustings/elector/protocol';
import type { Entry, Json, Log, Snapshot } from './log.js';
import type { Membership, MembershipChange } from './membership.js';

/** One process of another node. */
export interface Life {
  readonly peer: NodeId;
  readonly incarnation: string;
}

/**
 * Every message carries its sender's term. `sentMs` is the leader's own clock when it sent; whoever answers
 * returns it, and the leader's lease counts from there. It means nothing to anybody else, nor to a later process
 * of the same node, whose clock began anew. That is why an answer is of the same term as the message that it
 * answers, always: a term has one leader, and a process that restarts does not lead it again.
 */
export type RaftMessage =
  /** Would you vote for me in this term? Asked before a term is begun, so that asking changes nothing (thesis §9.6). */
  | {
      readonly type: 'pre-vote-request';
      readonly term: number;
      readonly lastIndex: number;
      readonly lastTerm: number;
      readonly gone?: Life;
    }
  /** Granted: `term` is the one asked about. Refused: the voter's own. */
  | { readonly type: 'pre-vote-reply'; readonly term: number; readonly granted: boolean }
  /** RequestVote. `transfer`: the leader has stepped down and asked me to follow it (thesis §3.10). */
  | {
      readonly type: 'vote-request';
      readonly term: number;
      readonly lastIndex: number;
      readonly lastTerm: number;
      readonly transfer: boolean;
      /** The process of a leader that is known to have ended: whoever is bound to it need not be. */
      readonly gone?: Life;
    }
  | { readonly type: 'vote-reply'; readonly term: number; readonly granted: boolean }
  /** AppendEntries. */
  | {
      readonly type: 'append';
      readonly term: number;
      readonly sentMs: number;
      readonly previousIndex: number;
      readonly previousTerm: number;
      readonly commitIndex: number;
      readonly entries: readonly Entry[];
    }
  /** AppendEntries without entries: flows while nothing happens. */
  | {
      readonly type: 'heartbeat';
      readonly term: number;
      readonly sentMs: number;
      readonly previousIndex: number;
      readonly previousTerm: number;
      readonly commitIndex: number;
    }
  /** InstallSnapshot, in one piece. */
  | {
      readonly type: 'snapshot';
      readonly term: number;
      readonly sentMs: number;
      readonly snapshot: Snapshot;
    }
  /** The answer to `append` and `snapshot`; `heartbeat-reply` says the same of a heartbeat. */
  | ({ readonly type: 'append-reply' } & Acknowledgement)
  | ({ readonly type: 'heartbeat-reply' } & Acknowledgement)
  /** What you sent as a leader is of an earlier term than mine. Returns nothing of it, and so proves nothing. */
  | { readonly type: 'stale-term'; readonly term: number }
  /** TimeoutNow: I lead no longer; you are up to date; begin an election at once (thesis §3.10). */
  | { readonly type: 'timeout-now'; readonly term: number };

export interface Acknowledgement {
  /** Like `sentMs`, as in the message that it answers. */
  readonly term: number;
  readonly sentMs: number;
  readonly accepted: boolean;
  /** Accepted: the last entry known to match. Refused: where the leader should try next. */
  readonly index: number;
  /** Whether this node would take over if asked to. */
  readonly available: boolean;
}

export type RaftTimer =
  /** Follower: how long the leader may be silent. Candidate: how long the election may take. */
  | 'election'
  /** Leader: until the next heartbeat. */
  | 'heartbeat'
  /** Leader: until it asks itself whether a majority has answered since the last time. */
  | 'quorum'
  /** Resigning leader: how long its successor may take to catch up. */
  | 'transfer';

/** What must survive a crash (Figure 2: persistent state). */
export interface RaftDurable {
  readonly currentTerm: number;
  readonly votedFor: NodeId | null;
  readonly snapshot: Snapshot;
  readonly entries: readonly Entry[];
}

/** What an application may ask for beside leading. `id` comes back in the answer. */
export type RaftRequest =
  | { readonly type: 'propose'; readonly id: string; readonly data: Json }
  | { readonly type: MembershipChange; readonly id: string; readonly node: NodeId }
  /** The application's state after the entry at `index`: the log up to there may go. */
  | { readonly type: 'snapshot'; readonly index: number; readonly data: Json };

export type RefusalReason =
  /** Ask `leaderId`, if it is known. */
  | 'not-leader'
  /** The leader is handing over. */
  | 'resigning'
  /** Another change is not yet committed (thesis §4.1). Ask again. */
  | 'change-pending'
  /** Nothing of this term is committed yet, so no change may be begun. Ask again after `term-begun`; `Replica` does. */
  | 'term-not-begun'
  /** The learner lacks committed entries. Ask again. */
  | 'not-caught-up'
  /** The learner has not answered of late. Ask again; a voter that is dead may cost the majority. */
  | 'silent'
  /** Too many entries await their commitment (`maxUncommittedEntries`). Ask again later. */
  | 'too-many-uncommitted'
  /** The change would change nothing: the node is a member already, or is none. */
  | 'no-change'
  /** Somebody has to vote. */
  | 'last-voter';

export type RaftAnnouncement =
  /** The request has a place in the log. It is committed when an entry with this index and term is. */
  | { readonly type: 'accepted'; readonly id: string; readonly index: number; readonly term: number }
  /** The request has changed nothing, and never will. */
  | {
      readonly type: 'refused';
      readonly id: string;
      readonly reason: RefusalReason;
      readonly leaderId: NodeId | null;
    }
  /** An entry is committed. Every node announces the same entries in the same order. */
  | { readonly type: 'committed'; readonly index: number; readonly term: number; readonly data: Json }
  /** The first entry of a term is committed, and with it everything before. */
  | { readonly type: 'term-begun'; readonly index: number; readonly term: number }
  | {
      readonly type: 'membership';
      readonly index: number;
      readonly term: number;
      readonly membership: Membership;
    }
  /** Begin from this state; the entries up to `index` will not be announced. */
  | { readonly type: 'restored'; readonly index: number; readonly term: number; readonly data: Json }
  /** The log has grown long. A `snapshot` request would let it shrink. */
  | { readonly type: 'snapshot-wanted'; readonly index: number };

export function durableOf({
  currentTerm,
  votedFor,
  log,
}: {
  readonly currentTerm: number;
  readonly votedFor: NodeId | null;
  readonly log: Log;
}): RaftDurable {
  return { currentTerm, votedFor, snapshot: log.snapshot, entries: log.entries };
}

export function decodeMessage(value: unknown): RaftMessage {
  const record = readRecord(value, 'A raft message');
  const type = readString(record, 'type');
  const term = readCount(record, 'term');
  switch (type) {
    case 'pre-vote-request':
      return { type, term, ...readLogEnd(record), ...readCertificate(record) };
    case 'vote-request':
      return {
        type,
        term,
        ...readLogEnd(record),
        transfer: readBoolean(record, 'transfer'),
        ...readCertificate(record),
      };
    case 'pre-vote-reply':
    case 'vote-reply':
      return { type, term, granted: readBoolean(record, 'granted') };
    case 'append':
      return { type, term, ...readPosition(record), entries: readEntriesOfTerm(record, term) };
    case 'heartbeat':
      return { type, term, ...readPosition(record) };
    case 'snapshot':
      return { type, term, sentMs: readNumber(record, 'sentMs'), snapshot: readSnapshot(record) };
    case 'append-reply':
    case 'heartbeat-reply':
      return {
        type,
        term,
        sentMs: readNumber(record, 'sentMs'),
        accepted: readBoolean(record, 'accepted'),
        index: readCount(record, 'index'),
        available: readBoolean(record, 'available'),
      };
    case 'stale-term':
    case 'timeout-now':
      return { type, term };
    default:
      throw new MalformedError(`'${type}' is not a raft message.`);
  }
}

export function decodeDurable(value: unknown): RaftDurable {
  const record = readRecord(value, "Raft's saved state");
  const { votedFor } = record;
  const snapshot = readSnapshot(record);
  return {
    currentTerm: readCount(record, 'currentTerm'),
    votedFor: votedFor === null ? null : readString(record, 'votedFor'),
    snapshot,
    entries: readEntries(record, snapshot.index),
  };
}

function readCertificate(record: UnknownRecord): { readonly gone?: Life } {
  const { gone } = record;
  if (gone === undefined) return {};
  const dead = readRecord(gone, 'A death certificate');
  return { gone: { peer: readString(dead, 'peer'), incarnation: readString(dead, 'incarnation') } };
}

function readLogEnd(record: UnknownRecord): { lastIndex: number; lastTerm: number } {
  return { lastIndex: readCount(record, 'lastIndex'), lastTerm: readCount(record, 'lastTerm') };
}

function readPosition(record: UnknownRecord): {
  sentMs: number;
  previousIndex: number;
  previousTerm: number;
  commitIndex: number;
} {
  return {
    sentMs: readNumber(record, 'sentMs'),
    previousIndex: readCount(record, 'previousIndex'),
    previousTerm: readCount(record, 'previousTerm'),
    commitIndex: readCount(record, 'commitIndex'),
  };
}

/** No leader has entries of a later term than its own. */
function readEntriesOfTerm(record: UnknownRecord, term: number): readonly Entry[] {
  const entries = readEntries(record, readCount(record, 'previousIndex'));
  const late = entries.find((entry) => entry.term > term);
  if (late === undefined) return entries;
  throw new MalformedError(`Entry ${late.index} is of term ${late.term}, later than its leader's ${term}.`);
}

/** Entries must follow one another: a gap would put every later one in the wrong place. */
export function readEntries(record: UnknownRecord, previousIndex: number): readonly Entry[] {
  return readList(record, 'entries', (value, position) => {
    const entry = readEntry(value);
    if (entry.index !== previousIndex + 1 + position) {
      throw new MalformedError(
        `Entry ${entry.index} stands where entry ${previousIndex + 1 + position} should.`,
      );
    }
    return entry;
  });
}

function readEntry(value: unknown): Entry {
  const record = readRecord(value, 'An entry');
  const index = readCount(record, 'index');
  const term = readCount(record, 'term');
  const type = readString(record, 'type');
  switch (type) {
    case 'no-op':
      return { index, term, type };
    case 'data':
      return { index, term, type, data: readJson(record, 'data') };
    case 'membership':
      return { index, term, type, membership: readMembership(record) };
    default:
      throw new MalformedError(`'${type}' is not a kind of entry.`);
  }
}

function readSnapshot(record: UnknownRecord): Snapshot {
  const { snapshot: value } = record;
  const snapshot = readRecord(value, "Field 'snapshot'");
  return {
    index: readCount(snapshot, 'index'),
    term: readCount(snapshot, 'term'),
    membership: readMembership(snapshot),
    data: readJson(snapshot, 'data'),
  };
}

function readMembership(record: UnknownRecord): Membership {
  const { membership: value } = record;
  const membership = readRecord(value, "Field 'membership'");
  return { voters: readStrings(membership, 'voters'), learners: readStrings(membership, 'learners') };
}

/** The value was parsed from JSON, so whatever is there is JSON; that it is there is all to check. */
function readJson(record: UnknownRecord, field: string): Json {
  const value = record[field];
  if (value === undefined) throw new MalformedError(`Field '${field}' is missing.`);
  return value as Json;
}
