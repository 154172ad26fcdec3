import type { NodeId } from '@hustings/elector';
import type { Transport } from '@hustings/transport';
import { MemoryNetwork } from '@hustings/transport/memory';
import { type WebSocketTransport, webSocketTransport } from '@hustings/transport/websocket';

/** A fixed set of nodes that can reach each other. */
export interface Network<Message> {
  /** A new transport, not started, for a node that has none running. */
  transport(id: NodeId): Transport<Message>;
}

/** One way to join nodes; a suite runs over each. */
export interface NetworkKind {
  readonly name: string;
  open<Message>(ids: readonly NodeId[], decodeMessage: (value: unknown) => Message): Network<Message>;
}

export const memoryNetwork: NetworkKind = {
  name: 'memory',
  open<Message>(ids: readonly NodeId[]) {
    const network = new MemoryNetwork<Message>();
    return { transport: (id) => network.transport(id, others(ids, id)) };
  },
};

/** Real sockets on the loopback interface, on whatever ports are free. */
export const webSocketNetwork: NetworkKind = {
  name: 'WebSocket',
  open<Message>(ids: readonly NodeId[], decodeMessage: (value: unknown) => Message) {
    const newest = new Map<NodeId, WebSocketTransport<Message>>();
    const addressOf = (id: NodeId) => {
      const address = newest.get(id)?.address() ?? null;
      return address === null ? null : `ws://127.0.0.1:${address.port}`;
    };
    return {
      transport(id) {
        const transport = webSocketTransport<Message>({
          id,
          listen: { host: '127.0.0.1', port: 0 },
          peers: Object.fromEntries(others(ids, id).map((peer) => [peer, () => addressOf(peer)])),
          secret: 'only nodes of one test know this',
          decodeMessage,
          reconnectDelayMs: { baseMs: 5, capMs: 50 },
          onDiagnostic: () => {},
        });
        newest.set(id, transport);
        return transport;
      },
    };
  },
};

function others(ids: readonly NodeId[], id: NodeId): NodeId[] {
  return ids.filter((other) => other !== id);
}
