/**
 * Many elections of one process over one ZooKeeper session. Each election runs the protocol of this package as if it had
 * a session for itself; what stands between hands it a view:
 *
 * - **One session and one connection.** Whoever asks for a connection is told of the one that there is, and since when
 *   it is known to live. It moves to another member for all at once, and only when nothing is answered on it.
 * - **One proof for all.** Elections ask for a proof every quarter of the session. The first waits a little for the
 *   others, and one write answers all of them.
 * - **Requests, watches and znodes of their own.** They go through as they are, a few at a time. What an election has
 *   created is deleted when it closes; the session lives on.
 *
 * Why that is safe: an election counts a proof from when it asked for it, and is answered only by a write that was sent
 * no earlier. One that joins is told how long ago the session was proven last. So no election ever takes more for proven
 * than the session has. And requests of a session are carried out in their order, whoever asked for them.
 */

import type { NodeId } from '@hustings/elector';
import { emptyTable, type SessionEffect, type SessionInput, type Table } from '@hustings/elector/sessions';
import type { SessionId, ZooKeeperReply, ZooKeeperRequest } from '../messages.js';
import type { Session } from '../state.js';

export interface SharedSettings {
  /** Election `a` has its znodes in `<prefix>/a`. */
  readonly prefix: string;
  readonly sessionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How many requests may be unanswered at once. All at once would time out while they wait for each other. */
  readonly requestsAtOnce: number;
  /** How often each election's znode is looked after, in case an event went missing. */
  readonly auditMs: number;
  readonly coordinator: NodeId;
}

export const defaultShared: Omit<SharedSettings, 'prefix'> = {
  sessionTimeoutMs: 6000,
  requestTimeoutMs: 1000,
  requestsAtOnce: 64,
  auditMs: 30_000,
  coordinator: 'zookeeper',
};

/** What is asked within a session. */
export type Asked = Exclude<ZooKeeperRequest, { type: 'connect' }>;

/** An election asks for a proof that the session lives. */
export interface Want {
  readonly id: number;
  readonly type: 'ping' | 'prove';
  readonly path: string;
  readonly askedMs: number;
}

/** An election of this process. */
export interface Local {
  /** It was told of the present connection. */
  readonly joined: boolean;
  /** It has asked for a connection. */
  readonly seeking: {
    readonly id: number;
    readonly session: SessionId | null;
    readonly askedMs: number;
  } | null;
  /** What it asked for since it was last answered, the oldest first. */
  readonly wants: readonly Want[];
  /** The last of them came after the last proof was asked for. */
  readonly waits: boolean;
  /** The session in which it has asked for a znode. */
  readonly created: SessionId | null;
}

export const emptyLocal: Local = { joined: false, seeking: null, wants: [], waits: false, created: null };

/** A request of an election, of the search for what a closed one left behind, or of the audit. */
export interface Waiting {
  readonly election: string;
  readonly asker: 'election' | 'sweep' | 'audit';
  readonly request: Asked;
}

export interface Sent extends Omit<Waiting, 'asker'> {
  /** `nobody`: whoever asked has asked for something else since. */
  readonly asker: Waiting['asker'] | 'nobody';
  readonly id: number;
  readonly sentMs: number;
}

export interface SharedState {
  readonly settings: SharedSettings;
  readonly locals: Table<Local>;
  /** How many of them were told of the present connection, and how many wait for a proof to be asked for. */
  readonly joined: number;
  readonly waiting: number;
  /** Null before the first connection, and from the end of one session to the next. */
  readonly session: Session | null;
  readonly connected: boolean;
  /** When the present connection was first asked for: the member has told the ensemble's leader of it since then. */
  readonly greetedMs: number;
  readonly seeking: { readonly id: number; readonly sinceMs: number; readonly sentMs: number } | null;
  readonly queue: readonly Waiting[];
  readonly sent: readonly Sent[];
  /** Proofs without an answer, the oldest first. */
  readonly proofs: readonly { readonly id: number; readonly sentMs: number }[];
  /** Closed elections whose znodes may still be there. */
  readonly sweeps: readonly string[];
  /** Where the audit goes on. */
  readonly audited: number;
  readonly nextId: number;
}

/** Until a proof is asked for, whether or not all elections want one. */
export type SharedTimer = 'prove';

export type SharedInput = SessionInput<ZooKeeperRequest, ZooKeeperReply, SharedTimer>;
export type SharedEffect = SessionEffect<ZooKeeperRequest, ZooKeeperReply, SharedTimer>;
export type SharedTransition = readonly [state: SharedState, effects: readonly SharedEffect[]];

export function initialShared(settings: SharedSettings): SharedState {
  return {
    settings,
    locals: emptyTable,
    joined: 0,
    waiting: 0,
    session: null,
    connected: false,
    greetedMs: 0,
    seeking: null,
    queue: [],
    sent: [],
    proofs: [],
    sweeps: [],
    audited: 0,
    nextId: 1,
  };
}

export const toServer = (request: ZooKeeperRequest): SharedEffect => ({ type: 'send', request });

export const deliver = (election: string, reply: ZooKeeperReply): SharedEffect => ({
  type: 'deliver',
  election,
  reply,
});

export const pathOf = ({ settings }: SharedState, election: string): string =>
  `${settings.prefix}/${election}`;
