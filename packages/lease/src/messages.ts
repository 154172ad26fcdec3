import {
  MalformedError,
  readCount,
  readNumber,
  readOneOf,
  readOrNull,
  readRecord,
  readString,
  type UnknownRecord,
} from '@hustings/elector/protocol';

/** A fencing token in decimal digits: messages and states are plain data, and a token may exceed a number. */
export type Token = string;

/** A lease that somebody else may have, as a store shows it: `Held` in plain data. */
export interface LeaseView {
  /** Null where the store cannot tell. */
  readonly holder: string | null;
  readonly token: Token | null;
  /** When to ask again: what is left of it, or where the observer's clock rules the time that its holder published. */
  readonly expiresInMs: number;
  /** Only where the observer's clock rules. */
  readonly version: string | null;
}

/**
 * Why a request failed. Only `refused` says for certain that it was not carried out; after the other two it may have
 * been, or may be yet.
 */
export type FailureReason = 'refused' | 'unavailable' | 'timeout';

/** What an elector asks of the store. `id` comes back with the answer. */
export type LeaseRequest =
  /** For the lease. `sentMs` comes back, for the lease counts from there. */
  | {
      readonly type: 'acquire';
      readonly id: number;
      readonly name: string;
      readonly holder: string;
      readonly ttlMs: number;
      /** The version to take it over from, where the observer's clock rules; null to take it only if it is free. */
      readonly over: string | null;
      readonly sentMs: number;
    }
  | {
      readonly type: 'renew';
      readonly id: number;
      readonly name: string;
      readonly holder: string;
      readonly token: Token;
      readonly ttlMs: number;
      readonly sentMs: number;
    }
  /** Of the own lease, or on proof of its end that of another process. */
  | {
      readonly type: 'release';
      readonly id: number;
      readonly name: string;
      readonly holder: string;
      readonly token: Token;
    }
  /** Who has it? Asked as often as leases are renewed, and whenever a hint came. */
  | { readonly type: 'read'; readonly id: number; readonly name: string }
  /** To be told when to look again. */
  | { readonly type: 'watch'; readonly id: number; readonly name: string };

/** What the store says. */
export type LeaseReply =
  /** The lease is `holder`'s, for this long from when the store carried it out. */
  | {
      readonly type: 'acquired';
      readonly id: number;
      readonly holder: string;
      readonly token: Token;
      readonly validForMs: number;
      readonly sentMs: number;
    }
  /** Somebody else has it. */
  | ({ readonly type: 'held'; readonly id: number } & LeaseView)
  | {
      readonly type: 'renewed';
      readonly id: number;
      readonly token: Token;
      readonly validForMs: number;
      readonly sentMs: number;
    }
  /** It is no longer the asker's under this token, and never will be again. */
  | { readonly type: 'lost'; readonly id: number; readonly token: Token }
  | { readonly type: 'released'; readonly id: number }
  /** What `read` has found; null where nobody has the lease. */
  | { readonly type: 'found'; readonly id: number; readonly lease: LeaseView | null }
  | { readonly type: 'watching'; readonly id: number }
  /** A hint: look again. */
  | { readonly type: 'changed'; readonly id: number }
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly reason: FailureReason;
      readonly detail: string;
    };

export type LeaseMessage = LeaseRequest | LeaseReply;

export type LeaseTimer =
  /** Until the request that the present phase waits for is sent again. */
  | 'request'
  /** Until it is looked who has the lease. */
  | 'look'
  /** Until another's lease is over, if it is not renewed. */
  | 'due'
  /** Until the own lease is renewed, or renewal is tried again. */
  | 'renew';

/** Everything that must survive is in the store. */
export type LeaseDurable = null;

/** What the application may ask for beside leading. */
export interface LeaseElectionRequest {
  /** After `data-lost`: lead with tokens at or below those that this node has seen. */
  readonly type: 'accept-lower-tokens';
}

export type LeaseAnnouncement =
  /** The store knows less than it did. This node leads with no token up to this one; `detail` says what to do. */
  | { readonly type: 'data-lost'; readonly highestToken: bigint; readonly detail: string }
  /** The store answered and said no; it is asked again, but somebody should look at the configuration. */
  | { readonly type: 'refused'; readonly reason: FailureReason; readonly detail: string };

/** Whether a request that failed for this reason was certainly not carried out. */
export const isDefiniteFailure = (reason: FailureReason): boolean => reason === 'refused';

export function decodeMessage(value: unknown): LeaseMessage {
  const record = readRecord(value, 'A message of a lease');
  const type = readString(record, 'type');
  const id = readCount(record, 'id');
  const text = (field: string): string => readString(record, field);
  switch (type) {
    case 'acquire':
      return {
        ...{ type, id, name: text('name'), holder: text('holder') },
        ...{
          ttlMs: readNumber(record, 'ttlMs'),
          over: readOrNull(record, 'over', readString),
          sentMs: readNumber(record, 'sentMs'),
        },
      };
    case 'renew':
      return {
        ...{ type, id, name: text('name'), holder: text('holder'), token: readDigits(record) },
        ...{ ttlMs: readNumber(record, 'ttlMs'), sentMs: readNumber(record, 'sentMs') },
      };
    case 'release':
      return { type, id, name: text('name'), holder: text('holder'), token: readDigits(record) };
    case 'read':
    case 'watch':
      return { type, id, name: text('name') };
    case 'acquired':
      return { type, id, holder: text('holder'), ...readGrant(record) };
    case 'renewed':
      return { type, id, ...readGrant(record) };
    case 'held':
      return { type, id, ...readView(record) };
    case 'found': {
      const { lease } = record;
      return { type, id, lease: lease === null ? null : readView(readRecord(lease, 'A lease')) };
    }
    case 'lost':
      return { type, id, token: readDigits(record) };
    case 'failed':
      return {
        type,
        id,
        reason: readOneOf(record, 'reason', ['refused', 'unavailable', 'timeout']),
        detail: text('detail'),
      };
    case 'released':
    case 'watching':
    case 'changed':
      return { type, id };
    default:
      throw new MalformedError(`'${type}' is not a message to or from a store of leases.`);
  }
}

export function decodeDurable(value: unknown): LeaseDurable {
  if (value !== null) throw new MalformedError('A lease elector saves nothing, so its state must be null.');
  return null;
}

const readGrant = (record: UnknownRecord) => ({
  token: readDigits(record),
  validForMs: readNumber(record, 'validForMs'),
  sentMs: readNumber(record, 'sentMs'),
});

function readView(record: UnknownRecord): LeaseView {
  const { token } = record;
  return {
    holder: readOrNull(record, 'holder', readString),
    token: token === null ? null : readDigits(record),
    expiresInMs: readNumber(record, 'expiresInMs'),
    version: readOrNull(record, 'version', readString),
  };
}

function readDigits(record: UnknownRecord): Token {
  const token = readString(record, 'token');
  if (!/^(0|[1-9]\d{0,38})$/.test(token)) {
    throw new MalformedError("Field 'token' must be decimal digits, without leading zeros.");
  }
  return token;
}
