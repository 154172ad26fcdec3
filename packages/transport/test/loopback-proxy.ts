import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between two nodes, counts their connections, and can fall silent as a dead machine does. */
export class LoopbackProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #silenced = new Set<readonly [Socket, Socket]>();

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      const pair = [client, connect(targetPort, '127.0.0.1')] as const;
      this.#pairs.add(pair);
      this.#join(pair, pair[0], pair[1]);
      this.#join(pair, pair[1], pair[0]);
    });
  }

  static async to(targetPort: number): Promise<LoopbackProxy> {
    const proxy = new LoopbackProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.#pairs.size;
  }

  /** Passes nothing more over the present connections, not even their end. New ones work. */
  silence(): void {
    for (const pair of this.#pairs) {
      this.#silenced.add(pair);
      for (const socket of pair) socket.unpipe().pause();
    }
  }

  /** Holds what is sent from now on, as a congested path does. */
  stall(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.unpipe().pause();
  }

  /** Passes on what was held, if there is still anybody to take it. */
  resume(): void {
    for (const [client, server] of this.#pairs) {
      client.pipe(server);
      server.pipe(client);
    }
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await once(this.#server, 'close');
  }

  #join(pair: readonly [Socket, Socket], source: Socket, sink: Socket): void {
    source.pipe(sink);
    source.on('error', () => {});
    source.on('close', () => {
      if (this.#silenced.has(pair)) return;
      this.#pairs.delete(pair);
      sink.destroy();
    });
  }
}
