/** How the nodes of a group ask its leader for leases: over the same links as Raft's own messages. */

import type { NodeId } from '@hustings/elector';
import {
  MalformedError,
  readCount,
  readList,
  readOneOf,
  readRecord,
  readString,
} from '@hustings/elector/protocol';
import {
  type Answer,
  type Call,
  decodeAnswer,
  decodeCall,
  encodeAnswer,
  encodeCall,
} from '@hustings/lease/gateway';
import type { Transport } from '@hustings/transport';

export type CallMessage =
  | { readonly type: 'lease-calls'; readonly id: number; readonly calls: readonly unknown[] }
  | { readonly type: 'lease-answers'; readonly id: number; readonly answers: readonly unknown[] }
  /** This node cannot: ask whoever leads by now. */
  | { readonly type: 'lease-refused'; readonly id: number; readonly reason: string };

const types = ['lease-calls', 'lease-answers', 'lease-refused'] as const;

const isCallMessage = (message: { readonly type: string }): message is CallMessage =>
  types.some((type) => type === message.type);

/** Reads messages of both kinds. */
export const decodeBoth =
  <Message>(decodeMessage: (value: unknown) => Message) =>
  (value: unknown): Message | CallMessage => {
    const record = readRecord(value, 'A message');
    if (!isCallMessage({ type: readString(record, 'type') })) return decodeMessage(value);
    const [type, id] = [readOneOf(record, 'type', types), readCount(record, 'id')];
    if (type === 'lease-refused') return { type, id, reason: readString(record, 'reason') };
    if (type === 'lease-calls') return { type, id, calls: readList(record, 'calls', (call) => call) };
    return { type, id, answers: readList(record, 'answers', (answer) => answer) };
  };

/** Thrown when this node does not lead, or cannot lead on: whoever does may be asked the same. */
export class NotServedError extends Error {}

interface Pending {
  resolve(answers: readonly Answer[]): void;
  reject(error: Error): void;
}

export class CallLink<Message extends { readonly type: string }> {
  readonly #pending = new Map<number, Pending>();
  readonly #serve: (calls: readonly Call[]) => Promise<readonly Answer[]>;
  readonly #timeoutMs: number;
  #transport: Transport<Message | CallMessage> | null = null;
  #count = 0;

  constructor(serve: (calls: readonly Call[]) => Promise<readonly Answer[]>, timeoutMs: number) {
    this.#serve = serve;
    this.#timeoutMs = timeoutMs;
  }

  /** The same transport, as one that carries Raft's messages alone. */
  share(transport: Transport<Message | CallMessage>): Transport<Message> {
    this.#transport = transport;
    return {
      ...{ id: transport.id, incarnation: transport.incarnation },
      ...(transport.peers && { peers: transport.peers }),
      start: (handlers) =>
        transport.start({
          received: (from, message, incarnation) => {
            if (isCallMessage(message)) this.#hear(from, message, incarnation);
            else handlers.received(from, message, incarnation);
          },
          linkUp: (peer, incarnation) => handlers.linkUp(peer, incarnation),
          linkDown: (peer) => handlers.linkDown(peer),
          peerGone: (peer, incarnation) => handlers.peerGone?.(peer, incarnation),
        }),
      send: (to, message, incarnation) => transport.send(to, message, incarnation),
      stop: () => transport.stop(),
    };
  }

  /** Rejects with `NotServedError` if that node cannot, and with another error if no answer comes. */
  ask(leaderId: NodeId, calls: readonly Call[]): Promise<readonly Answer[]> {
    this.#count += 1;
    const id = this.#count;
    return new Promise<readonly Answer[]>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timeout);
        this.#pending.delete(id);
      };
      const pending: Pending = {
        resolve: (answers) => {
          settle();
          resolve(answers);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      const timeout = setTimeout(
        () => pending.reject(new Error(`${leaderId} has not answered in ${this.#timeoutMs} ms.`)),
        this.#timeoutMs,
      );
      this.#pending.set(id, pending);
      this.#transport?.send(leaderId, { type: 'lease-calls', id, calls: calls.map(encodeCall) });
    });
  }

  #hear(from: NodeId, message: CallMessage, incarnation: string): void {
    const pending = this.#pending.get(message.id);
    if (message.type === 'lease-calls') void this.#answer(from, message, incarnation);
    else if (message.type === 'lease-refused') pending?.reject(new NotServedError(message.reason));
    else {
      try {
        pending?.resolve(message.answers.map(decodeAnswer));
      } catch (error) {
        pending?.reject(error as Error);
      }
    }
  }

  async #answer(
    from: NodeId,
    { id, calls }: Extract<CallMessage, { type: 'lease-calls' }>,
    incarnation: string,
  ): Promise<void> {
    try {
      const answers = await this.#serve(calls.map(decodeCall));
      this.#transport?.send(
        from,
        { type: 'lease-answers', id, answers: answers.map(encodeAnswer) },
        incarnation,
      );
    } catch (error) {
      // Where it is not known what was done, no answer is the answer.
      if (!(error instanceof NotServedError) && !(error instanceof MalformedError)) return;
      this.#transport?.send(from, { type: 'lease-refused', id, reason: error.message }, incarnation);
    }
  }
}
