import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** Each attack is bounded, stops by itself, and goes to this machine only. */
export interface AttackOptions {
  /** How many sockets attack at the same time, from 1 to 1000. One that is dropped comes back. */
  readonly sockets: number;
  /** The attack ends after this time, at the latest after ten minutes. */
  readonly forMs: number;
  /** Where it comes from: another loopback address than that of honest nodes, such as `127.0.0.2`. */
  readonly localAddress?: string;
  /** Ends it sooner. */
  readonly signal?: AbortSignal;
}

export interface AttackReport {
  /** How many connections were made. */
  readonly connections: number;
  /** How many of them the victim ended. */
  readonly dropped: number;
  readonly bytesSent: number;
}

/** A stranger who can reach the port of a WebSocket transport and does not know the secret. */
export type Attack = (url: string, options: AttackOptions) => Promise<AttackReport>;

/** Messages in pieces of one byte, none of which is the last. */
export const attackWithFragments: Attack = (url, options) =>
  mount(url, options, (socket) => {
    upgrade(socket, () => {
      socket.write(frame({ final: false, opcode: opcodes.text, payload: 'x' }));
      pump(socket, frame({ final: false, opcode: opcodes.continuation, payload: 'x' }), 1000);
    });
  });

/** One large frame, a byte to a packet. */
export const attackWithCrumbs: Attack = (url, options) =>
  mount(url, options, (socket) => {
    socket.setNoDelay(true);
    upgrade(socket, () => {
      socket.write(frameHeader({ final: true, opcode: opcodes.text, length: 60_000 }));
      pump(socket, Buffer.from('x'), 1);
    });
  });

/** Pings that ask for answers, without end. */
export const attackWithPings: Attack = (url, options) =>
  mount(url, options, (socket) => {
    upgrade(socket, () => pump(socket, frame({ final: true, opcode: opcodes.ping, payload: '' }), 1000));
  });

/** Sockets that hold their place: half of them say nothing at all, the others nothing after the upgrade. */
export const attackWithIdleSockets: Attack = (url, options) =>
  mount(url, options, (socket, index) => {
    if (index % 2 === 0) upgrade(socket, () => {});
  });

/** Requests whose headers arrive a few bytes at a time and never end. */
export const attackWithSlowHeaders: Attack = (url, options) =>
  mount(url, options, (socket) => {
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
    const dribble = setInterval(() => socket.write('x-slow: loris\r\n'), 20);
    socket.on('close', () => clearInterval(dribble));
  });

/** Bytes without a meaning: half of the sockets send them at once, the others after the upgrade. */
export const attackWithGarbage: Attack = (url, options) =>
  mount(url, options, (socket, index) => {
    const noise = () => pump(socket, randomBytes(1024), 16);
    if (index % 2 === 0) upgrade(socket, noise);
    else noise();
  });

/** A frame of two gigabytes, or as much of it as is taken. */
export const attackWithOversizedFrames: Attack = (url, options) =>
  mount(url, options, (socket) => {
    upgrade(socket, () => {
      socket.write(frameHeader({ final: true, opcode: opcodes.text, length: 2 ** 31 }));
      pump(socket, Buffer.alloc(16 * 1024, 'x'), 1);
    });
  });

/** Every attack, by what it does. */
export const attacks = {
  fragments: attackWithFragments,
  crumbs: attackWithCrumbs,
  pings: attackWithPings,
  'idle sockets': attackWithIdleSockets,
  slowloris: attackWithSlowHeaders,
  garbage: attackWithGarbage,
  oversized: attackWithOversizedFrames,
} as const satisfies Record<string, Attack>;

const longestMs = 600_000;
/** Sooner would measure how fast this machine opens sockets, not what the victim makes of them. */
const returnsAfterMs = 10;

type Assault = (socket: Socket, index: number) => void;

async function mount(url: string, options: AttackOptions, assault: Assault): Promise<AttackReport> {
  const { hostname, port } = loopbackAddress(url);
  const { sockets, forMs, localAddress, signal } = bounded(options);
  const tally = { connections: 0, dropped: 0, bytesSent: 0 };
  const open = new Set<Socket>();
  let over = false;

  const attackOnce = (index: number) => {
    const socket = connect({ host: hostname, port, ...(localAddress === undefined ? {} : { localAddress }) });
    open.add(socket);
    socket.on('error', () => {});
    socket.on('connect', () => {
      tally.connections += 1;
      assault(socket, index);
      socket.resume();
    });
    socket.on('close', () => {
      open.delete(socket);
      tally.bytesSent += socket.bytesWritten;
      if (over) return;
      tally.dropped += 1;
      setTimeout(() => over || attackOnce(index), returnsAfterMs);
    });
  };

  for (let index = 0; index < sockets; index += 1) attackOnce(index);
  await elapsed(forMs, signal);
  over = true;
  const closed = [...open].map((socket) => new Promise((resolve) => socket.on('close', resolve).destroy()));
  await Promise.all(closed);
  return tally;
}

function loopbackAddress(url: string): { hostname: string; port: number } {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'ws:' || !/^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname)) {
    throw new RangeError(`Attacks go to ws:// addresses of the loopback interface only, not to ${url}.`);
  }
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function bounded(options: AttackOptions): AttackOptions {
  const { sockets, forMs } = options;
  if (!(sockets >= 1 && sockets <= 1000)) throw new RangeError("'sockets' must be from 1 to 1000.");
  if (!(forMs > 0 && forMs <= longestMs))
    throw new RangeError(`'forMs' must be above 0 and up to ${longestMs}.`);
  return options;
}

function elapsed(forMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, forMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

/** Asks for a WebSocket, and goes on once there is one. */
function upgrade(socket: Socket, then: () => void): void {
  socket.once('data', then);
  socket.write(
    [
      'GET / HTTP/1.1',
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  );
}

/** Sends the same again and again as fast as it is taken, but leaves others of this process their turn. */
function pump(socket: Socket, piece: Buffer, piecesAtOnce: number): void {
  const chunk = Buffer.concat(Array<Buffer>(piecesAtOnce).fill(piece));
  const write = () => {
    if (!socket.destroyed) socket.write(chunk, () => setImmediate(write));
  };
  write();
}

/** RFC 6455, section 5.2. */
const opcodes = { continuation: 0x0, text: 0x1, ping: 0x9 } as const;

interface FrameStart {
  readonly final: boolean;
  readonly opcode: number;
}

function frame({ payload, ...start }: FrameStart & { readonly payload: string }): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([frameHeader({ ...start, length: bytes.length }), bytes]);
}

/** Clients must mask what they send. A mask of zeros leaves it as it is. */
function frameHeader({ final, opcode, length }: FrameStart & { readonly length: number }): Buffer {
  const first = (final ? 0x80 : 0) | opcode;
  const mask = [0, 0, 0, 0];
  if (length < 126) return Buffer.from([first, 0x80 | length, ...mask]);
  const extended = Buffer.alloc(8);
  extended.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.from([first, 0x80 | 127]), extended, Buffer.from(mask)]);
}
