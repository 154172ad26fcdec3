/** One node of a run: a process of its own, which ends with the run that started it. */

import { type Elector, type Leadership, lead } from '@hustings/elector';
import type { MachineTypes, Protocol } from '@hustings/elector/protocol';
import { etcd } from '@hustings/etcd';
import { type RaftDurable, type RaftProtocol, raft } from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import { createElector, memoryStorage, type Storage } from '@hustings/runtime';
import { monotonicMs } from '@hustings/servers';
import { joinTransports, type Transport } from '@hustings/transport';
import { type WebSocketTransport, webSocketTransport } from '@hustings/transport/websocket';
import { zookeeper } from '@hustings/zookeeper';
import { layouts } from './layouts.js';
import type { DiskState, FromNode, NodeSettings, ToNode } from './messages.js';
import { timing, writeIntervalMs } from './settings.js';

let disk: DiskState;
/** Goes on with the save that waits for the disk. */
let resumeSave = () => {};
let elector: Elector | null = null;
let candidacy: AbortController | null = null;
/** Notes until when the present Leadership is valid. */
let look = () => {};

process.on('disconnect', () => process.exit());
// A Ctrl-C reaches every process of the terminal. The run decides when its nodes end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', (message: ToNode) => {
  switch (message.type) {
    case 'start':
      void start(message.settings).catch(giveUp);
      break;
    case 'disk':
      disk = message.disk;
      if (!disk.held) resumeSave();
      break;
    case 'withdraw':
      candidacy?.abort();
      candidacy = null;
      break;
    case 'stand':
      stand();
      break;
  }
});

async function start(settings: NodeSettings): Promise<void> {
  disk = settings.disk;
  const created = await create(settings);
  await created.elector.start();
  elector = created.elector;
  tell({ type: 'ready', port: created.port() });
  if (settings.stands) stand();
}

function stand(): void {
  if (elector === null || candidacy !== null) return;
  candidacy = new AbortController();
  void lead(elector, work, { signal: candidacy.signal }).catch(giveUp);
}

/** A node that cannot go on ends, as an application would that is to be restarted. */
function giveUp(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  process.send?.({ type: 'gave-up', reason } satisfies FromNode, undefined, undefined, () => process.exit(1));
}

interface Created {
  readonly elector: Elector;
  /** Where peers reach it. */
  port(): number;
}

/** A coordinator's client is loaded where it is wanted: to load that of etcd is most of the work of starting a node. */
async function create(settings: NodeSettings): Promise<Created> {
  const layout = layouts[settings.algorithm];
  const deathCertificates = certifies(settings);
  switch (layout.coordinator) {
    case null:
      return createRaft(settings);
    case 'etcd': {
      const { id, servers } = settings;
      const hosts = servers.map((server) => `http://${server}`);
      const { requestTimeoutMs } = timing.etcd;
      const { etcdGateway } = await import('@hustings/etcd/gateway');
      const coordinator = etcdGateway({ id, hosts, requestTimeoutMs });
      const heirs = layout.hasHeirs ? timing.heirs : {};
      const protocol = etcd({ name: 'chaos', ...timing.etcd, ...heirs, deathCertificates });
      return coordinated(settings, protocol, coordinator);
    }
    case 'zookeeper': {
      const { id, servers } = settings;
      const { zookeeperGateway } = await import('@hustings/zookeeper/gateway');
      const coordinator = zookeeperGateway({ id, hosts: servers.join(',') });
      const protocol = zookeeper({ path: '/chaos', ...timing.zookeeper, deathCertificates });
      return coordinated(settings, protocol, coordinator);
    }
  }
}

function coordinated<Types extends MachineTypes>(
  settings: NodeSettings,
  protocol: Protocol<Types>,
  coordinator: Transport<Types['message']>,
): Created {
  const peers = layouts[settings.algorithm].links === 'none' ? null : links(settings, protocol.decodeMessage);
  const transport = peers === null ? coordinator : joinTransports({ coordinator, peers });
  return {
    elector: createElector({ protocol, transport: noticing(transport), storage: memoryStorage() }),
    port: () => peers?.address()?.port ?? 0,
  };
}

async function createRaft(settings: NodeSettings): Promise<Created> {
  const { id, directory, checkQuorum, mutant } = settings;
  const intact = raft({ ...timing.raft, checkQuorum, deathCertificates: certifies(settings) });
  const protocol = mutant === null ? intact : await broken(intact, mutant);
  const transport = links(settings, protocol.decodeMessage);
  const storage = unreliable(raftStorage({ directory, id }));
  return {
    elector: createElector({ protocol, transport: noticing(transport), storage }),
    port: () => transport.address()?.port ?? 0,
  };
}

function links<Message>(
  settings: NodeSettings,
  decodeMessage: (value: unknown) => Message,
): WebSocketTransport<Message> {
  const { id, port, peers, secret } = settings;
  return webSocketTransport({
    ...{ id, peers, secret, decodeMessage, deathCertificates: certifies(settings) },
    listen: { host: '127.0.0.1', port },
    reconnectDelayMs: { baseMs: 20, capMs: 200 },
    // Connections that fail are what the run is about.
    onDiagnostic: () => {},
  });
}

const certifies = ({ algorithm }: NodeSettings): boolean => layouts[algorithm].links === 'direct';

/** Loaded only where it is wanted: with the mutants comes all that they are tried with. */
async function broken(intact: RaftProtocol, name: string): Promise<RaftProtocol> {
  const { raftSubject } = await import('../mutants/raft.js');
  const mutant = raftSubject.mutants.find((each) => each.name === name);
  if (mutant === undefined) throw new RangeError(`Raft has no mutant '${name}'.`);
  // What is altered is what a protocol does with any messages; these are still Raft's own.
  return mutant.alter(intact) as RaftProtocol;
}

function unreliable(storage: Storage<RaftDurable>): Storage<RaftDurable> {
  return {
    load: () => storage.load(),
    async save(durable) {
      if (disk.pretendsFull) throw Object.assign(new Error('No space left on device.'), { code: 'ENOSPC' });
      const { slowByMs, held } = disk;
      if (slowByMs === 0 && !held) return storage.save(durable);
      tell({ type: 'saves' });
      await new Promise((resolve) => setTimeout(resolve, slowByMs));
      if (disk.held) await new Promise<void>((resolve) => (resumeSave = resolve));
      await storage.save(durable);
      tell({ type: 'saved' });
    },
  };
}

/** Looks after each message, which may have renewed the lease, or bound it to a promise. */
function noticing<Message>(transport: Transport<Message>): Transport<Message> {
  return {
    id: transport.id,
    incarnation: transport.incarnation,
    peers: transport.peers ?? [],
    start: (handlers) =>
      transport.start({
        received(from, message, incarnation) {
          handlers.received(from, message, incarnation);
          setImmediate(() => look());
        },
        linkUp: (peer, incarnation) => handlers.linkUp(peer, incarnation),
        linkDown: (peer) => handlers.linkDown(peer),
        peerGone: (peer, incarnation) => handlers.peerGone?.(peer, incarnation),
      }),
    send(to, message, incarnation) {
      transport.send(to, message, incarnation);
      setImmediate(() => look());
    },
    stop: () => transport.stop(),
  };
}

/** What a leader is for: it writes to the store for as long as it leads, and checks before each write. */
async function work(leadership: Leadership): Promise<void> {
  const { token, holder, signal } = leadership;
  let validUntilMs = monotonicMs();
  const lookAtThis = () => {
    // The time is read first: a process that is stopped between the two would otherwise seem to hold on to its lease.
    const nowMs = monotonicMs();
    const { remainingMs } = leadership;
    if (remainingMs > 0) validUntilMs = nowMs + remainingMs;
  };
  const write = () => {
    lookAtThis();
    if (leadership.remainingMs > 0) tell({ type: 'write', holder, token });
  };
  look = lookAtThis;
  lookAtThis();
  const beganMs = monotonicMs();
  tell({ type: 'began', atMs: beganMs, token });
  write();
  const writing = setInterval(write, writeIntervalMs);
  const abortedMs = await aborted(signal);
  clearInterval(writing);
  look = () => {};
  // A lease that ran out while the process was stopped was over then: from that moment on `assertValid` throws.
  // One that had run out before the work began was held for no time at all.
  tell({ type: 'ended', atMs: Math.max(beganMs, Math.min(abortedMs, validUntilMs)), token });
}

/** When it aborted, to the moment. */
async function aborted(signal: AbortSignal): Promise<number> {
  if (signal.aborted) return monotonicMs();
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(monotonicMs()), { once: true }),
  );
}

function tell(message: FromNode): void {
  // The channel may close at any moment; `disconnect` then ends the process.
  process.send?.(message, undefined, undefined, () => {});
}
