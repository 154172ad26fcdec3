import { MalformedError, readCount, readRecord, readString } from '@hustings/elector/protocol';

/** Every message carries the highest epoch that its sender has heard of. */
export type RollCallMessage =
  /** To everyone: I would lead. */
  | { readonly type: 'standing'; readonly epoch: number }
  /** To everyone: I lead, in this epoch. */
  | { readonly type: 'leading'; readonly epoch: number }
  /** To everyone: I neither lead nor stand any more. */
  | { readonly type: 'gone'; readonly epoch: number };

export type RollCallTimer =
  /** Candidate: how long the others have to say that they stand, too. */
  'decide';

/** What must survive a crash: a node that forgot the epoch would reuse a token. */
export interface RollCallDurable {
  readonly epoch: number;
}

const messageTypes: ReadonlySet<string> = new Set<RollCallMessage['type']>(['standing', 'leading', 'gone']);

export function decodeMessage(value: unknown): RollCallMessage {
  const record = readRecord(value, 'A roll call message');
  const type = readString(record, 'type');
  if (!messageTypes.has(type)) throw new MalformedError(`'${type}' is not a roll call message.`);
  return { type: type as RollCallMessage['type'], epoch: readCount(record, 'epoch') };
}

export function decodeDurable(value: unknown): RollCallDurable {
  return { epoch: readCount(readRecord(value, 'What roll call saved'), 'epoch') };
}
