import type { Socket } from 'node:net';
import type { NodeId } from '@hustings/elector';
import { type RawData, WebSocket } from 'ws';
import { limitBytes } from './allowance.js';
import type { TransportDiagnostic } from './diagnostics.js';
import { closeCodeOf, Refusal, type RefusalCounter, reasonOfCloseCode } from './refusals.js';

/** How long a closing handshake may take before the socket is cut. */
const closingGraceMs = 250;

/** Room for two ids of the greatest length, and for the rest of a handshake frame. */
const maxHandshakeBytes = 4096;
/** All that there is to say until the proof. */
const maxBytesBeforeProof = 2 * maxHandshakeBytes;

/**
 * What `ws` may take in for one socket. Nobody here sends a message in fragments, and no path cuts a frame into
 * pieces much smaller than its packets: whoever does either wants to be expensive.
 */
export function socketOptions(maxPayloadBytes: number) {
  return {
    autoPong: false,
    perMessageDeflate: false,
    maxPayload: maxPayloadBytes,
    maxFragments: 1,
    maxBufferedChunks: 16 + Math.ceil(maxPayloadBytes / 256),
  };
}

export interface ConnectionLimits {
  readonly maxPayloadBytes: number;
  readonly maxQueuedBytes: number;
  readonly handshakeTimeoutMs: number;
}

export interface ConnectionContext {
  readonly limits: ConnectionLimits;
  readonly refusals: RefusalCounter;
  readonly report: (diagnostic: TransportDiagnostic) => void;
}

/**
 * One socket, bounded in both directions. It parses what arrives and gives it to whoever listens at the
 * moment: first the handshake, then the link. A listener that throws a `Refusal` ends the connection, and
 * nothing that arrives later is heard.
 */
export class Connection {
  /** Who is at the other end, or says so; null while unknown. */
  peer: NodeId | null = null;
  readonly #socket: WebSocket;
  readonly #address: string | null;
  readonly #context: ConnectionContext;
  readonly #onEnd: (() => void)[] = [];
  readonly #deadline: NodeJS.Timeout;
  #listener: (value: unknown) => void = refuseAnything;
  #lift: () => void = () => {};
  #proven = false;
  #kept = false;
  #ended = false;
  #failure: Error | null = null;

  constructor(socket: WebSocket, address: string | null, context: ConnectionContext) {
    this.#socket = socket;
    this.#address = address;
    this.#context = context;
    this.#deadline = setTimeout(() => this.#giveUp(), context.limits.handshakeTimeoutMs);
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on('error', (error) => this.#onError(error));
    socket.on('close', (code) => this.#onClose(code));
    socket.on('ping', (data) => this.#onPing(data));
    socket.on('pong', () => this.#requireProof());
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the handshake was completed. */
  get kept(): boolean {
    return this.#kept;
  }

  /** What went wrong below the WebSocket, if anything did. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Resolves once the socket is closed and nothing is left of it. */
  get closed(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => this.#socket.once('close', () => resolve()));
  }

  onEnd(callback: () => void): void {
    this.#onEnd.push(callback);
  }

  listen(listener: (value: unknown) => void): void {
    this.#listener = listener;
  }

  /** Stops listening for a while: whoever speaks out of turn is refused. */
  expectSilence(): void {
    this.#listener = refuseAnything;
  }

  /** Takes no more from this stream, on which the WebSocket stands, than the handshake needs. */
  limit(stream: Socket): void {
    this.#lift = limitBytes(stream, maxBytesBeforeProof, () =>
      this.refuse(
        new Refusal('oversized', `It sent more than ${maxBytesBeforeProof} bytes without a proof.`),
      ),
    );
  }

  /** The other end has proven who it is: from now on it may send pings, and frames of full size. */
  trust(): void {
    this.#proven = true;
    this.#lift();
  }

  /** The handshake is over; from now on the connection may last. */
  keep(): void {
    this.#kept = true;
    clearTimeout(this.#deadline);
  }

  /** Drops the connection instead of letting its queue grow. Never throws. */
  send(text: string): void {
    if (this.#ended || this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount + Buffer.byteLength(text) > this.#context.limits.maxQueuedBytes) {
      this.#dropSlowPeer();
    } else {
      this.#socket.send(text);
    }
  }

  /** Whether the other end answers a ping in time. */
  isAlive(timeoutMs: number): Promise<boolean> {
    if (this.#ended || this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve(false);
    return new Promise((resolve) => {
      const answer = (alive: boolean) => {
        clearTimeout(timer);
        this.#socket.off('pong', onPong).off('close', onClose);
        resolve(alive);
      };
      const onPong = () => answer(true);
      const onClose = () => answer(false);
      const timer = setTimeout(onClose, timeoutMs);
      this.#socket.on('pong', onPong).on('close', onClose).ping();
    });
  }

  refuse(refusal: Refusal): void {
    if (this.#ended) return;
    this.#countRefusal(refusal);
    this.close(closeCodeOf(refusal.reason));
    this.#ignoreStranger();
  }

  /** Lets what is queued leave first. */
  close(code: number): void {
    if (this.#ended) return;
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      this.#socket.terminate();
    } else {
      this.#socket.close(code);
      this.#terminateAfterGrace();
    }
    this.#end();
  }

  /** Cuts the socket: the other end is not there to say goodbye to. */
  abandon(): void {
    this.#socket.terminate();
    this.#end();
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#ended) return;
    try {
      if (!this.#proven) requireHandshakeSize(data);
      this.#listener(parse(data, isBinary));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refuse(error);
    }
  }

  /** `ws` has answered with a close frame already when the error is the other end's. */
  #onError(error: Error): void {
    if (this.#ended) return;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    if (!code.startsWith('WS_ERR_')) {
      this.#failure = error;
      return;
    }
    this.#countRefusal(this.#refusalOf(code));
    this.#terminateAfterGrace();
    this.#ignoreStranger();
    this.#end();
  }

  #refusalOf(code: string): Refusal {
    switch (code) {
      case 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH':
        return new Refusal(
          'oversized',
          `A frame was larger than ${this.#context.limits.maxPayloadBytes} bytes.`,
        );
      case 'WS_ERR_TOO_MANY_BUFFERED_PARTS':
        return new Refusal('malformed', 'A message came in pieces; each must be one frame.');
      default:
        return new Refusal('malformed', `A frame breaks the WebSocket protocol (${code}).`);
    }
  }

  #onClose(code: number): void {
    if (this.#ended) return;
    const reason = reasonOfCloseCode(code);
    if (reason !== null) this.#context.report({ type: 'refused-by-peer', reason, peer: this.peer });
    this.#end();
  }

  /** Answered here and not by `ws`, which would queue pongs without end for a peer that never reads. */
  #onPing(data: Buffer): void {
    this.#requireProof();
    if (this.#ended || this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > this.#context.limits.maxQueuedBytes) this.#dropSlowPeer();
    else this.#socket.pong(data);
  }

  #requireProof(): void {
    // Many may come in one packet, and only the first is worth the making of an error.
    if (!this.#proven && !this.#ended)
      this.refuse(new Refusal('malformed', 'A ping or pong came before any proof.'));
  }

  /** Otherwise a stranger could go on sending, and be read, until the socket is cut. */
  #ignoreStranger(): void {
    // Later, since `ws` has yet to resume the socket, to drain it, when it was the one to refuse.
    if (!this.#proven) setImmediate(() => this.#socket.pause());
  }

  /** The end is announced by the socket's own 'close', in a later turn: `send` must not call handlers. */
  #dropSlowPeer(): void {
    this.#countRefusal(
      new Refusal('slow-peer', `More than ${this.#context.limits.maxQueuedBytes} bytes wait for it.`),
    );
    this.#socket.terminate();
  }

  #giveUp(): void {
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      this.#failure = new Error(`no answer in ${this.#context.limits.handshakeTimeoutMs} ms`);
      this.abandon();
    } else {
      this.refuse(new Refusal('handshake-timeout', 'The handshake took too long.'));
    }
  }

  #countRefusal(refusal: Refusal): void {
    const { refusals, report } = this.#context;
    refusals.add(refusal.reason);
    report({
      type: 'refused',
      reason: refusal.reason,
      peer: this.peer,
      address: this.#address,
      detail: refusal.message,
    });
  }

  #terminateAfterGrace(): void {
    const timer = setTimeout(() => this.#socket.terminate(), closingGraceMs);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#deadline);
    for (const callback of this.#onEnd) callback();
  }
}

function parse(data: RawData, isBinary: boolean): unknown {
  if (isBinary) throw new Refusal('malformed', 'A frame is binary; only text is spoken here.');
  try {
    return JSON.parse(data.toString());
  } catch {
    // The parser's own message quotes the frame, and a log is no place for a stranger's words.
    throw new Refusal('malformed', 'A frame is not JSON.');
  }
}

function requireHandshakeSize(data: RawData): void {
  if ((data as Buffer).length > maxHandshakeBytes) {
    throw new Refusal('oversized', `A handshake frame was larger than ${maxHandshakeBytes} bytes.`);
  }
}

function refuseAnything(): void {
  throw new Refusal('malformed', 'A frame came out of turn.');
}
