/**
 * A place that one process at a time can hold, and where others can wait for its end. A kernel closes the sockets of a
 * process with the process, however it ends; so whoever is connected to the holder knows within a millisecond.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';

/** An address, and whether the kernel itself sees to it that only one process listens there. */
export interface GateAddress {
  readonly path: string;
  readonly exclusive: boolean;
}

/** Abstract sockets of Linux and pipes of Windows have no file that could outlive their process. */
export function gateAddress(file: string, platform: NodeJS.Platform = process.platform): GateAddress {
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 32);
  if (platform === 'linux') return { path: `\0hustings-${hash}`, exclusive: true };
  if (platform === 'win32') return { path: `\\\\.\\pipe\\hustings-gate-${hash}`, exclusive: true };
  return { path: `${file}.gate`, exclusive: false };
}

/** This process at the gate: not yet, or in it. */
export class Gate {
  readonly #address: GateAddress;
  readonly #keeper: string;
  readonly #server = createServer((visitor) => this.#welcome(visitor));
  readonly #visitors = new Set<Socket>();
  /** Those that wait for the end of this process, in the order of their coming; not itself. */
  readonly #line = new Set<Socket>();
  #greeting: string | null = null;

  /** `keeper` is what whoever takes the gate calls itself where it waits. */
  constructor(address: GateAddress, keeper: string) {
    this.#address = address;
    this.#keeper = keeper;
  }

  /**
   * False if another process is in it. Where the address is a file, whoever calls this must hold a lock already: what
   * is found there is then of a dead process.
   */
  async take(): Promise<boolean> {
    const { path, exclusive } = this.#address;
    if (!exclusive) await rm(path, { force: true });
    try {
      // `exclusive`: in a worker of node:cluster the primary would listen in its place, and outlive it or die before it.
      this.#server.listen({ path, exclusive: true });
      await once(this.#server, 'listening');
    } catch (error) {
      if (codeOf(error) === 'EADDRINUSE') return false;
      throw error;
    }
    this.#server.on('error', () => {}); // A visitor that could not be accepted asks again.
    return true;
  }

  /** What each visitor is told, those that are waiting for it included. */
  greet(greeting: string): void {
    this.#greeting = `${greeting}\n`;
    for (const visitor of this.#visitors) visitor.write(this.#greeting);
  }

  async leave(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const visitor of this.#visitors) visitor.destroy();
    await closed;
  }

  #welcome(visitor: Socket): void {
    this.#visitors.add(visitor);
    visitor.on('error', () => {}); // It has gone; `close` follows.
    visitor.on('close', () => {
      this.#visitors.delete(visitor);
      this.#line.delete(visitor);
    });
    visitor.once('data', (name) => {
      visitor.write(`${JSON.stringify({ ahead: this.#line.size })}\n`);
      if (`${name}` !== this.#keeper) this.#line.add(visitor);
    });
    if (this.#greeting !== null) visitor.write(this.#greeting);
  }
}

/** Long enough for a busy process, short enough for somebody who waits: one that is stopped never answers. */
const greetingTimeoutMs = 500;

/** What the holder says of itself; null if nobody is there, '' if somebody is, who says nothing. */
export function visit({ path }: GateAddress): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path).setEncoding('utf8');
    const leaveWith = (answer: string | null) => {
      resolve(answer);
      socket.destroy();
    };
    socket.setTimeout(greetingTimeoutMs, () => leaveWith(''));
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\n')) leaveWith(text.trim());
    });
    socket.on('error', (error) => {
      if (isNobody(error)) resolve(null);
      // As many as fit are waiting to be let in: the holder has been stopped for long.
      else if (codeOf(error) === 'EAGAIN') resolve('');
      else reject(error);
    });
    socket.on('close', () => resolve(null));
  });
}

/** How soon somebody who waits at a gate that nobody holds looks whether it is held again. */
const lookAgainMs = 50;
/** What the first in line needs to take the gate. Were all to come at once, it would wait for them to get out of its way. */
const stepMs = 10;

/**
 * Calls `changed` whenever a holder has gone, or is there. One may have come and gone between two looks; `holders`
 * tells how many there have been. `waiter` is a name that nobody else has.
 */
export async function waitAt(
  address: GateAddress,
  waiter: string,
  holders: () => Promise<bigint>,
  changed: () => void,
): Promise<() => void> {
  let known = await holders();
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const look = () => {
    let isHeld = false;
    let ahead = 0;
    // Half open: when the holder dies, those who are not the first in line leave the processor to the one who is.
    const visitor = connect({ path: address.path, allowHalfOpen: true }).setEncoding('utf8');
    socket = visitor;
    visitor.on('connect', () => {
      isHeld = true;
      visitor.write(waiter);
      changed();
    });
    visitor.on('data', (text) => {
      ahead = Number(/"ahead":(\d+)/.exec(`${text}`)?.[1] ?? ahead);
    });
    const onGone = async () => {
      visitor.off('close', onGone);
      const before = known;
      if (!isHeld) known = await holders().catch(() => before);
      if (ended) return;
      const isNews = isHeld || known !== before;
      const next = () => {
        if (isNews) changed();
        visitor.destroy();
        // Not at once: whoever takes the gate has better things to do than to visit itself.
        timer = setTimeout(look, isHeld ? stepMs : lookAgainMs);
      };
      if (ahead === 0) next();
      else timer = setTimeout(next, ahead * stepMs);
    };
    visitor.on('end', onGone);
    visitor.on('error', () => {}); // Nobody is there, or no longer; `close` follows.
    visitor.on('close', onGone);
  };
  look();
  return () => {
    ended = true;
    clearTimeout(timer);
    socket?.destroy();
  };
}

function isNobody(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(`${codeOf(error)}`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
