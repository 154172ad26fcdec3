/**
 * Many elections of one process over one connection to etcd. Each election runs the protocol of this package as if it
 * had etcd for itself; what stands between hands it a view:
 *
 * - **A few leases for all.** An election is granted a share of a lease, under an id that nobody else has. Whoever
 *   asks first for a renewal asks for all that share the lease.
 * - **One watch.** A copy of all keys below a common prefix is kept by one watch. What only reads is answered from the
 *   copy, and so are watches. What writes goes to etcd, and brings back the election as it was at that moment.
 *
 * Why that is safe: whoever puts its key is told all older ones in the same transaction, and none can come before it
 * later. A key goes from the copy only when etcd says that it is gone, and a copy that may have missed something is
 * made anew. So an old copy errs only in not knowing yet that a node may lead. And a lease counts from a request that was sent no
 * earlier than the election asked, so its deadline comes early rather than late.
 */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs } from '@hustings/elector/protocol';
import { emptyTable, type SessionEffect, type SessionInput, type Table } from '@hustings/elector/sessions';
import type {
  Change,
  EtcdReply,
  EtcdRequest,
  KeyValue,
  LeaseId,
  Revision,
  Transaction,
} from '../messages.js';
import type { Watch } from '../state.js';

export interface SharedSettings {
  /** Of every key that is copied; election `a` has the keys below `<prefix>a/`. */
  readonly prefix: string;
  readonly ttlSeconds: number;
  /** How many elections share a lease. One lease with ten thousand keys makes every write four times slower. */
  readonly keysPerLease: number;
  /** How many writes may be unanswered at once, at most. All at once would time out while they wait for each other. */
  readonly writesAtOnce: number;
  /** How often the copy is compared with etcd, in case a change went missing. */
  readonly auditMs: number;
  readonly requestTimeoutMs: number;
  readonly retryMs: DelayRangeMs;
  readonly coordinator: NodeId;
}

export const defaultShared: Omit<SharedSettings, 'prefix'> = {
  ttlSeconds: 5,
  keysPerLease: 250,
  writesAtOnce: 64,
  auditMs: 30_000,
  requestTimeoutMs: 1000,
  retryMs: [50, 150],
  coordinator: 'etcd',
};

/** A lease of etcd, and who shares it. */
export interface SharedLease {
  readonly id: LeaseId;
  readonly ttlSeconds: number;
  /** When the last renewal that succeeded was sent, by this process's clock. */
  readonly renewedMs: number;
  /** A renewal that has not been answered. */
  readonly renewal: { readonly id: number; readonly sentMs: number } | null;
  readonly members: number;
  /** How many shares were ever given out: the next one's number. */
  readonly issued: number;
}

/** An election's share of a lease. Its id begins with that of the lease, and no other share ever has it. */
export interface Share {
  readonly id: LeaseId;
  /** A put under it has been sent. */
  readonly hasKey: boolean;
}

/** Something that an election wrote, until it is answered. */
export interface Write {
  readonly type: 'txn' | 'audit' | 'revoke';
  /** By which the election knows it. */
  readonly id: number;
  readonly transaction: Transaction;
  /** By which etcd knows it; null until it is sent. */
  readonly sentAs: number | null;
  readonly sentMs: number;
}

/** An election of this process. */
export interface Local {
  readonly share: Share | null;
  readonly watches: readonly Watch[];
  /** A read that waits for the copy. */
  readonly look: Extract<EtcdRequest, { type: 'txn' | 'audit' }> | null;
  /** It has asked for a lease, and has no share yet. */
  readonly application: Application | null;
  readonly writes: readonly Write[];
}

export interface Application {
  readonly id: number;
  readonly sentMs: number;
}

export const emptyLocal: Local = { share: null, watches: [], look: null, application: null, writes: [] };

/** What is known of one election. */
export interface Topic {
  /** Oldest first. */
  readonly keys: readonly KeyValue[];
  /** The last changes; those up to `compacted` are forgotten. */
  readonly history: readonly Change[];
  readonly compacted: Revision;
  /** Of which revision this is. Older changes say nothing new. */
  readonly at: Revision;
}

/** The copy is being compared with etcd. */
export interface Reading {
  readonly id: number;
  /** The highest revision known when it was asked. An answer that knows less is of an etcd that has lost data. */
  readonly seen: Revision;
}

export interface SharedState {
  readonly settings: SharedSettings;
  readonly locals: Table<Local>;
  /** The copy, by election. */
  readonly topics: Table<Topic>;
  /** Up to which the watch has told of changes. */
  readonly revision: Revision;
  /** The highest that etcd has told of. */
  readonly seen: Revision;
  readonly clusterId: string;
  /** When all was read last. Of elections that had no keys then, nothing before it is known. */
  readonly readAt: Revision;
  /** Reads are answered from the copy: it was complete once, and is being kept. */
  readonly isCurrent: boolean;
  readonly watch: number | null;
  /** How many messages came for it. */
  readonly heard: number;
  readonly reading: Reading | null;
  /** Something went unanswered, so changes may be missing and the watch dead. */
  readonly suspicious: boolean;
  readonly leases: readonly SharedLease[];
  /** How many elections have asked for a lease and have no share yet. */
  readonly applicants: number;
  /** Leases that have been asked for. */
  readonly granting: readonly { readonly id: number; readonly sentMs: number }[];
  /** Elections with something to write that has not been sent, in their order. */
  readonly queue: readonly string[];
  readonly sent: readonly { readonly id: number; readonly election: string; readonly sentMs: number }[];
  /** How many may be unanswered at once now: one more after each answer, half as many after each that did not come. */
  readonly window: number;
  readonly nextId: number;
}

/** Until all is read again: because no answer came, or because it is time to compare. */
export type SharedTimer = 'read';

export type SharedInput = SessionInput<EtcdRequest, EtcdReply, SharedTimer>;

export type SharedEffect = SessionEffect<EtcdRequest, EtcdReply, SharedTimer>;

export type SharedTransition = readonly [state: SharedState, effects: readonly SharedEffect[]];

export function initialShared(settings: SharedSettings): SharedState {
  return {
    settings,
    locals: emptyTable,
    topics: emptyTable,
    revision: '0',
    seen: '0',
    clusterId: '',
    readAt: '0',
    isCurrent: false,
    watch: null,
    heard: 0,
    reading: null,
    suspicious: false,
    leases: [],
    applicants: 0,
    granting: [],
    queue: [],
    sent: [],
    window: 1,
    nextId: 1,
  };
}

export const toServer = (request: EtcdRequest): SharedEffect => ({ type: 'send', request });

export const deliver = (election: string, reply: EtcdReply): SharedEffect => ({
  type: 'deliver',
  election,
  reply,
});

// ---- Names ---------------------------------------------------------------------------------------------

/** Shares are numbered with this many digits. */
const shareDigits = 5;

/** How many shares a lease can have in its life. */
export const maxShares = 10 ** shareDigits;

export const shareOf = (lease: LeaseId, number: number): LeaseId =>
  `${lease}${number.toString().padStart(shareDigits, '0')}`;

/** The lease of which this is a share. */
export const leaseOf = (share: LeaseId): LeaseId => share.slice(0, -shareDigits);

/** The election of a key, and null if it is no candidate's. */
export function electionOf({ prefix }: SharedSettings, key: string): string | null {
  const end = key.lastIndexOf('/');
  return end <= prefix.length || !/^[0-9a-f]+$/.test(key.slice(end + 1))
    ? null
    : key.slice(prefix.length, end);
}

/** As the protocol names it: after the share. */
export const keyOf = ({ prefix }: SharedSettings, election: string, share: LeaseId): string =>
  `${prefix}${election}/${BigInt(share).toString(16)}`;

/** A candidate's key names its lease or share, whatever lease it is bound to. One without a lease has none. */
export function leaseNamedBy(key: string, lease: LeaseId): LeaseId {
  return lease === '0' ? lease : BigInt(`0x${key.slice(key.lastIndexOf('/') + 1)}`).toString();
}
