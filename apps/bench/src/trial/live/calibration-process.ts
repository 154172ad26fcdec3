/**
 * One process of a calibration: it has what a node has, a transport, a storage, a driver and a way to the
 * coordinators, and is asked one thing at a time how long each of them takes. It elects nobody.
 */

import { once } from 'node:events';
import { type Leadership, lead, type NodeId } from '@hustings/elector';
import type { Protocol, ProtocolMessage } from '@hustings/elector/protocol';
import { etcdGateway } from '@hustings/etcd/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';
import { monotonicMs } from '@hustings/servers';
import type { Transport } from '@hustings/transport';
import { webSocketTransport } from '@hustings/transport/websocket';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';
import type { CoordinatorAccess } from './messages.js';
import { electionSave } from './storage.js';

export interface CalibrationSettings {
  readonly id: NodeId;
  readonly nodes: readonly NodeId[];
  readonly secret: string;
  /** Whose way to save is measured. */
  readonly algorithm: string;
  readonly directory: string;
  readonly coordinator: CoordinatorAccess | null;
}

export type Probe =
  /** A message to everyone, and their answers: half of each round trip. */
  | 'message'
  /** A save, flushed to the disk. */
  | 'save'
  /** One that decides nothing: the leader, this process, tells everyone, and the next one leads. */
  | 'hand-over'
  /** A question to the coordinator: half of its round trip. */
  | 'read'
  /** A write to the coordinator, there and back. */
  | 'write';

export type ToCalibration =
  | { readonly type: 'start'; readonly settings: CalibrationSettings }
  | { readonly type: 'addresses'; readonly ports: Readonly<Record<NodeId, number>> }
  /** Answered by `measured`. */
  | { readonly type: 'measure'; readonly probe: Probe };

export type FromCalibration =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'connected' }
  /** For `hand-over` the one sample is the time at which it began. */
  | { readonly type: 'measured'; readonly samplesMs: readonly number[] }
  | { readonly type: 'began'; readonly atMs: number };

type Measure = () => Promise<readonly number[]>;

const ports = new Map<NodeId, number>();
const measures = new Map<Probe, Measure>();

process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', async (message: ToCalibration) => {
  switch (message.type) {
    case 'start':
      await start(message.settings);
      break;
    case 'addresses':
      for (const [node, port] of Object.entries(message.ports)) ports.set(node, port);
      break;
    case 'measure':
      tell({ type: 'measured', samplesMs: await measures.get(message.probe)!() });
      break;
  }
});

async function start(settings: CalibrationSettings): Promise<void> {
  const { id, algorithm, directory, coordinator } = settings;
  const save = await electionSave(algorithm, { directory, id });
  measures.set('save', async () => [await timed(save)]);
  if (coordinator !== null) await reach(id, coordinator);
  const port = await join(settings);
  tell({ type: 'listening', port });
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const startedMs = monotonicMs();
  await action();
  return monotonicMs() - startedMs;
}

/** Stands like a node of a trial, by the same driver and transport, with a protocol that decides nothing. */
async function join({ id, nodes, secret }: CalibrationSettings): Promise<number> {
  const peers = nodes.filter((node) => node !== id);
  const reached = new Set<NodeId>();
  const answers = new Exchange<NodeId, Errand>();
  const transport = webSocketTransport<Errand>({
    id,
    listen: { host: '127.0.0.1', port: 0 },
    peers: Object.fromEntries(peers.map((peer) => [peer, () => addressOf(peer)])),
    secret,
    decodeMessage: (value) => value as Errand,
    reconnectDelayMs: { baseMs: 20, capMs: 200 },
    onDiagnostic: () => {},
  });
  const protocol = obliging(nodes);
  const reporting: typeof protocol = {
    ...protocol,
    step(state, input, nowMs) {
      if (input.type === 'link-up') {
        reached.add(input.peer);
        if (reached.size === peers.length) tell({ type: 'connected' });
      }
      if (input.type === 'received') answers.answer(input.from, input.message);
      return protocol.step(state, input, nowMs);
    },
  };
  const elector = createElector({ protocol: reporting, transport, peers, storage: memoryStorage<null>() });
  await elector.start();
  const resignation = new AbortController();
  const work = async ({ signal }: Leadership) => {
    tell({ type: 'began', atMs: monotonicMs() });
    if (!signal.aborted) await once(signal, 'abort');
  };
  void lead(elector, work, { signal: resignation.signal });
  measures.set('message', async () => {
    const roundTrips = peers.map((peer) => timed(() => answers.ask(peer, () => {})));
    elector.request('ping');
    return (await Promise.all(roundTrips)).map((ms) => ms / 2);
  });
  measures.set('hand-over', async () => {
    const atMs = monotonicMs();
    resignation.abort();
    return [atMs];
  });
  return transport.address()!.port;
}

interface Errand extends ProtocolMessage {
  readonly type: 'ping' | 'pong' | 'your-turn' | 'my-turn';
  readonly to: NodeId;
}

interface ErrandTypes {
  readonly state: NodeId;
  readonly message: Errand;
  readonly durable: null;
  readonly timer: string;
  readonly request: 'ping';
  readonly announcement: never;
}

/** The first leads until it resigns, then the second, and so on: nothing to find out, so all the time is overhead. */
function obliging(nodes: readonly NodeId[]): Protocol<ErrandTypes> {
  const tellAll = (self: NodeId, type: Errand['type'], to: NodeId) =>
    nodes
      .filter((node) => node !== self)
      .map((node) => ({ type: 'send', to: node, message: { type, to } }) as const);
  const lead = (self: NodeId) => ({ type: 'lead', token: BigInt(nodes.indexOf(self)) }) as const;
  return {
    algorithm: 'obliging',
    variant: 'default',
    guarantees: {
      ...{ atMostOneLeader: false, monotonicTokens: false, toleratesPartition: false },
      ...{ orderedSuccession: false, targetedTransfer: false, leased: false, assumptions: [] },
    },
    periodicMessages: new Set(),
    initialState: (id) => id,
    step(self, input) {
      const next = nodes[nodes.indexOf(self) + 1] ?? self;
      switch (input.type) {
        case 'campaign-requested':
          return [self, self === nodes[0] ? [lead(self)] : []];
        case 'resign-requested':
          return [self, [...tellAll(self, 'your-turn', next), { type: 'step-down', reason: 'resigned' }]];
        case 'requested':
          return [self, tellAll(self, 'ping', self)];
        case 'received': {
          const { type, to } = input.message;
          if (type === 'ping') return [self, [{ type: 'send', to, message: { type: 'pong', to } }]];
          return [
            self,
            type === 'your-turn' && to === self ? [...tellAll(self, 'my-turn', self), lead(self)] : [],
          ];
        }
        default:
          return [self, []];
      }
    },
    decodeMessage: (value) => value as Errand,
    decodeDurable: () => null,
  };
}

function addressOf(peer: NodeId): string | null {
  const port = ports.get(peer);
  return port === undefined ? null : `ws://127.0.0.1:${port}`;
}

/** Questions that wait for their answers. */
class Exchange<Key, Answer> {
  readonly #waiting = new Map<Key, (answer: Answer) => void>();

  ask(key: Key, send: () => void): Promise<Answer> {
    return new Promise((resolve) => {
      this.#waiting.set(key, resolve);
      send();
    });
  }

  answer(key: Key, answer: Answer): void {
    this.#waiting.get(key)?.(answer);
    this.#waiting.delete(key);
  }
}

// ---- The coordinators ---------------------------------------------------------------------------------

/** A message of either coordinator's protocol. */
interface CoordinatorMessage extends ProtocolMessage {
  readonly id?: number;
  readonly [field: string]: unknown;
}

/** As the protocols see them: through the gateway, by the messages of the shared transport. */
async function reach(id: NodeId, { kind, addresses, election }: CoordinatorAccess): Promise<void> {
  const answers = new Exchange<number, CoordinatorMessage>();
  const gateway = (kind === 'etcd'
    ? etcdGateway({ id, hosts: addresses.map((address) => `http://${address}`) })
    : zookeeperGateway({ id, hosts: addresses.join(',') })) as unknown as Transport<CoordinatorMessage>;
  await gateway.start({
    received: (_, message) => answers.answer(message.id ?? 0, message),
    linkUp() {},
    linkDown() {},
  });
  let asked = 0;
  const ask = (request: CoordinatorMessage): Promise<CoordinatorMessage> => {
    asked += 1;
    const number = asked;
    return answers.ask(number, () => gateway.send(kind, { ...request, id: number }));
  };
  const { read, write } = kind === 'etcd' ? etcdRequests(election) : await zookeeperRequests(election, ask);
  measures.set('read', async () => [(await timed(() => ask(read))) / 2]);
  measures.set('write', async () => [await timed(() => ask(write))]);
}

interface Requests {
  readonly read: CoordinatorMessage;
  /** It leaves nothing that its lease or session does not take away again. */
  readonly write: CoordinatorMessage;
}

function etcdRequests(election: string): Requests {
  const operation = { type: 'range', prefix: election, order: 'oldest', limit: 1 };
  return {
    read: { type: 'txn', compare: [], success: [operation], failure: [] },
    write: { type: 'grant', ttlSeconds: 1, sentMs: 0 },
  };
}

async function zookeeperRequests(
  election: string,
  ask: (request: CoordinatorMessage) => Promise<CoordinatorMessage>,
): Promise<Requests> {
  const { session } = await ask({ type: 'connect', session: null, sessionTimeoutMs: 10_000 });
  const path = `/${election}`;
  await ask({ type: 'ensure', session, path });
  return {
    read: { type: 'children', session, path, watch: false },
    write: { type: 'create', session, path: `${path}/calibration-`, data: '' },
  };
}

function tell(message: FromCalibration): void {
  process.send?.(message, undefined, undefined, () => {});
}
