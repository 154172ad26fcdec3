import type { NodeId } from '@hustings/elector';

/**
 * One message on its way. `Message` is plain data.
 *
 * A node outlives its processes, and a process has a clock of its own: what one said or was told means nothing to
 * the next. So an envelope names the process at each end by its incarnation, an opaque string that no other
 * process has. It is dropped when either of the two is gone. Over a WebSocket a connection stands for the
 * pair of them, because its handshake has proven both.
 */
export interface Envelope<Message> {
  readonly from: NodeId;
  /** The process that sent it. */
  readonly fromIncarnation: string;
  readonly to: NodeId;
  /** The process that it is for. */
  readonly toIncarnation: string;
  readonly message: Message;
}

/** What a transport tells its owner. Called one at a time, never from inside `send`. */
export interface TransportHandlers<Message> {
  /**
   * A message has arrived, decoded and from an authenticated peer, sent by the process of that incarnation. The
   * `linkUp` of that process came first, save from a gateway: it may say that its server is not there.
   */
  received(from: NodeId, message: Message, incarnation: string): void;
  /**
   * The peer's process of that incarnation can be reached. Called once until the next `linkDown` of the same
   * peer. Nothing that an earlier process of the peer sent is received from now on.
   */
  linkUp(peer: NodeId, incarnation: string): void;
  /** The connection closed. The peer may be dead, or merely unreachable. */
  linkDown(peer: NodeId): void;
  /**
   * A death certificate: the peer's process of that incarnation has ended. Nothing that it sent is received
   * afterwards, and its link, if it had one, is down. Only transports that were asked for certificates call it.
   */
  peerGone?(peer: NodeId, incarnation: string): void;
}

/**
 * Carries messages between nodes and promises little, as networks do: a message may be lost, and one that is
 * sent to an unreachable or slow peer is. It never arrives altered, twice, or before an earlier one to the
 * same peer over the same connection.
 */
export interface Transport<Message> {
  readonly id: NodeId;
  /** What tells this process from every other that runs, ran or will run as this node. */
  readonly incarnation: string;
  /** The nodes that it can reach, where it was told; none, where its only peer is a coordinator. */
  readonly peers?: readonly NodeId[];
  /** Resolves once this node can be reached and has tried each of its peers once. */
  start(handlers: TransportHandlers<Message>): Promise<void>;
  /**
   * Never throws and never blocks. With an incarnation, the message is for exactly that process of the node, and
   * is lost when the link leads to another one by now; without one, it is for whoever is there.
   */
  send(to: NodeId, message: Message, incarnation?: string): void;
  /** Closes every link; no handler is called afterwards. Idempotent. */
  stop(): Promise<void>;
}
