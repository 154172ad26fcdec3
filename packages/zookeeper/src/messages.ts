import {
  MalformedError,
  readBoolean,
  readCount,
  readNumber,
  readOneOf,
  readOrNull,
  readRecord,
  readString,
  readStrings,
  type UnknownRecord,
} from '@hustings/elector/protocol';

/** A session's id, as ZooKeeper prints it: hexadecimal digits. */
export type SessionId = string;

/** What a znode's name is to its parent: the last part of its path. */
export type ZnodeName = string;

/**
 * Why a request failed. Only `no-node` and `refused` say for certain that it was not carried out; after
 * `connection-loss` it may have been, or may be yet.
 */
export type FailureReason = 'no-node' | 'refused' | 'connection-loss';

/**
 * What an elector asks of ZooKeeper. `id` comes back with the answer. Requests of one session are carried out
 * in the order in which they were sent, each at most once: one that is overtaken is lost.
 */
export type ZooKeeperRequest =
  /** For a session, or, with `session`, for the way back into that one. */
  | {
      readonly type: 'connect';
      readonly id: number;
      readonly session: SessionId | null;
      readonly sessionTimeoutMs: number;
    }
  /** Creates a container at this path, and above it whatever is missing. Safe to repeat. */
  | { readonly type: 'ensure'; readonly id: number; readonly session: SessionId; readonly path: string }
  /** An ephemeral sequential znode: the server appends ten digits to `path`. Not safe to repeat. */
  | {
      readonly type: 'create';
      readonly id: number;
      readonly session: SessionId;
      readonly path: string;
      readonly data: string;
    }
  /** The names of a znode's children. A watch fires once, at the next change of them. */
  | {
      readonly type: 'children';
      readonly id: number;
      readonly session: SessionId;
      readonly path: string;
      readonly watch: boolean;
    }
  /** A znode's data. A watch fires once, when the znode is deleted. */
  | {
      readonly type: 'get';
      readonly id: number;
      readonly session: SessionId;
      readonly path: string;
      readonly watch: boolean;
    }
  | { readonly type: 'delete'; readonly id: number; readonly session: SessionId; readonly path: string }
  /** Is the znode there? Asked of the member that this node is connected to, which may be out of date. */
  | { readonly type: 'ping'; readonly id: number; readonly session: SessionId; readonly path: string }
  /**
   * The same, as a write that changes nothing: only the ensemble's leader with a majority can answer it. A leader
   * proves its own znode periodically, and whoever is next the leader's; a node whose turn has come, and that has
   * proven too little, confirms its own.
   */
  | {
      readonly type: 'confirm' | 'prove';
      readonly id: number;
      readonly session: SessionId;
      readonly path: string;
    };

/** What ZooKeeper says. */
export type ZooKeeperReply =
  /**
   * `sessionTimeoutMs` is what the server granted. The ensemble has heard of the session since this was asked for; or,
   * where elections share a session that was there before, `agoMs` earlier or since.
   */
  | {
      readonly type: 'connected';
      readonly id: number;
      readonly session: SessionId;
      readonly sessionTimeoutMs: number;
      readonly agoMs?: number;
    }
  /** The connection is gone. The session may live on. */
  | { readonly type: 'disconnected'; readonly session: SessionId }
  /** The session is over, and every znode that it had created is gone. */
  | { readonly type: 'expired'; readonly session: SessionId }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'created'; readonly id: number; readonly path: string; readonly czxid: number }
  | { readonly type: 'listed'; readonly id: number; readonly names: readonly ZnodeName[] }
  | {
      readonly type: 'got';
      readonly id: number;
      readonly data: string;
      readonly czxid: number;
      /** The session that an ephemeral znode belongs to; `0` for one that is not. */
      readonly owner: SessionId;
    }
  | { readonly type: 'pong' | 'proven'; readonly id: number; readonly exists: boolean }
  | { readonly type: 'confirmed'; readonly id: number; readonly exists: boolean }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly reason: FailureReason;
      readonly detail: string;
    }
  | { readonly type: 'node-deleted'; readonly session: SessionId; readonly path: string }
  | { readonly type: 'children-changed'; readonly session: SessionId; readonly path: string };

export type ZooKeeperMessage = ZooKeeperRequest | ZooKeeperReply;

export type ZooKeeperTimer =
  /** Until the request that is awaited counts as lost, or until one that failed is tried again. */
  | 'request'
  /** Until ZooKeeper is asked whether all is as it was. */
  | 'ping';

/** Everything that must survive is in ZooKeeper. */
export type ZooKeeperDurable = null;

/** What the application may ask for beside leading. */
export type ZooKeeperElectionRequest =
  /** After `data-lost`: lead with tokens at or below those that this node has seen. */
  { readonly type: 'accept-lower-tokens' };

export type ZooKeeperAnnouncement =
  /** ZooKeeper knows less than it did. This node leads with no token up to this one; `detail` says what to do. */
  | { readonly type: 'data-lost'; readonly highestToken: bigint; readonly detail: string }
  /** ZooKeeper answered and said no; it is asked again, but somebody should look at the configuration. */
  | { readonly type: 'refused'; readonly detail: string };

const isDefinite: Readonly<Record<FailureReason, boolean>> = {
  'no-node': true,
  refused: true,
  'connection-loss': false,
};

/** Whether a request that failed for this reason was certainly not carried out. */
export function isDefiniteFailure(reason: FailureReason): boolean {
  return isDefinite[reason];
}

export function decodeMessage(value: unknown): ZooKeeperMessage {
  const record = readRecord(value, 'A ZooKeeper message');
  const type = readString(record, 'type');
  switch (type) {
    case 'connect':
      return {
        type,
        id: readCount(record, 'id'),
        session: readOrNull(record, 'session', readSession),
        sessionTimeoutMs: readCount(record, 'sessionTimeoutMs'),
      };
    case 'ensure':
    case 'delete':
    case 'ping':
    case 'confirm':
    case 'prove':
      return { type, ...readTarget(record) };
    case 'create':
      return { type, ...readTarget(record), data: readString(record, 'data') };
    case 'children':
    case 'get':
      return { type, ...readTarget(record), watch: readBoolean(record, 'watch') };
    case 'connected':
      return {
        type,
        id: readCount(record, 'id'),
        session: readSession(record, 'session'),
        sessionTimeoutMs: readCount(record, 'sessionTimeoutMs'),
        ...('agoMs' in record ? { agoMs: readNumber(record, 'agoMs') } : {}),
      };
    case 'disconnected':
    case 'expired':
      return { type, session: readSession(record, 'session') };
    case 'done':
      return { type, id: readCount(record, 'id') };
    case 'created':
      return {
        type,
        id: readCount(record, 'id'),
        path: readString(record, 'path'),
        czxid: readCount(record, 'czxid'),
      };
    case 'listed':
      return { type, id: readCount(record, 'id'), names: readStrings(record, 'names') };
    case 'got':
      return {
        type,
        id: readCount(record, 'id'),
        data: readString(record, 'data'),
        czxid: readCount(record, 'czxid'),
        owner: readSession(record, 'owner'),
      };
    case 'pong':
    case 'confirmed':
    case 'proven':
      return { type, id: readCount(record, 'id'), exists: readBoolean(record, 'exists') };
    case 'failed':
      return {
        type,
        id: readCount(record, 'id'),
        reason: readOneOf(record, 'reason', Object.keys(isDefinite) as FailureReason[]),
        detail: readString(record, 'detail'),
      };
    case 'node-deleted':
    case 'children-changed':
      return { type, session: readSession(record, 'session'), path: readString(record, 'path') };
    default:
      throw new MalformedError(`'${type}' is not a message to or from ZooKeeper.`);
  }
}

export function decodeDurable(value: unknown): ZooKeeperDurable {
  if (value !== null)
    throw new MalformedError('A ZooKeeper elector saves nothing, so its state must be null.');
  return null;
}

function readTarget(record: UnknownRecord) {
  return {
    id: readCount(record, 'id'),
    session: readSession(record, 'session'),
    path: readString(record, 'path'),
  };
}

function readSession(record: UnknownRecord, field: string): SessionId {
  const value = readString(record, field);
  if (!/^[0-9a-f]{1,16}$/.test(value)) {
    throw new MalformedError(`Field '${field}' must be up to 16 hexadecimal digits.`);
  }
  return value;
}
