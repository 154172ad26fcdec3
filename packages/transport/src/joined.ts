import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Transport, TransportHandlers } from './transport.js';

export interface JoinedTransports<Message> {
  /** The way to the coordinator: a gateway. Whoever is not a peer is reached through it. */
  readonly coordinator: Transport<Message>;
  /** The links between the nodes themselves, such as `webSocketTransport`. It names its peers. */
  readonly peers: Transport<Message>;
}

/**
 * Two transports of one node as one, for electors that talk to a coordinator and to each other. The process is named
 * after its links to its peers: they are who hears that it has ended.
 */
export function joinTransports<Message>({
  coordinator,
  peers,
}: JoinedTransports<Message>): Transport<Message> {
  if (coordinator.id !== peers.id) {
    throw new InvalidOptionError(
      `joinTransports: one node cannot be both '${coordinator.id}' and '${peers.id}'; give both transports one id.`,
    );
  }
  const others = new Set<NodeId>(peers.peers);
  return {
    id: peers.id,
    incarnation: peers.incarnation,
    peers: [...others],
    start: (handlers) => startBoth(coordinator, peers, handlers),
    send(to, message, incarnation) {
      (others.has(to) ? peers : coordinator).send(to, message, incarnation);
    },
    async stop() {
      await Promise.all([coordinator.stop(), peers.stop()]);
    },
  };
}

/** Of two, one that has started must not outlive the other's failure. */
async function startBoth<Message>(
  coordinator: Transport<Message>,
  peers: Transport<Message>,
  handlers: TransportHandlers<Message>,
): Promise<void> {
  try {
    await Promise.all([peers.start(handlers), coordinator.start(handlers)]);
  } catch (error) {
    await Promise.all([peers.stop(), coordinator.stop()]);
    throw error;
  }
}
