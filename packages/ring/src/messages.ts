import type { NodeId } from '@hustings/elector';
import {
  MalformedError,
  readCount,
  readRecord,
  readString,
  readStrings,
  type UnknownRecord,
} from '@hustings/elector/protocol';

/** Who should lead? Goes round the ring once. */
export interface ElectionMessage {
  readonly type: 'election';
  /** The highest epoch that anybody who has passed it on has heard of. */
  readonly epoch: number;
  /** Who has passed it on, in order. The first is the one who started it. */
  readonly members: readonly NodeId[];
  /** Who of them would lead. By Chang and Roberts only the first, for it speaks for nobody else. */
  readonly candidates: readonly NodeId[];
  /** The sender's number for this hand-over, which the acknowledgement repeats. */
  readonly hop: number;
}

/** This node leads. Goes round the ring once. */
export interface CoordinatorMessage {
  readonly type: 'coordinator';
  /** The epoch that begins with this leader. */
  readonly epoch: number;
  readonly leaderId: NodeId;
  /** As in an election. */
  readonly members: readonly NodeId[];
  readonly hop: number;
}

/** What goes round the ring, from neighbour to neighbour. */
export type CirculatingMessage = ElectionMessage | CoordinatorMessage;

export type RingMessage =
  | CirculatingMessage
  /**
   * To the neighbour that handed over a message: I have it. It says nothing of epochs: whoever is elected
   * must hear of its epoch from the announcement first, or it could not tell that the epoch is its own.
   */
  | { readonly type: 'ack'; readonly hop: number }
  /** From the leader to everyone, periodically, and to whoever calls an election while it leads: I still lead. */
  | { readonly type: 'heartbeat'; readonly epoch: number }
  /** From the leader to everyone: I lead no longer. */
  | { readonly type: 'resigned'; readonly epoch: number }
  /** To a leader whose time has passed: a later epoch has begun. */
  | { readonly type: 'superseded'; readonly epoch: number };

export type RingTimer =
  /** Follower: how long the leader may be silent. */
  | 'leader'
  /** Whoever takes part in an election: how long it may take. */
  | 'election'
  /** Whoever has handed over a message: how long the acknowledgement may take. */
  | 'hop'
  /** Leader: until the next heartbeat. */
  | 'heartbeat';

/** What must survive a crash: a node that forgot the epoch would let it be used again. */
export interface RingDurable {
  readonly epoch: number;
}

export function decodeMessage(value: unknown): RingMessage {
  const record = readRecord(value, 'A ring message');
  const type = readString(record, 'type');
  switch (type) {
    case 'election':
      return {
        type,
        epoch: readCount(record, 'epoch'),
        members: readMembers(record),
        candidates: readStrings(record, 'candidates'),
        hop: readCount(record, 'hop'),
      };
    case 'coordinator':
      return {
        type,
        epoch: readCount(record, 'epoch'),
        leaderId: readString(record, 'leaderId'),
        members: readMembers(record),
        hop: readCount(record, 'hop'),
      };
    case 'ack':
      return { type, hop: readCount(record, 'hop') };
    case 'heartbeat':
    case 'resigned':
    case 'superseded':
      return { type, epoch: readCount(record, 'epoch') };
    default:
      throw new MalformedError(`'${type}' is not a ring message.`);
  }
}

export function decodeDurable(value: unknown): RingDurable {
  return { epoch: readCount(readRecord(value, "Ring's saved state"), 'epoch') };
}

function readMembers(record: UnknownRecord): readonly NodeId[] {
  const members = readStrings(record, 'members');
  if (members.length === 0) throw new MalformedError("Field 'members' must name at least the sender.");
  return members;
}
