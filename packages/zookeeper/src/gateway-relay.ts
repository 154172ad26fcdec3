import { connect, createServer, type Server, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';

export interface RelayTarget {
  readonly host: string;
  readonly port: number;
  /** How to check the member's certificate, and what to show it; without it, the connection is not encrypted. */
  readonly tls?: ConnectionOptions;
}

const loopback = '127.0.0.1';

/** A request of 8 bytes: its number, which nobody will ask for, and ZooKeeper's `closeSession`, -11. */
const closeSession = Buffer.from([0, 0, 0, 8, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf5]);

/** An answer of 16 bytes, to a request whose number nobody has used: its zxid and its error code are 0. */
const strayAnswer = Buffer.from([0, 0, 0, 16, 0x7f, 0xff, 0xff, 0xff, ...Array<number>(12).fill(0)]);

/**
 * One connection to one member, with a door on the loopback interface through which one client may enter, once.
 * The native client enters there and goes nowhere else. So names are looked up without blocking this thread, a
 * member that is not there is known at once, the connection can be broken without asking the client, and it can
 * be encrypted, none of which the client offers.
 *
 * The relay never hangs up on the client, and never leaves half an answer with it: the client is to close its own
 * socket first, with nothing in it left to read. Why is told at `Connection`.
 */
export class Relay {
  readonly #upstream: Socket;
  readonly #door: Server;
  #client: Socket | null = null;
  readonly #answers = new MessageReader();
  #isBroken = false;
  #isTakingLeave = false;
  #hasGreeted = false;
  #hasAnswered = false;
  /** Why the connection broke, where the member or the network said so. */
  error: Error | null = null;
  /** Called once, when the member is no longer there. */
  onBroken: () => void = () => {};

  private constructor(upstream: Socket) {
    this.#upstream = upstream;
    this.#door = createServer((client) => this.#enter(client));
    upstream.setNoDelay(true);
    upstream.on('data', (chunk) => this.#forward(chunk));
    upstream.on('error', (error) => {
      this.error = error;
    });
    upstream.on('close', () => this.break());
  }

  /** Rejects if the member does not accept the connection in time. */
  static async open(target: RelayTarget, patienceMs: number): Promise<Relay> {
    const relay = new Relay(await reach(target, patienceMs));
    await new Promise<void>((resolve, reject) => {
      relay.#door.once('error', reject);
      relay.#door.listen(0, loopback, resolve);
    });
    return relay;
  }

  /** Where the door is. */
  get address(): string {
    const address = this.#door.address();
    return `${loopback}:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  /** Whether the client has entered, and has said something. */
  get hasGreeted(): boolean {
    return this.#hasGreeted;
  }

  /** Whether the member's first answer has been passed on. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether the member is gone, which the client does not know. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /**
   * Ends the session that was opened over this connection, and resolves when the member has hung up, or not in
   * time. The client would do the same, but block this thread until it is answered.
   */
  async farewell(patienceMs: number): Promise<void> {
    if (this.#upstream.destroyed) return;
    this.#isTakingLeave = true;
    const isOver = new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, patienceMs);
      this.#upstream.once('close', () => {
        clearTimeout(timeout);
        resolve();
      });
    });
    this.#upstream.write(closeSession);
    await isOver;
    this.break();
  }

  /** Hangs up on the member, at once and without a word. The client still has a connection, which leads nowhere. */
  break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#upstream.destroy();
    this.onBroken();
  }

  /** Makes a client that waits for an answer give up the connection, by one that it has not asked for. */
  sendStrayAnswer(): void {
    this.#client?.write(strayAnswer);
  }

  /**
   * When the client has closed its socket. If a child process has inherited a copy, this end stays open until that
   * process ends, but does not keep this one.
   */
  close(): void {
    this.break();
    this.#door.close();
    this.#client?.unref();
  }

  #enter(client: Socket): void {
    this.#door.close();
    this.#client = client;
    client.setNoDelay(true);
    client.on('error', () => {});
    client.on('close', () => this.break());
    client.on('data', (chunk) => {
      this.#hasGreeted = true;
      if (!this.#isBroken && !this.#isTakingLeave) this.#upstream.write(chunk);
    });
  }

  /** Passes on whole answers. */
  #forward(chunk: Buffer): void {
    if (this.#isBroken || this.#isTakingLeave) return;
    const answers = this.#answers.read(chunk);
    if (answers.length === 0) return;
    this.#hasAnswered = true;
    this.#client?.write(Buffer.concat(answers));
  }
}

/** Cuts a stream into its messages, each of which begins with its length. */
class MessageReader {
  /** What has come of a message that is not complete yet. */
  #rest: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): readonly Buffer[] {
    const messages: Buffer[] = [];
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0);
      messages.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    return messages;
  }
}

function reach({ host, port, tls }: RelayTarget, patienceMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket =
      tls === undefined
        ? connect({ host, port }, () => ready())
        : connectSecurely({ ...tls, host, port }, () => ready());
    const timeout = setTimeout(() => {
      socket.destroy();
      reject(new Error(`${host}:${port} did not accept the connection within ${patienceMs} ms.`));
    }, patienceMs);
    const ready = () => {
      clearTimeout(timeout);
      socket.off('error', fail);
      resolve(socket);
    };
    const fail = (error: Error) => {
      clearTimeout(timeout);
      reject(error);
    };
    socket.once('error', fail);
  });
}
