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

/** Which way bytes go: from the client to the server, or back. */
export type WireDirection = 'to-server' | 'to-client';

export interface LoopbackProxy {
  readonly port: number;
  /** The address of its target, with the proxy's host and port. */
  readonly url: string;
  /** How many connections are open. */
  readonly connections: number;
  /** A copy that no longer changes. */
  counts(): WireCounts;
  /** Lets nothing through, in either direction, and closes nothing: a pulled cable that nobody has noticed. */
  cut(): void;
  /** Lets through what waited, as TCP does, and all that follows. */
  heal(): void;
  /**
   * Lets nothing through this way. What is sent meanwhile waits here, even after its sender is dead, and so does the
   * news that a connection has been closed.
   */
  hold(direction: WireDirection): void;
  /** Delivers what waited this way, in order, and all that follows. */
  release(direction: WireDirection): void;
  /** Where later connections lead. Those that are open stay where they are. */
  retarget(target: string): void;
  /** Closes every connection at once, as a server that dies does. */
  reset(): void;
  close(): Promise<void>;
}

export interface LoopbackProxyOptions {
  readonly target: string;
  /**
   * How messages are told apart: as gRPC does, or each behind its length in four bytes, as ZooKeeper does; `none`
   * counts bytes alone.
   */
  readonly framing?: 'http2' | 'length-prefixed' | 'none';
  /** Called for each message that is counted, as it passes. */
  readonly onDataFrame?: () => void;
}

/** Stands between a client and a server on this machine, to cut the one off from the other and to count. */
export async function loopbackProxy({
  target,
  framing = 'http2',
  onDataFrame = () => {},
}: LoopbackProxyOptions): Promise<LoopbackProxy> {
  const proxy = new Intermediary(target, framing === 'none' ? null : framings[framing], onDataFrame);
  await proxy.listen();
  return proxy;
}

const host = '127.0.0.1';

class Intermediary implements LoopbackProxy {
  #target: string;
  readonly #framing: Framing | null;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #held = new Set<WireDirection>();
  readonly #counters: Readonly<Record<WireDirection, Counter>>;

  constructor(target: string, framing: Framing | null, onDataFrame: () => void) {
    this.#target = target;
    this.#framing = framing;
    this.#counters = { 'to-server': new Counter(onDataFrame), 'to-client': new Counter(onDataFrame) };
    this.#server = createServer((client) => this.#join(client));
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get url(): string {
    return this.#target.replace(new URL(this.#target).host, `${host}:${this.port}`);
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
    const { 'to-server': toServer, 'to-client': toClient } = this.#counters;
    return { toServer: toServer.count(), toClient: toClient.count() };
  }

  cut(): void {
    for (const direction of directions) this.hold(direction);
  }

  heal(): void {
    for (const direction of directions) this.release(direction);
  }

  hold(direction: WireDirection): void {
    this.#held.add(direction);
    for (const link of this.#links) link[direction].hold();
  }

  release(direction: WireDirection): void {
    this.#held.delete(direction);
    for (const link of [...this.#links]) link[direction].release();
  }

  retarget(target: string): void {
    this.#target = target;
  }

  reset(): void {
    for (const link of this.#links) for (const socket of link.sockets) socket.destroy();
    this.#links.clear();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.reset();
    await closed;
  }

  #join(client: Socket): void {
    const { port, hostname } = new URL(this.#target);
    const server = connect(Number(port), hostname);
    const framing = this.#framing;
    const forget = () => {
      if (link.sockets.every((socket) => socket.destroyed)) this.#links.delete(link);
    };
    const link: Link = {
      sockets: [client, server],
      'to-server': new Pipe(
        client,
        server,
        new FrameReader(this.#counters['to-server'], framing, framing?.clientPrefaceLength ?? 0),
      ),
      'to-client': new Pipe(server, client, new FrameReader(this.#counters['to-client'], framing, 0)),
    };
    this.#links.add(link);
    for (const direction of this.#held) link[direction].hold();
    for (const socket of link.sockets) {
      socket.setNoDelay(true);
      socket.on('close', forget);
    }
  }
}

const directions = ['to-server', 'to-client'] as const satisfies readonly WireDirection[];

/** One connection: the client's socket and the server's, and what goes each way. */
type Link = { readonly sockets: readonly [client: Socket, server: Socket] } & Readonly<
  Record<WireDirection, Pipe>
>;

/** What goes one way on one connection. */
class Pipe {
  readonly #to: Socket;
  readonly #waiting: Buffer[] = [];
  #isHeld = false;
  #hasEnded = false;

  constructor(from: Socket, to: Socket, frames: FrameReader) {
    this.#to = to;
    from.on('data', (chunk) => {
      const bytes = Buffer.from(chunk);
      frames.read(bytes);
      // Read even while held: of a sender that dies, the system would throw away what nobody has read yet.
      if (this.#isHeld) this.#waiting.push(bytes);
      else this.#pass(bytes);
    });
    from.on('error', () => {}); // 'close' follows.
    from.on('close', () => {
      this.#hasEnded = true;
      if (!this.#isHeld) this.#to.destroySoon();
    });
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const bytes of this.#waiting.splice(0)) this.#pass(bytes);
    if (this.#hasEnded) this.#to.destroySoon();
  }

  /** A slow reader holds up its own link only; what is written while it does is kept in memory. */
  #pass(bytes: Buffer): void {
    if (!this.#to.destroyed) this.#to.write(bytes);
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
  readonly #framing: Framing | null;
  #skip: number;
  #header = Buffer.alloc(0);

  constructor(counter: Counter, framing: Framing | null, prefaceLength: number) {
    this.#counter = counter;
    this.#framing = framing;
    this.#skip = prefaceLength;
  }

  read(chunk: Buffer): void {
    this.#counter.bytes += chunk.length;
    const framing = this.#framing;
    if (framing === null) return;
    let rest = chunk;
    while (rest.length > 0) {
      const skipped = Math.min(this.#skip, rest.length);
      this.#skip -= skipped;
      rest = rest.subarray(skipped);
      const missing = framing.headerLength - this.#header.length;
      this.#header = Buffer.concat([this.#header, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (this.#header.length === framing.headerLength) this.#finishHeader(framing);
    }
  }

  #finishHeader(framing: Framing): void {
    const payloadLength = framing.payloadLength(this.#header);
    if (payloadLength > 0 && framing.isData(this.#header)) this.#counter.countDataFrame();
    this.#skip = payloadLength;
    this.#header = Buffer.alloc(0);
  }
}
