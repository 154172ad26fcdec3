import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { newNonce, protocolVersion, prove, type Transcript } from '../src/handshake.js';
import { secret } from './nodes.js';

interface Frame {
  readonly incarnation?: string;
  readonly nonce?: string;
}

/** A WebSocket of which only the bytes are left: it does not even close when it is told to. */
export async function rawSocket(port: number, head: Uint8Array = new Uint8Array()): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const headers = [
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
  ];
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
  const request = Buffer.from(['GET / HTTP/1.1', ...headers, key, '\r\n'].join('\r\n'));
  socket.on('error', () => {}).write(Buffer.concat([request, head]));
  await Promise.race([once(socket, 'data'), once(socket, 'end'), once(socket, 'close')]);
  return socket.resume();
}

/** A peer that is spoken by hand, to say what a well-behaved one never would. */
export class RawPeer {
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  readonly incarnation: string;
  readonly #inbox: Frame[] = [];
  #waiting: (() => void) | null = null;

  constructor(port: number, incarnation: string = randomUUID(), localAddress = '127.0.0.1') {
    this.incarnation = incarnation;
    this.socket = new WebSocket(`ws://127.0.0.1:${port}`, { localAddress });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
    this.socket.on('message', (data) => {
      this.#inbox.push(JSON.parse(data.toString()));
      this.#waiting?.();
    });
  }

  async open(): Promise<this> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open');
    return this;
  }

  send(frame: unknown): void {
    this.socket.send(JSON.stringify(frame));
  }

  async next(): Promise<Frame> {
    while (this.#inbox.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.#inbox.shift() as Frame;
  }

  hello(from: string, to: string, more: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      type: 'hello',
      version: protocolVersion,
      from,
      to,
      incarnation: this.incarnation,
      nonce: 'n'.repeat(43),
      ...more,
    };
  }

  /** Says hello and returns what its proof has to vouch for. */
  async challenge(from: string, to: string): Promise<Transcript> {
    await this.open();
    const nonce = newNonce();
    this.send(this.hello(from, to, { nonce }));
    const challenge = await this.next();
    return {
      dialler: { id: from, incarnation: this.incarnation },
      acceptor: { id: to, incarnation: challenge.incarnation ?? '' },
      diallerNonce: nonce,
      acceptorNonce: challenge.nonce ?? '',
    };
  }

  async authenticate(from: string, to: string): Promise<this> {
    const transcript = await this.challenge(from, to);
    this.send({ type: 'proof', proof: prove(secret, 'dialler', transcript) });
    await this.next();
    return this;
  }

  /** Becomes a link of a node with a stronger id. */
  async link(from: string, to: string): Promise<this> {
    await this.authenticate(from, to);
    this.send({ type: 'ready' });
    await this.next();
    return this;
  }
}
