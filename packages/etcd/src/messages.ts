import {
  MalformedError,
  readBoolean,
  readCount,
  readList,
  readNumber,
  readOneOf,
  readRecord,
  readString,
  type UnknownRecord,
} from '@hustings/elector/protocol';
import { decodeHeirMessage, type HeirMessage, heirMessageTypes } from './heirs/messages.js';
import { readDigits } from './revisions.js';

/** A revision of the store, in decimal digits: it may exceed what a JavaScript number holds exactly. */
export type Revision = string;

/** A lease's id, in decimal digits; `0` where a key has none. */
export type LeaseId = string;

export interface KeyValue {
  readonly key: string;
  readonly value: string;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  readonly lease: LeaseId;
}

/** Holds when the key's revision is this one; a key that does not exist has revision 0. */
export interface Comparison {
  readonly key: string;
  readonly target: 'create' | 'mod';
  readonly revision: Revision;
}

export type Operation =
  | { readonly type: 'get'; readonly key: string }
  /** The keys of a prefix by create revision, oldest or newest first. A limit of 0 is none. */
  | {
      readonly type: 'range';
      readonly prefix: string;
      readonly order: 'oldest' | 'newest';
      readonly limit: number;
      /** Only keys that were created before this revision. */
      readonly createdBefore?: Revision;
    }
  | { readonly type: 'put'; readonly key: string; readonly value: string; readonly lease: LeaseId }
  /** Writes a key that is there as it is: value and lease stay, the mod revision grows. */
  | { readonly type: 'touch'; readonly key: string }
  | { readonly type: 'delete'; readonly key: string };

/** If every comparison holds, `success` is done, else `failure`; in either case at once or not at all. */
export interface Transaction {
  readonly compare: readonly Comparison[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TransactionResult {
  readonly succeeded: boolean;
  /** The store's revision after the transaction. */
  readonly revision: Revision;
  /** Which etcd answered. A cluster that is set up anew as the old one was has the same. */
  readonly clusterId: string;
  /** What each operation that was done has found; a write finds nothing. */
  readonly found: readonly (readonly KeyValue[])[];
}

/** `revision` is when it happened. */
export type Change =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly revision: Revision;
      readonly value: string;
      readonly createRevision: Revision;
      readonly lease: LeaseId;
    }
  | { readonly type: 'delete'; readonly key: string; readonly revision: Revision };

/**
 * Why a request failed. Only `lease-not-found`, `refused` and `unauthenticated` say for certain that it was not
 * carried out; after the other two it may have been, or may be yet.
 */
export type FailureReason = 'lease-not-found' | 'refused' | 'unauthenticated' | 'unavailable' | 'timeout';

/** What an elector asks of etcd. `id` comes back with the answer. */
export type EtcdRequest =
  /** For a lease of this length. `sentMs` comes back, for the lease counts from there. */
  | { readonly type: 'grant'; readonly id: number; readonly ttlSeconds: number; readonly sentMs: number }
  | ({ readonly type: 'txn'; readonly id: number } & Transaction)
  /** A transaction that only reads, done as often as renewals: who leads, and did an event go missing? */
  | ({ readonly type: 'audit'; readonly id: number } & Transaction)
  /** To be told of every change from a revision on, to a key or to all that begin with it. */
  | {
      readonly type: 'watch';
      readonly id: number;
      readonly key: string;
      readonly prefix: boolean;
      readonly fromRevision: Revision;
    }
  | { readonly type: 'cancel-watch'; readonly id: number }
  | { readonly type: 'keep-alive'; readonly id: number; readonly lease: LeaseId; readonly sentMs: number }
  /** Ends a lease, and with it every key that is bound to it. */
  | { readonly type: 'revoke'; readonly id: number; readonly lease: LeaseId };

/** What etcd says. */
export type EtcdReply =
  /** `ttlSeconds` is what the server granted, which may be more than was asked for. */
  | {
      readonly type: 'granted';
      readonly id: number;
      readonly lease: LeaseId;
      readonly ttlSeconds: number;
      readonly sentMs: number;
    }
  | ({ readonly type: 'txn-done'; readonly id: number } & TransactionResult)
  | ({ readonly type: 'audited'; readonly id: number } & TransactionResult)
  | { readonly type: 'watching'; readonly id: number }
  /** Numbered from 1 for each watch, so that whoever must miss none sees a gap. */
  | {
      readonly type: 'changed';
      readonly id: number;
      readonly changes: readonly Change[];
      readonly number?: number;
    }
  | { readonly type: 'watch-cancelled'; readonly id: number }
  /** The watch is over although nobody cancelled it: look again. */
  | { readonly type: 'watch-lost'; readonly id: number; readonly reason: 'compacted' | 'disconnected' }
  /** With `ttlSeconds` 0 the lease is gone, and so is every key that was bound to it. */
  | {
      readonly type: 'kept-alive';
      readonly id: number;
      readonly lease: LeaseId;
      readonly ttlSeconds: number;
      readonly sentMs: number;
    }
  | { readonly type: 'revoked'; readonly id: number }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly reason: FailureReason;
      readonly detail: string;
    };

export type EtcdMessage = EtcdRequest | EtcdReply | HeirMessage;

export type EtcdTimer =
  /** Until the request that the candidacy waits for is sent again. */
  | 'request'
  /** Until the election is looked at again. */
  | 'look'
  /** Until the lease is renewed, or renewal is tried again. */
  | 'keep-alive'
  /** Until the next look at who leads, which also shows whether an event went missing. */
  | 'audit'
  /** Until a proclaimed value is sent again. */
  | 'proclaim'
  /** Until a leader offers to its heir again. */
  | 'offer'
  /** Until an heir's wait is over, or the next in line volunteers again. */
  | 'inherit';

/** Everything that must survive is in etcd. */
export type EtcdDurable = null;

/** What the application may ask for beside leading. */
export type EtcdElectionRequest =
  /** Publishes a value beside the leader's id. Only a leader can; the answer is announced. */
  | { readonly type: 'proclaim'; readonly value: string }
  /** After `data-lost`: lead with tokens at or below those that this node has seen. */
  | { readonly type: 'accept-lower-tokens' };

export type EtcdAnnouncement =
  /** This node's value has been published. */
  | { readonly type: 'proclaimed'; readonly value: string }
  /** This node stopped leading before the value was known to be published; it may or may not have been. */
  | { readonly type: 'proclaim-failed'; readonly value: string }
  /** The leader, another node, has published this value. */
  | {
      readonly type: 'value-seen';
      readonly leaderId: string;
      readonly token: bigint;
      readonly value: string;
    }
  /** The first key belongs to no lease, so it will not go by itself: nobody leads until somebody deletes it. */
  | { readonly type: 'blocked'; readonly key: string; readonly detail: string }
  /** etcd knows less than it did. This node leads with no token up to this one; `detail` says what to do. */
  | { readonly type: 'data-lost'; readonly highestToken: bigint; readonly detail: string }
  /** The leader came close to losing its office to its heir although nothing had failed; `detail` says why. */
  | { readonly type: 'heirs-strained'; readonly detail: string }
  /** etcd answered and said no; it is asked again, but somebody should look at the configuration. */
  | { readonly type: 'refused'; readonly reason: FailureReason; readonly detail: string };

const isDefinite: Readonly<Record<FailureReason, boolean>> = {
  'lease-not-found': true,
  refused: true,
  unauthenticated: true,
  unavailable: false,
  timeout: false,
};

/** Whether a request that failed for this reason was certainly not carried out. */
export function isDefiniteFailure(reason: FailureReason): boolean {
  return isDefinite[reason];
}

export function decodeMessage(value: unknown): EtcdMessage {
  const record = readRecord(value, 'An etcd message');
  const type = readString(record, 'type');
  if (heirMessageTypes.has(type)) return decodeHeirMessage(type, record);
  const id = readCount(record, 'id');
  switch (type) {
    case 'grant':
      return { type, id, ttlSeconds: readCount(record, 'ttlSeconds'), sentMs: readNumber(record, 'sentMs') };
    case 'txn':
    case 'audit':
      return { type, id, ...readTransaction(record) };
    case 'watch':
      return {
        type,
        id,
        key: readString(record, 'key'),
        prefix: readBoolean(record, 'prefix'),
        fromRevision: readDigits(record, 'fromRevision'),
      };
    case 'keep-alive':
      return { type, id, lease: readDigits(record, 'lease'), sentMs: readNumber(record, 'sentMs') };
    case 'revoke':
      return { type, id, lease: readDigits(record, 'lease') };
    case 'granted':
    case 'kept-alive':
      return {
        type,
        id,
        lease: readDigits(record, 'lease'),
        ttlSeconds: readCount(record, 'ttlSeconds'),
        sentMs: readNumber(record, 'sentMs'),
      };
    case 'txn-done':
    case 'audited':
      return {
        type,
        id,
        succeeded: readBoolean(record, 'succeeded'),
        revision: readDigits(record, 'revision'),
        clusterId: readString(record, 'clusterId'),
        found: readList(record, 'found', (found) => readList({ found }, 'found', readKeyValue)),
      };
    case 'changed': {
      const { number } = record;
      const changed = { type, id, changes: readList(record, 'changes', readChange) } as const;
      return number === undefined ? changed : { ...changed, number: readCount(record, 'number') };
    }
    case 'watch-lost':
      return { type, id, reason: readOneOf(record, 'reason', ['compacted', 'disconnected']) };
    case 'failed':
      return {
        type,
        id,
        reason: readOneOf(record, 'reason', Object.keys(isDefinite) as FailureReason[]),
        detail: readString(record, 'detail'),
      };
    case 'cancel-watch':
    case 'watching':
    case 'watch-cancelled':
    case 'revoked':
      return { type, id };
    default:
      throw new MalformedError(`'${type}' is not a message to or from etcd.`);
  }
}

export function decodeDurable(value: unknown): EtcdDurable {
  if (value !== null) throw new MalformedError('An etcd elector saves nothing, so its state must be null.');
  return null;
}

function readTransaction(record: UnknownRecord): Transaction {
  return {
    compare: readList(record, 'compare', readComparison),
    success: readList(record, 'success', readOperation),
    failure: readList(record, 'failure', readOperation),
  };
}

function readComparison(value: unknown): Comparison {
  const record = readRecord(value, 'A comparison');
  return {
    key: readString(record, 'key'),
    target: readOneOf(record, 'target', ['create', 'mod']),
    revision: readDigits(record, 'revision'),
  };
}

function readOperation(value: unknown): Operation {
  const record = readRecord(value, 'An operation');
  const type = readOneOf(record, 'type', ['get', 'range', 'put', 'touch', 'delete']);
  switch (type) {
    case 'get':
    case 'touch':
    case 'delete':
      return { type, key: readString(record, 'key') };
    case 'put':
      return {
        type,
        key: readString(record, 'key'),
        value: readString(record, 'value'),
        lease: readDigits(record, 'lease'),
      };
    case 'range': {
      const range = {
        type,
        prefix: readString(record, 'prefix'),
        order: readOneOf(record, 'order', ['oldest', 'newest']),
        limit: readCount(record, 'limit'),
      };
      const { createdBefore } = record;
      return createdBefore === undefined
        ? range
        : { ...range, createdBefore: readDigits(record, 'createdBefore') };
    }
  }
}

function readKeyValue(value: unknown): KeyValue {
  const record = readRecord(value, 'A key with its value');
  return {
    key: readString(record, 'key'),
    value: readString(record, 'value'),
    createRevision: readDigits(record, 'createRevision'),
    modRevision: readDigits(record, 'modRevision'),
    lease: readDigits(record, 'lease'),
  };
}

function readChange(value: unknown): Change {
  const record = readRecord(value, 'A change');
  const type = readOneOf(record, 'type', ['put', 'delete']);
  const change = { key: readString(record, 'key'), revision: readDigits(record, 'revision') };
  if (type === 'delete') return { type, ...change };
  return {
    type,
    ...change,
    value: readString(record, 'value'),
    createRevision: readDigits(record, 'createRevision'),
    lease: readDigits(record, 'lease'),
  };
}
