/** Those who come to a port without being asked: they know no secret, and mean no good. */

import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Molestation = 'garbage' | 'fragments' | 'idle-sockets';

const crowd = { garbage: 8, fragments: 30, 'idle-sockets': 80 } as const;
const everyMs = 20;

/** Molests whoever listens there, for so long or until the signal aborts. */
export async function molest(
  kind: Molestation,
  address: string,
  forMs: number,
  signal: AbortSignal,
): Promise<void> {
  // Not `AbortSignal.any` with a time-out: such a signal may be forgotten before its time is up (Node 20).
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // As many as there are strangers.
  const end = () => stop.abort();
  const timer = setTimeout(end, forMs);
  signal.addEventListener('abort', end);
  await Promise.all(Array.from({ length: crowd[kind] }, () => comeAgain(kind, address, stop.signal)));
  signal.removeEventListener('abort', end);
  clearTimeout(timer);
}

/** Whoever is thrown out comes again. */
async function comeAgain(kind: Molestation, address: string, stop: AbortSignal): Promise<void> {
  const [host, port] = address.split(':');
  while (!stop.aborted) {
    const socket = connect(Number(port), host);
    const pestering = kind === 'idle-sockets' ? null : pester(kind, socket);
    const leave = () => socket.destroy();
    stop.addEventListener('abort', leave);
    socket.on('error', () => {});
    socket.resume();
    await new Promise((resolve) => socket.on('close', resolve));
    stop.removeEventListener('abort', leave);
    clearInterval(pestering ?? undefined);
    if (!stop.aborted) await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function pester(kind: 'garbage' | 'fragments', socket: Socket): NodeJS.Timeout {
  if (kind === 'fragments')
    socket.on('connect', () => socket.write(Buffer.concat([upgrade, fragment(firstOfMany)])));
  return setInterval(() => socket.write(kind === 'garbage' ? randomBytes(512) : manyFragments), everyMs);
}

const upgrade = Buffer.from(
  [
    'GET / HTTP/1.1',
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    '\r\n',
  ].join('\r\n'),
);

/** What a text begins with that is not over yet, and what continues it (RFC 6455, section 5.2). */
const firstOfMany = 0x01;
const oneOfMany = 0x00;

/** One byte, masked with zeros. */
const fragment = (opcode: number): Buffer => Buffer.from([opcode, 0x81, 0, 0, 0, 0, 0x61]);

const manyFragments = Buffer.concat(Array.from({ length: 1000 }, () => fragment(oneOfMany)));
