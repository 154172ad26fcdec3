import { MalformedError, readCount, readRecord, readString } from '@hustings/elector/protocol';

/** Every message carries the highest epoch that its sender has heard of. */
export type BullyMessage =
  /** To every stronger node: is one of you there? */
  | { readonly type: 'election'; readonly epoch: number }
  /** To a weaker node that asked: yes. Stand back. */
  | { readonly type: 'answer'; readonly epoch: number }
  /** To every weaker node: I lead. */
  | { readonly type: 'coordinator'; readonly epoch: number }
  /** To everyone, periodically: I still lead. */
  | { readonly type: 'heartbeat'; readonly epoch: number }
  /** To everyone: I lead no longer, and do not stand. */
  | { readonly type: 'resigned'; readonly epoch: number };

export type BullyTimer =
  /** Follower: how long the leader may be silent. */
  | 'leader'
  /** Candidate: how long a stronger node may take to answer. */
  | 'answer'
  /** Candidate that was answered: how long the stronger node may take to announce a leader. */
  | 'coordinator'
  /** Leader: until the next heartbeat. */
  | 'heartbeat';

/** What must survive a crash: a node that forgot the epoch would reuse a token. */
export interface BullyDurable {
  readonly epoch: number;
}

const messageTypes: ReadonlySet<string> = new Set<BullyMessage['type']>([
  'election',
  'answer',
  'coordinator',
  'heartbeat',
  'resigned',
]);

export function decodeMessage(value: unknown): BullyMessage {
  const record = readRecord(value, 'A bully message');
  const type = readString(record, 'type');
  if (!messageTypes.has(type)) throw new MalformedError(`'${type}' is not a bully message.`);
  return { type: type as BullyMessage['type'], epoch: readCount(record, 'epoch') };
}

export function decodeDurable(value: unknown): BullyDurable {
  return { epoch: readCount(readRecord(value, "Bully's saved state"), 'epoch') };
}
