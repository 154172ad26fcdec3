/** A transport that is listened to: how many messages, how long round trips take, who is there. */

import type { NodeId } from '@hustings/elector';
import type { Transport } from '@hustings/transport';

export interface TransportWatcher {
  message(direction: 'sent' | 'received', peer: NodeId, type: string): void;
  roundTrip(peer: NodeId, ms: number): void;
  linkUp(peer: NodeId): void;
  linkDown(peer: NodeId): void;
}

/** A message that answers another carries its number or, better, when that was sent. */
interface AnyMessage {
  readonly type: string;
  readonly id?: number;
  readonly sentMs?: number;
}

/** What answers a renewal, and the type of what it answers; null where the answer says when that was sent. */
export type Answers = Readonly<Record<string, string | null>>;

export function watched<Message extends { readonly type: string }>(
  transport: Transport<Message>,
  answers: Answers,
  watcher: TransportWatcher,
): Transport<Message> {
  const questions = new Set(Object.values(answers));
  const askedMs = new Map<number, number>();

  function ask({ type, id }: AnyMessage): void {
    if (id === undefined || !questions.has(type)) return;
    // Of a server that does not answer there is nothing to measure.
    if (askedMs.size > 100) askedMs.clear();
    askedMs.set(id, performance.now());
  }

  function measure(peer: NodeId, { type, id = -1, sentMs = askedMs.get(id) }: AnyMessage): void {
    if (!Object.hasOwn(answers, type) || sentMs === undefined) return;
    askedMs.delete(id);
    watcher.roundTrip(peer, performance.now() - sentMs);
  }

  return {
    id: transport.id,
    incarnation: transport.incarnation,
    ...(transport.peers === undefined ? {} : { peers: transport.peers }),
    start: (handlers) =>
      transport.start({
        received(from, message, incarnation) {
          watcher.message('received', from, message.type);
          measure(from, message);
          handlers.received(from, message, incarnation);
        },
        linkUp(peer, incarnation) {
          watcher.linkUp(peer);
          handlers.linkUp(peer, incarnation);
        },
        linkDown(peer) {
          watcher.linkDown(peer);
          handlers.linkDown(peer);
        },
        peerGone: (peer, incarnation) => handlers.peerGone?.(peer, incarnation),
      }),
    send(to, message, incarnation) {
      watcher.message('sent', to, message.type);
      ask(message);
      transport.send(to, message, incarnation);
    },
    stop: () => transport.stop(),
  };
}
