import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { AcceptorHandshake } from '../src/handshake.js';
import { placeOf } from '../src/listener.js';
import { secret } from './nodes.js';

/**
 * A node that only accepts, made by hand, so that it can do what the transport never does: close its listener while
 * it lives, or reset its connections. Its id must be stronger than that of whoever dials.
 */
export class HandmadeNode {
  readonly incarnation = randomUUID();
  readonly vigils: Socket[] = [];
  readonly links: Socket[] = [];
  /** Called when a vigil has been granted, and the proof has just been sent. */
  onVigil: (stream: Socket) => void = () => {};
  readonly #id: string;
  readonly #server: WebSocketServer;

  private constructor(id: string, server: WebSocketServer) {
    this.#id = id;
    this.#server = server;
    server.on('connection', (socket, { socket: stream }) => this.#accept(socket, stream));
  }

  static async listen(id: string, port = 0): Promise<HandmadeNode> {
    const server = new WebSocketServer({ host: '127.0.0.1', port });
    await once(server, 'listening');
    return new HandmadeNode(id, server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Refuses whoever comes from now on. Connections stay. */
  closeListener(): void {
    this.#server.close();
  }

  close(): void {
    this.closeListener();
    for (const stream of [...this.vigils, ...this.links]) stream.destroy();
  }

  #accept(socket: WebSocket, stream: Socket): void {
    const at = placeOf(stream.localAddress, stream.localPort);
    const self = { id: this.#id, incarnation: this.incarnation };
    const handshake = new AcceptorHandshake(self, () => true, secret, at);
    stream.on('error', () => {});
    let isProven = false;
    socket.on('error', () => {});
    socket.on('message', (data) => {
      if (isProven) return socket.send(JSON.stringify({ type: 'open' }));
      const { send, authenticated } = handshake.receive(JSON.parse(data.toString()));
      if (send !== undefined) socket.send(JSON.stringify(send));
      if (authenticated === undefined) return;
      isProven = true;
      (handshake.isVigil ? this.vigils : this.links).push(stream);
      if (handshake.isVigil) this.onVigil(stream);
    });
  }
}
