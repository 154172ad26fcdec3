import { InvalidOptionError, type NodeId } from '@hustings/elector';
import { logged } from './diagnostics.js';
import { checkNodeId } from './node-id.js';
import type { Transport, TransportHandlers } from './transport.js';

/**
 * Joins nodes of one process. It loses nothing and delays nothing by itself; put `faulty` over a transport
 * for that. Messages are copied when sent, so nodes share no objects, and arrive in a later turn of the
 * event loop, in the order in which they were sent.
 */
export class MemoryNetwork<Message> {
  readonly #running = new Map<NodeId, MemoryTransport<Message>>();
  #created = 0;

  /** A node that is stopped does not start again: create another transport with the same id. */
  transport(id: NodeId, peers: readonly NodeId[]): Transport<Message> {
    for (const name of [id, ...peers]) checkNodeId(name);
    if (peers.includes(id)) throw new InvalidOptionError(`Node ${id} cannot be its own peer; leave it out.`);
    this.#created += 1;
    return new MemoryTransport(id, `${id}#${this.#created}`, new Set(peers), this.#running);
  }
}

class MemoryTransport<Message> implements Transport<Message> {
  readonly id: NodeId;
  readonly incarnation: string;
  readonly #peers: ReadonlySet<NodeId>;
  readonly #running: Map<NodeId, MemoryTransport<Message>>;
  #handlers: TransportHandlers<Message> | null = null;
  #stopped = false;

  constructor(
    id: NodeId,
    incarnation: string,
    peers: ReadonlySet<NodeId>,
    running: Map<NodeId, MemoryTransport<Message>>,
  ) {
    this.id = id;
    this.incarnation = incarnation;
    this.#peers = peers;
    this.#running = running;
  }

  async start(handlers: TransportHandlers<Message>): Promise<void> {
    if (this.#handlers !== null || this.#stopped) {
      throw new InvalidOptionError(`Transport ${this.id} starts only once; create another one.`);
    }
    if (this.#running.has(this.id)) {
      throw new InvalidOptionError(`Another node runs as ${this.id}; give each node an id of its own.`);
    }
    this.#handlers = logged(this.id, handlers);
    this.#running.set(this.id, this);
    for (const peer of this.#linked()) {
      this.#tell((owner) => owner.linkUp(peer.id, peer.incarnation));
      peer.#tell((owner) => owner.linkUp(this.id, this.incarnation));
    }
    await new Promise<void>((resolve) => soon(resolve));
  }

  send(to: NodeId, message: Message, incarnation?: string): void {
    if (this.#handlers === null) return;
    const receiver = this.#running.get(to);
    if (receiver === undefined || !this.#knows(receiver)) return;
    if (incarnation !== undefined && incarnation !== receiver.incarnation) return;
    const copy = this.#copy(message);
    if (copy !== null) receiver.#tell((owner) => owner.received(this.id, copy.message, this.incarnation));
  }

  async stop(): Promise<void> {
    if (this.#handlers !== null) {
      for (const peer of this.#linked()) peer.#tell((owner) => owner.linkDown(this.id));
      this.#running.delete(this.id);
    }
    this.#handlers = null;
    this.#stopped = true;
  }

  #linked(): MemoryTransport<Message>[] {
    return [...this.#running.values()].filter((other) => this.#knows(other));
  }

  /** Both ends must name each other, as both ends of a WebSocket must. */
  #knows(other: MemoryTransport<Message>): boolean {
    return this.#peers.has(other.id) && other.#peers.has(this.id);
  }

  #tell(event: (owner: TransportHandlers<Message>) => void): void {
    soon(() => {
      if (this.#handlers !== null) event(this.#handlers);
    });
  }

  #copy(message: Message): { readonly message: Message } | null {
    try {
      return { message: structuredClone(message) };
    } catch (error) {
      // A message that is not plain data is a mistake in the program. It must be heard, but `send` never throws.
      soon(() => {
        throw error;
      });
      return null;
    }
  }
}

/** Browsers have no `setImmediate`. Both run tasks in the order given, one at a time. */
function soon(task: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(task);
  else setTimeout(task, 0);
}
