import type { NodeId } from '@hustings/elector';
import { MalformedError, readRecord, readString } from '@hustings/elector/protocol';
import { vi } from 'vitest';
import { MemoryNetwork } from '../src/memory.js';
import type { Transport, TransportHandlers } from '../src/transport.js';
import {
  type TransportDiagnostic,
  type WebSocketTransport,
  type WebSocketTransportOptions,
  webSocketTransport,
} from '../src/websocket.js';

/** Waits for a condition, not for a duration: generous, because only a failure waits so long. */
export function eventually(check: () => void): Promise<void> {
  return vi.waitFor(check, { interval: 2, timeout: 15_000 });
}

export interface Note {
  readonly type: string;
  readonly text: string;
}

export function note(text: string, type = 'note'): Note {
  return { type, text };
}

export function decodeNote(value: unknown): Note {
  const record = readRecord(value, 'A note');
  const type = readString(record, 'type');
  if (type !== 'note') throw new MalformedError('The type of a note is not known.');
  return { type, text: readString(record, 'text') };
}

/** Writes down what a transport tells it: `up b`, `b: hello`, `down b`. */
export class Recorder implements TransportHandlers<Note> {
  readonly events: string[] = [];

  received(from: NodeId, message: Note): void {
    this.events.push(`${from}: ${message.text}`);
  }

  linkUp(peer: NodeId): void {
    this.events.push(`up ${peer}`);
  }

  linkDown(peer: NodeId): void {
    this.events.push(`down ${peer}`);
  }

  peerGone(peer: NodeId, incarnation: string): void {
    this.events.push(`gone ${peer} ${incarnation}`);
  }

  /** The death certificates. */
  get gone(): string[] {
    return this.events.filter((event) => event.startsWith('gone '));
  }

  get messages(): string[] {
    return this.events.filter((event) => event.includes(': '));
  }
}

export const secret = 'a secret that the tests share';

export interface TestNode {
  readonly transport: WebSocketTransport<Note>;
  readonly recorder: Recorder;
  readonly events: string[];
  readonly diagnostics: TransportDiagnostic[];
  start(): Promise<void>;
  port(): number;
}

/** Nodes on free ports of the loopback interface, which learn each other's address once they listen. */
export class Cluster {
  readonly #ports = new Map<NodeId, number>();
  readonly #nodes: TestNode[] = [];

  node(
    id: NodeId,
    peers: readonly NodeId[],
    { listens = true, ...overrides }: Partial<WebSocketTransportOptions<Note>> & { listens?: boolean } = {},
  ): TestNode {
    const recorder = new Recorder();
    const diagnostics: TransportDiagnostic[] = [];
    const scheme = overrides.tls === undefined ? 'ws' : 'wss';
    const transport = webSocketTransport<Note>({
      id,
      ...(listens ? { listen: { host: '127.0.0.1', port: 0 } } : {}),
      peers: Object.fromEntries(peers.map((peer) => [peer, () => this.#address(scheme, peer)])),
      secret,
      decodeMessage: decodeNote,
      reconnectDelayMs: { baseMs: 5, capMs: 50 },
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      ...overrides,
    });
    const node: TestNode = {
      transport,
      recorder,
      events: recorder.events,
      diagnostics,
      port: () => transport.address()?.port ?? 0,
      start: () => transport.start(recorder),
    };
    this.#nodes.push(node);
    return node;
  }

  /** From now on, others can dial this node; through another port, if one is given. */
  publish(node: TestNode, port = node.port()): void {
    this.#ports.set(node.transport.id, port);
  }

  async startAll(...nodes: readonly TestNode[]): Promise<void> {
    for (const node of nodes) {
      await node.start();
      this.publish(node);
    }
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.transport.stop()));
  }

  #address(scheme: string, peer: NodeId): string | null {
    const port = this.#ports.get(peer);
    return port === undefined ? null : `${scheme}://127.0.0.1:${port}`;
  }
}

/** Two nodes in memory, with whatever is put over the first. */
export async function memoryPair<Decorated extends Transport<Note>>(
  decorate: (transport: Transport<Note>) => Decorated,
  prepare: (atA: Recorder) => void = () => {},
): Promise<{ a: Decorated; b: Transport<Note>; atA: Recorder; atB: Recorder }> {
  const network = new MemoryNetwork<Note>();
  const a = decorate(network.transport('a', ['b']));
  const b = network.transport('b', ['a']);
  const atA = new Recorder();
  const atB = new Recorder();
  prepare(atA);
  await a.start(atA);
  await b.start(atB);
  return { a, b, atA, atB };
}
