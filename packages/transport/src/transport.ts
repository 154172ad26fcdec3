import type { NodeId } from '@hustings/elector';

/** One message on its way. `Message` is plain data. */
export interface Envelope<Message> {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: Message;
}

/** What a transport tells its owner. Called one at a time, never from inside `send`. */
export interface TransportHandlers<Message> {
  /** A message has arrived, decoded and from an authenticated peer. */
  received(from: NodeId, message: Message): void;
  /** The peer can be reached. Called once until the next `linkDown` of the same peer. */
  linkUp(peer: NodeId): void;
  /** The connection closed. The peer may be dead, or merely unreachable. */
  linkDown(peer: NodeId): void;
}

/**
 * Carries messages between nodes and promises little, as networks do: a message may be lost, and one that is
 * sent to an unreachable or slow peer is. It never arrives altered, twice, or before an earlier one to the
 * same peer over the same connection.
 */
export interface Transport<Message> {
  readonly id: NodeId;
  /** Resolves once this node can be reached and has tried each of its peers once. */
  start(handlers: TransportHandlers<Message>): Promise<void>;
  /** Never throws and never blocks. */
  send(to: NodeId, message: Message): void;
  /** Closes every link; no handler is called afterwards. Idempotent. */
  stop(): Promise<void>;
}
