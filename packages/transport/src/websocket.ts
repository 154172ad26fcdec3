import { randomUUID } from 'node:crypto';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { InvalidOptionError, type NodeId } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import { WebSocket } from 'ws';
import { Connection, type ConnectionContext, socketOptions } from './connection.js';
import type { TransportDiagnostic } from './diagnostics.js';
import { asError, attempt, guarded } from './guarded.js';
import {
  AcceptorHandshake,
  DiallerHandshake,
  type Handshake,
  type Identity,
  type ProvenIdentity,
} from './handshake.js';
import { addressOf, type Listener, openListener, placeOf } from './listener.js';
import { Peer, type PeerEvents } from './peer.js';
import { goingAwayCode, Refusal, RefusalCounter, type RefusalCounts, redundantCode } from './refusals.js';
import type { Transport, TransportHandlers } from './transport.js';
import { type DialEvents, Vigil } from './vigil.js';
import { checkAddress, type Settings, settle, type WebSocketTransportOptions } from './websocket-options.js';

export { describeDiagnostic, type TransportDiagnostic } from './diagnostics.js';
export type { RefusalCounts, RefusalReason } from './refusals.js';
export type { PeerAddress, WebSocketTlsOptions, WebSocketTransportOptions } from './websocket-options.js';

export interface WebSocketTransport<Message> extends Transport<Message> {
  /** Where this node listens; null unless it does. */
  address(): AddressInfo | null;
  /** How many connections this node has refused or dropped, by reason, since it was created. */
  refusals(): RefusalCounts;
  /** Whether the death of the peer's present process would be certified: with `deathCertificates`, soon after `linkUp`. */
  certifies(peer: NodeId): boolean;
}

/**
 * Joins nodes of different processes and machines, over one authenticated WebSocket for each pair. Without
 * TLS it proves who is at the other end but hides nothing, and somebody on the path could alter messages:
 * use TLS wherever the network is not yours alone.
 *
 * While started it keeps the process alive. Throws `InvalidOptionError`; `start` rejects when the port is taken.
 */
export function webSocketTransport<Message>(
  options: WebSocketTransportOptions<Message>,
): WebSocketTransport<Message> {
  return new WebSocketNode(settle(options));
}

class WebSocketNode<Message> implements WebSocketTransport<Message> {
  readonly id: NodeId;
  readonly incarnation = randomUUID();
  readonly peers: readonly NodeId[];
  readonly #settings: Settings<Message>;
  readonly #self: Identity;
  readonly #refusals = new RefusalCounter();
  readonly #context: ConnectionContext;
  readonly #peers: ReadonlyMap<NodeId, Peer>;
  /** Over each peer; none without `deathCertificates`. */
  readonly #vigils: ReadonlyMap<NodeId, Vigil>;
  /** The connection over which each peer watches this node. */
  readonly #watchers = new Map<NodeId, Connection>();
  readonly #connections = new Set<Connection>();
  #handlers: TransportHandlers<Message> | null = null;
  #starting: Promise<void> | null = null;
  #listener: Listener | null = null;
  #stopping: Promise<void> | null = null;
  #hasWarned = false;

  constructor(settings: Settings<Message>) {
    this.id = settings.id;
    this.peers = Object.keys(settings.peers);
    this.#settings = settings;
    this.#self = { id: settings.id, incarnation: this.incarnation };
    this.#context = {
      limits: settings,
      refusals: this.#refusals,
      report: (diagnostic) => this.#report(diagnostic),
    };
    this.#peers = new Map(this.peers.map((peer) => [peer, this.#peer(peer)]));
    this.#vigils = new Map(
      settings.deathCertificates ? this.peers.map((peer) => [peer, this.#vigil(peer)]) : [],
    );
  }

  async start(handlers: TransportHandlers<Message>): Promise<void> {
    if (this.#starting !== null || this.#stopping !== null) {
      throw new InvalidOptionError(`Transport ${this.id} starts only once; create another one.`);
    }
    this.#checkComputedAddresses();
    this.#handlers = guarded(handlers, (handler, peer, error) =>
      this.#report({ type: 'handler-failed', handler, peer, error }),
    );
    this.#starting = this.#listen();
    await this.#starting;
    await Promise.all([...this.#peers.values()].map((peer) => peer.dial()));
  }

  send(to: NodeId, message: Message, incarnation?: string): void {
    const peer = this.#peers.get(to);
    if (peer === undefined || this.#handlers === null) return;
    const text = this.#encode(to, message);
    if (text !== null) peer.send(text, incarnation);
  }

  stop(): Promise<void> {
    this.#handlers = null;
    this.#stopping ??= this.#close();
    return this.#stopping;
  }

  address(): AddressInfo | null {
    return this.#stopping === null ? (this.#listener?.address ?? null) : null;
  }

  refusals(): RefusalCounts {
    return this.#refusals.counts();
  }

  certifies(peer: NodeId): boolean {
    return this.#vigils.get(peer)?.stands ?? false;
  }

  /** Those that a function gives at present, so that a mistake is heard of at the start, as with any other. */
  #checkComputedAddresses(): void {
    for (const peer of this.#peers.keys()) {
      const address = this.#presentAddressOf(peer);
      if (address !== null) checkAddress(peer, address, this.#settings.tls);
    }
  }

  /** Null when the function fails, which is reported each time that the peer is dialled. */
  #presentAddressOf(peer: NodeId): string | null {
    try {
      return this.#addressOf(peer);
    } catch {
      return null;
    }
  }

  #addressOf(peer: NodeId): string | null {
    const address = this.#settings.peers[peer] ?? null;
    if (typeof address !== 'function') return address;
    const given: unknown = address();
    if (typeof given === 'string' || given === null) return given;
    if (given instanceof Promise) given.catch(() => {});
    throw new InvalidOptionError(`The function in 'peers' for ${peer} must return a string or null.`);
  }

  async #listen(): Promise<void> {
    const { listen, tls } = this.#settings;
    if (listen === undefined) return;
    this.#listener = await openListener({
      ...this.#settings,
      ...listen,
      ...(tls === undefined ? {} : { tls }),
      peerCount: this.#peers.size,
      accept: (socket, stream, trust) => this.#accept(socket, stream, trust),
      refused: (refusal, address) => this.#refuseStranger(refusal, address),
    });
  }

  async #close(): Promise<void> {
    for (const vigil of this.#vigils.values()) vigil.stop();
    for (const peer of this.#peers.values()) peer.stop();
    const closing = [...this.#connections].map((connection) => {
      const { closed } = connection;
      connection.close(goingAwayCode);
      return closed;
    });
    // A stop during the start waits for the port, to give it back.
    await this.#starting?.catch(() => {});
    this.#listener?.close();
    await Promise.all(closing);
    await this.#listener?.closed();
  }

  #peer(id: NodeId): Peer {
    const events: PeerEvents = {
      received: (from, value, incarnation) => this.#receive(from, value, incarnation),
      linkUp: (peer, incarnation) => {
        this.#vigils.get(peer)?.linked(incarnation);
        this.#handlers?.linkUp(peer, incarnation);
      },
      linkDown: (peer) => {
        this.#vigils.get(peer)?.unlinked();
        this.#handlers?.linkDown(peer);
      },
    };
    return new Peer(this.id, id, this.#settings, events, () => this.#dial(id));
  }

  #vigil(peer: NodeId): Vigil {
    return new Vigil((place, events) => this.#dialForVigil(peer, place, events), this.#settings, {
      gone: (incarnation) => {
        this.#peers.get(peer)?.bury(incarnation);
        this.#handlers?.peerGone?.(peer, incarnation);
      },
      uncertifiable: (detail) => this.#report({ type: 'uncertifiable', peer, detail }),
    });
  }

  #dial(peer: NodeId): Connection | null {
    const socket = this.#openSocket(peer);
    if (socket === null) return null;
    const connection = this.#connect(socket, peer, false, (process) =>
      this.#peers.get(peer)?.adopt(connection, process),
    );
    connection.onEnd(() => {
      const { failure, kept } = connection;
      if (failure !== null && !kept) this.#report({ type: 'dial-failed', peer, error: failure });
    });
    return connection;
  }

  #dialForVigil(peer: NodeId, place: string | null, events: DialEvents): Connection | null {
    const socket = this.#openSocket(peer, place);
    if (socket === null) return null;
    let reached: string | null = null;
    socket.on('upgrade', ({ socket: stream }) => {
      reached = placeOf(stream.remoteAddress, stream.remotePort);
      stream.once('end', () => events.onFin());
    });
    const connection = this.#connect(socket, peer, true, (process) => {
      connection.expectSilence();
      // In a later turn: libuv takes a reset that it finds together with data for an end in good order.
      setImmediate(() => {
        if (!connection.ended) events.onProof(process, reached);
      });
    });
    return connection;
  }

  #connect(
    socket: WebSocket,
    peer: NodeId,
    isVigil: boolean,
    onProof: (process: ProvenIdentity) => void,
  ): Connection {
    const connection = this.#track(new Connection(socket, socket.url, this.#context));
    connection.peer = peer;
    socket.on('upgrade', ({ socket: stream }) => connection.limit(stream.setKeepAlive(true, 1000)));
    const handshake = new DiallerHandshake(this.#self, peer, this.#settings.secret, isVigil);
    this.#shakeHands(connection, handshake, onProof);
    socket.on('open', () => connection.send(JSON.stringify(handshake.hello())));
    return connection;
  }

  /** At `place`, if one is given, and not wherever the peer is said to listen by now. */
  #openSocket(peer: NodeId, place: string | null = null): WebSocket | null {
    const { tls, maxPayloadBytes } = this.#settings;
    try {
      const url = this.#addressOf(peer);
      if (url === null) return null;
      checkAddress(peer, url, tls);
      const { protocol, hostname } = new URL(url);
      const name = place === null || isIP(hostname) !== 0 ? {} : { servername: hostname };
      return new WebSocket(place === null ? url : `${protocol}//${place}`, {
        ...tls,
        ...name,
        ...socketOptions(maxPayloadBytes),
      });
    } catch (error) {
      this.#report({ type: 'dial-failed', peer, error: asError(error) });
      return null;
    }
  }

  #accept(socket: WebSocket, stream: Socket, trust: () => void): void {
    const connection = this.#track(new Connection(socket, addressOf(stream), this.#context));
    connection.limit(stream);
    if (this.#handlers === null) {
      connection.close(goingAwayCode);
      return;
    }
    const { secret, deathCertificates } = this.#settings;
    const at = deathCertificates ? placeOf(stream.localAddress, stream.localPort) : null;
    const handshake = new AcceptorHandshake(this.#self, (id) => this.#peers.has(id), secret, at);
    this.#shakeHands(connection, handshake, (process) => {
      trust();
      if (handshake.isVigil) this.#letWatch(connection, process.id);
      else this.#peers.get(process.id)?.adopt(connection, process);
    });
  }

  #shakeHands(
    connection: Connection,
    handshake: Handshake,
    onProof: (process: ProvenIdentity) => void,
  ): void {
    connection.listen((value) => {
      const { send, authenticated } = handshake.receive(value);
      if (handshake instanceof AcceptorHandshake) connection.peer = handshake.claimed;
      if (send !== undefined) connection.send(JSON.stringify(send));
      if (authenticated === undefined) return;
      connection.trust();
      onProof(authenticated);
    });
  }

  /** A peer watches over this process. One connection each will do. */
  #letWatch(connection: Connection, peer: NodeId): void {
    connection.expectSilence();
    connection.keep();
    this.#watchers.get(peer)?.close(redundantCode);
    this.#watchers.set(peer, connection);
  }

  #receive(from: NodeId, value: unknown, incarnation: string): void {
    const message = this.#decode(value);
    this.#handlers?.received(from, message, incarnation);
  }

  /** Whatever the decoder throws is the frame's fault: no frame may bring the process down. */
  #decode(value: unknown): Message {
    try {
      return this.#settings.decodeMessage(value);
    } catch (error) {
      throw new Refusal(
        'malformed',
        error instanceof MalformedError ? error.message : 'The decoder failed on a message.',
      );
    }
  }

  #encode(peer: NodeId, message: Message): string | null {
    try {
      const text = JSON.stringify(message);
      if (Buffer.byteLength(text) <= this.#settings.maxPayloadBytes) return text;
      throw new MalformedError(`The message is larger than ${this.#settings.maxPayloadBytes} bytes.`);
    } catch (error) {
      this.#report({ type: 'unsendable', peer, error: asError(error) });
      return null;
    }
  }

  #track(connection: Connection): Connection {
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    return connection;
  }

  #refuseStranger(refusal: Refusal, address: string | null): void {
    this.#refusals.add(refusal.reason);
    this.#report({ type: 'refused', reason: refusal.reason, peer: null, address, detail: refusal.message });
  }

  #report(diagnostic: TransportDiagnostic): void {
    if (this.#stopping !== null) return;
    attempt(
      () => this.#settings.onDiagnostic(diagnostic),
      (error) => this.#onBrokenListener(error),
    );
  }

  /** Said once: strangers decide how often there is something to report. */
  #onBrokenListener({ message }: Error): void {
    if (!this.#hasWarned) process.emitWarning(`The onDiagnostic of transport ${this.id} failed: ${message}`);
    this.#hasWarned = true;
  }
}
