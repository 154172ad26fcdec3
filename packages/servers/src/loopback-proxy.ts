import { connect, createServer, type Server, type Socket } from 'node:net';

/** What went one way. */
export interface WireCount {
  readonly bytes: number;
  /** Messages, by the framing that the proxy was told of: for gRPC, HTTP/2 frames of type DATA that are not empty. */
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

export interface LoopbackProxyOptions {
  readonly target: string;
  /** How messages are told apart: as gRPC does, or each behind its length in four bytes, as ZooKeeper does. */
  readonly framing?: 'http2' | 'length-prefixed';
  /** Called for each message that is counted, as it passes. */
  readonly onDataFrame?: () => void;
}

/** Stands between a client and a server on this machine, to cut the one off from the other and to count. */
export async function loopbackProxy({
  target,
  framing = 'http2',
  onDataFrame = () => {},
}: LoopbackProxyOptions): Promise<LoopbackProxy> {
  const proxy = new Intermediary(new URL(target), framings[framing], onDataFrame);
  await proxy.listen();
  return proxy;
}

const host = '127.0.0.1';

class Intermediary implements LoopbackProxy {
  readonly #target: URL;
  readonly #framing: Framing;
  readonly #server: Server;
  readonly #links = new Set<readonly [client: Socket, server: Socket]>();
  readonly #toServer: Counter;
  readonly #toClient: Counter;
  #isCut = false;

  constructor(target: URL, framing: Framing, onDataFrame: () => void) {
    this.#target = target;
    this.#framing = framing;
    this.#toServer = new Counter(onDataFrame);
    this.#toClient = new Counter(onDataFrame);
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
    this.#forward(
      client,
      server,
      new FrameReader(this.#toServer, this.#framing, this.#framing.clientPrefaceLength),
    );
    this.#forward(server, client, new FrameReader(this.#toClient, this.#framing, 0));
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
  readonly #onDataFrame: () => void;
  bytes = 0;
  dataFrames = 0;

  constructor(onDataFrame: () => void) {
    this.#onDataFrame = onDataFrame;
  }

  countDataFrame(): void {
    this.dataFrames += 1;
    this.#onDataFrame();
  }

  count(): WireCount {
    return { bytes: this.bytes, dataFrames: this.dataFrames };
  }
}

/** How a stream of bytes falls into frames. */
interface Framing {
  /** What a client says before its first frame. */
  readonly clientPrefaceLength: number;
  readonly headerLength: number;
  payloadLength(header: Buffer): number;
  isData(header: Buffer): boolean;
}

const dataFrame = 0;

const framings = {
  /** `PRI * HTTP/2.0` and so on, then frames (RFC 9113, sections 3.4 and 4.1). */
  http2: {
    clientPrefaceLength: 24,
    headerLength: 9,
    payloadLength: (header) => header.readUIntBE(0, 3),
    isData: (header) => header[3] === dataFrame,
  },
  'length-prefixed': {
    clientPrefaceLength: 0,
    headerLength: 4,
    payloadLength: (header) => header.readUInt32BE(0),
    isData: () => true,
  },
} as const satisfies Record<string, Framing>;

/** Follows the frames of one direction of one connection. */
class FrameReader {
  readonly #counter: Counter;
  readonly #framing: Framing;
  #skip: number;
  #header = Buffer.alloc(0);

  constructor(counter: Counter, framing: Framing, prefaceLength: number) {
    this.#counter = counter;
    this.#framing = framing;
    this.#skip = prefaceLength;
  }

  read(chunk: Buffer): void {
    this.#counter.bytes += chunk.length;
    const { headerLength } = this.#framing;
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
    const payloadLength = this.#framing.payloadLength(this.#header);
    if (payloadLength > 0 && this.#framing.isData(this.#header)) this.#counter.countDataFrame();
    this.#skip = payloadLength;
    this.#header = Buffer.alloc(0);
  }
}
