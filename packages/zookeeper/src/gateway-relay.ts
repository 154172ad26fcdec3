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

/**
 * One connection to one member, with a door on the loopback interface through which one client may enter, once.
 * The native client enters there and goes nowhere else. So names are looked up without blocking this thread, a
 * member that is not there is known at once, the connection can be broken without asking the client, and it can
 * be encrypted, none of which the client offers.
 */
export class Relay {
  readonly #upstream: Socket;
  readonly #door: Server;
  #client: Socket | null = null;
  #isBroken = false;
  /** Why the connection broke, where the member or the network said so. */
  error: Error | null = null;

  private constructor(upstream: Socket) {
    this.#upstream = upstream;
    this.#door = createServer((client) => this.#enter(client));
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

  /**
   * Ends the session that was opened over this connection, and resolves when the member has hung up, or not in
   * time. The client would do the same, but block this thread until it is answered.
   */
  async farewell(patienceMs: number): Promise<void> {
    if (this.#upstream.destroyed) return;
    this.#client?.unpipe();
    this.#upstream.unpipe().resume();
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

  /** Whether the client may not have noticed yet that nobody listens to it. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Ends the connection on both sides, at once and without a word. */
  break(): void {
    this.#isBroken = true;
    this.#upstream.destroy();
    this.#client?.destroy();
    this.#door.close();
  }

  #enter(client: Socket): void {
    this.#door.close();
    this.#client = client;
    for (const socket of [client, this.#upstream]) socket.setNoDelay(true);
    client.on('error', () => {});
    client.on('close', () => this.break());
    client.pipe(this.#upstream).pipe(client);
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
