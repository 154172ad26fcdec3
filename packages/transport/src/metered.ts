import type { NodeId } from '@hustings/elector';
import type { Transport } from './transport.js';

/** How many messages went one way. */
export interface Tally {
  readonly total: number;
  readonly byType: Readonly<Record<string, number>>;
  /** By the peer at the other end, then by type. */
  readonly byLink: Readonly<Record<NodeId, Readonly<Record<string, number>>>>;
}

export interface MessageCounts {
  /** Every call of `send`, whether or not the message arrived. */
  readonly sent: Tally;
  readonly received: Tally;
}

export interface MeteredTransport<Message> extends Transport<Message> {
  /** The counts so far, as a copy that no longer changes. */
  counts(): MessageCounts;
}

/**
 * Counts what passes. It counts what it sees: `metered(faulty(transport))` counts what the node tried to send
 * and what reached it, `faulty(metered(transport))` counts what survived the faults on the way out.
 */
export function metered<Message extends { readonly type: string }>(
  transport: Transport<Message>,
): MeteredTransport<Message> {
  const sent = new Counter();
  const received = new Counter();
  return {
    id: transport.id,
    incarnation: transport.incarnation,
    ...(transport.peers === undefined ? {} : { peers: transport.peers }),
    start: (handlers) =>
      transport.start({
        received(from, message, incarnation) {
          received.add(from, message.type);
          handlers.received(from, message, incarnation);
        },
        linkUp: (peer, incarnation) => handlers.linkUp(peer, incarnation),
        linkDown: (peer) => handlers.linkDown(peer),
        peerGone: (peer, incarnation) => handlers.peerGone?.(peer, incarnation),
      }),
    send(to, message, incarnation) {
      sent.add(to, message.type);
      transport.send(to, message, incarnation);
    },
    stop: () => transport.stop(),
    counts: () => ({ sent: sent.tally(), received: received.tally() }),
  };
}

class Counter {
  readonly #links = new Map<NodeId, Map<string, number>>();

  add(peer: NodeId, type: string): void {
    const types = this.#links.get(peer) ?? new Map<string, number>();
    types.set(type, (types.get(type) ?? 0) + 1);
    this.#links.set(peer, types);
  }

  tally(): Tally {
    const byType = new Map<string, number>();
    let total = 0;
    for (const types of this.#links.values()) {
      for (const [type, count] of types) {
        byType.set(type, (byType.get(type) ?? 0) + count);
        total += count;
      }
    }
    const byLink = [...this.#links].map(([peer, types]) => [peer, Object.fromEntries(types)] as const);
    return { total, byType: Object.fromEntries(byType), byLink: Object.fromEntries(byLink) };
  }
}
