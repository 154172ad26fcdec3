import { connect, createServer, type Server, type Socket } from 'node:net';

/** What went one way. */
export interface WireCount {
  readonly bytes: number;
  /** HTTP/2 frames of type DATA that are not empty: for gRPC, one a message. */
  readonly dataFrames: number;
}

export interface WireCounts {
  readonly toServer: WireCount;
  readonly toClient: WireCount;
}

export interface LoopbackProxy {
  readonly port: number;
  /** The address of the proxy, with the scheme of its target. */
  readonly url: string;
  /** How many connections are open. */
  readonly connections: number;
  /** A copy that no longer changes. */
  counts(): WireCounts;
  /** Lets nothing through, in either direction, and closes nothing: a pulled cable that nobody has noticed. */
  cut(): void;
  /** Lets through what waited, as TCP does, and all that follows. */
  heal(): void;
  /** Closes every connection at once, as a server that dies does. */
  reset(): void;
  close(): Promise<void>;
}

/** Stands between a client and a server on this machine, to cut the one off from the other and to count. */
export async function loopbackProxy({ target }: { readonly target: string }): Promise<LoopbackProxy> {
  const proxy = new Intermediary(new URL(target));
  await proxy.listen();
  return proxy;
}

const host = '127.0.0.1';

class Intermediary implements LoopbackProxy {
  readonly #target: URL;
  readonly #server: Server;
  readonly #links = new Set<readonly [client: Socket, server: Socket]>();
  readonly #toServer = new Counter();
  readonly #toClient = new Counter();
  #isCut = false;

  constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((client) => this.#join(client));
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get url(): string {
    return `${this.#target.protocol}//${host}:${this.port}`;
  }

  get connections(): number {
    return this.#links.size;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, host, resolve);
    });
  }

  counts(): WireCounts {
    return { toServer: this.#toServer.count(), toClient: this.#toClient.count() };
  }

  cut(): void {
    this.#isCut = true;
    for (const link of this.#links) for (const socket of link) socket.pause();
  }

  heal(): void {
    this.#isCut = false;
    for (const link of this.#links) for (const socket of link) socket.resume();
  }

  reset(): void {
    for (const link of this.#links) for (const socket of link) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.reset();
    await closed;
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const link = [client, server] as const;
    this.#links.add(link);
    this.#forward(client, server, new FrameReader(this.#toServer, clientPrefaceLength));
    this.#forward(server, client, new FrameReader(this.#toClient, 0));
    const part = () => {
      this.#links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const socket of link) {
      socket.setNoDelay(true);
      socket.on('close', part);
      socket.on('error', part);
      if (this.#isCut) socket.pause();
    }
  }

  #forward(from: Socket, to: Socket, frames: FrameReader): void {
    from.on('data', (chunk) => {
      const bytes = Buffer.from(chunk);
      frames.read(bytes);
      // A slow reader holds up its own link only; what is written while it does is kept in memory.
      to.write(bytes);
      if (this.#isCut) from.pause();
    });
    from.on('end', () => to.end());
  }
}

class Counter {
  bytes = 0;
  dataFrames = 0;

  count(): WireCount {
    return { bytes: this.bytes, dataFrames: this.dataFrames };
  }
}

/** `PRI * HTTP/2.0` and so on: a client says it before its first frame (RFC 9113, section 3.4). */
const clientPrefaceLength = 24;
const headerLength = 9;
const dataFrame = 0;

/** Follows the frames of one direction of one connection (RFC 9113, section 4.1). */
class FrameReader {
  readonly #counter: Counter;
  #skip: number;
  #header = Buffer.alloc(0);

  constructor(counter: Counter, prefaceLength: number) {
    this.#counter = counter;
    this.#skip = prefaceLength;
  }

  read(chunk: Buffer): void {
    this.#counter.bytes += chunk.length;
    let rest = chunk;
    while (rest.length > 0) {
      const skipped = Math.min(this.#skip, rest.length);
      this.#skip -= skipped;
      rest = rest.subarray(skipped);
      const missing = headerLength - this.#header.length;
      this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (this.#header.length === headerLength) this.#finishHeader();
    }
  }

  #finishHeader(): void {
    const payloadLength = this.#header.readUIntBE(0, 3);
    if (this.#header[3] === dataFrame && payloadLength > 0) this.#counter.dataFrames += 1;
    this.#skip = payloadLength;
    this.#header = Buffer.alloc(0);
  }
}
