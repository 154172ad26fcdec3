/** A node of ours that always stands. It tells whatever a measurement waits for, and counts its messages. */

import type { Leadership, NodeId } from '@hustings/elector';
import { etcd } from '@hustings/etcd';
import { type LeaseStore, lease } from '@hustings/lease';
import { raft } from '@hustings/raft';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { monotonicMs } from '@hustings/servers';
import { joinTransports, type Transport } from '@hustings/transport';
import { type WebSocketTransport, webSocketTransport } from '@hustings/transport/websocket';
import { zookeeper } from '@hustings/zookeeper';
import { type ElectorName, type FromNode, type NodeSettings, type ToNode, timings } from './messages.js';

const tell = (message: FromNode): void => void process.send?.(message);

// ---- Messages -----------------------------------------------------------------------------------------

/** Which messages fell between two moments is known only afterwards, so each is noted with its time. */
class MessageLog {
  readonly #entries: { readonly atMs: number; readonly isPeriodic: boolean }[] = [];
  readonly #periodic: ReadonlySet<string>;
  /** How often a peer has promised to be this node's heir. */
  promises = 0;

  constructor(periodic: ReadonlySet<string>) {
    this.#periodic = periodic;
  }

  note(type: string): void {
    this.#entries.push({ atMs: monotonicMs(), isPeriodic: this.#periodic.has(type) });
  }

  count(fromMs: number, toMs: number): { readonly election: number; readonly total: number } {
    const between = this.#entries.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    return {
      election: between.filter(({ isPeriodic }) => !isPeriodic).length,
      total: between.length,
    };
  }
}

/** Counted where it is sent. Nobody else counts what a coordinator says, so that is counted where it arrives. */
function logged<Message extends { readonly type: string }>(
  transport: Transport<Message>,
  log: MessageLog,
): Transport<Message> {
  const peers = new Set<NodeId>(transport.peers);
  return {
    id: transport.id,
    incarnation: transport.incarnation,
    ...(transport.peers === undefined ? {} : { peers: transport.peers }),
    start: (handlers) =>
      transport.start({
        received(from, message, incarnation) {
          if (!peers.has(from)) log.note(message.type);
          else if (message.type === 'promise') log.promises += 1;
          handlers.received(from, message, incarnation);
        },
        linkUp: (peer, incarnation) => handlers.linkUp(peer, incarnation),
        linkDown: (peer) => handlers.linkDown(peer),
        peerGone: (peer, incarnation) => handlers.peerGone?.(peer, incarnation),
      }),
    send(to, message, incarnation) {
      log.note(message.type);
      transport.send(to, message, incarnation);
    },
    stop: () => transport.stop(),
  };
}

// ---- Electors -----------------------------------------------------------------------------------------

interface Node {
  readonly elector: RuntimeElector<never>;
  readonly log: MessageLog;
}

function links<Message>(
  { id, port, peers, deathCertificates }: NodeSettings,
  decodeMessage: (value: unknown) => Message,
): WebSocketTransport<Message> {
  const transport = webSocketTransport({
    ...{ id, peers, decodeMessage, deathCertificates },
    listen: { host: '127.0.0.1', port },
    secret: 'no secret, for nobody else is here',
    onDiagnostic: () => {},
  });
  if (deathCertificates) void tellWhenVigilant(transport, Object.keys(peers));
  return transport;
}

async function tellWhenVigilant(transport: WebSocketTransport<unknown>, peers: NodeId[]): Promise<void> {
  while (!peers.every((peer) => transport.certifies(peer)))
    await new Promise((resolve) => setTimeout(resolve, 20));
  tell({ type: 'vigilant' });
}

/** Between candidates that have a coordinator there are links only where they are of use. */
function joined<Message>(
  coordinator: Transport<Message>,
  settings: NodeSettings,
  decodeMessage: (value: unknown) => Message,
): Transport<Message> {
  const areLinked = settings.deathCertificates || settings.heirWaitMs !== null;
  return areLinked ? joinTransports({ coordinator, peers: links(settings, decodeMessage) }) : coordinator;
}

/** Each loads what it needs, as whoever uses it would: the more a process has loaded, the longer its death takes. */
const nodes: Readonly<Record<ElectorName, (settings: NodeSettings) => Promise<Node>>> = {
  async raft(settings) {
    const { raftStorage } = await import('@hustings/raft/storage');
    const { id, directory, deathCertificates } = settings;
    const protocol = raft({ ...timings.raft, deathCertificates });
    const log = new MessageLog(protocol.periodicMessages);
    const transport = logged(links(settings, protocol.decodeMessage), log);
    const storage = raftStorage({ directory, id });
    return { log, elector: createElector({ protocol, transport, storage }) };
  },
  async etcd(settings) {
    const { etcdGateway } = await import('@hustings/etcd/gateway');
    const { id, election: name, hosts, deathCertificates, heirWaitMs } = settings;
    const protocol = etcd({
      ...{ ...timings.etcd, name, deathCertificates },
      ...(heirWaitMs === null ? {} : { heirWaitMs }),
    });
    const log = new MessageLog(protocol.periodicMessages);
    const transport = logged(joined(etcdGateway({ id, hosts }), settings, protocol.decodeMessage), log);
    return { log, elector: createElector({ protocol, transport, storage: memoryStorage() }) };
  },
  async zookeeper(settings) {
    const { zookeeperGateway } = await import('@hustings/zookeeper/gateway');
    const { id, election, hosts, deathCertificates } = settings;
    const protocol = zookeeper({ ...timings.zookeeper, path: `/${election}`, deathCertificates });
    const log = new MessageLog(protocol.periodicMessages);
    const transport = logged(joined(zookeeperGateway({ id, hosts }), settings, protocol.decodeMessage), log);
    return { log, elector: createElector({ protocol, transport, storage: memoryStorage() }) };
  },
  async postgres(settings) {
    const { postgresStore } = await import('@hustings/postgres');
    const { default: pg } = await import('pg');
    return onStore(settings, postgresStore({ client: new pg.Pool({ connectionString: settings.hosts }) }));
  },
  async redis(settings) {
    const { redisStore } = await import('@hustings/redis');
    const { Redis } = await import('ioredis');
    return onStore(settings, redisStore({ client: new Redis(settings.hosts) }));
  },
};

async function onStore(settings: NodeSettings, store: LeaseStore): Promise<Node> {
  const { leaseGateway } = await import('@hustings/lease/gateway');
  const { id, election: name, deathCertificates } = settings;
  const protocol = lease(store.traits, { ...timings.postgres, name, deathCertificates });
  const log = new MessageLog(protocol.periodicMessages);
  const transport = logged(joined(leaseGateway({ id, store }), settings, protocol.decodeMessage), log);
  return { log, elector: createElector({ protocol, transport, storage: memoryStorage() }) };
}

// ---- The process --------------------------------------------------------------------------------------

async function observe(elector: RuntimeElector<never>): Promise<void> {
  for await (const { role, token } of elector.observe())
    if (role === 'follower') tell({ type: 'follows', token, atMs: monotonicMs() });
}

/** Acts as often as it can: whoever acts asks first whether it still leads. */
async function act({ token, signal, assertValid }: Leadership, log: MessageLog): Promise<void> {
  const before = log.promises;
  let validAtMs = monotonicMs();
  let hasHeir = false;
  while (!signal.aborted) {
    try {
      // The time is read first: a process that is stopped between the two would otherwise seem to lead when it wakes.
      const nowMs = monotonicMs();
      assertValid();
      validAtMs = nowMs;
    } catch {
      break;
    }
    if (!hasHeir && log.promises > before) {
      hasHeir = true;
      tell({ type: 'has-heir', token });
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  tell({ type: 'ended', token, atMs: validAtMs });
}

async function run({ elector, log }: Node): Promise<void> {
  await elector.start();
  void observe(elector);
  for (;;) {
    const leadership = await elector.campaign();
    tell({ type: 'leads', token: leadership.token, atMs: monotonicMs() });
    await act(leadership, log);
  }
}

// A Ctrl-C reaches every process of the terminal. The measurement decides when its nodes end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

let node: Promise<Node> | null = null;
process.on('message', async (message: ToNode) => {
  if (message.type === 'start') {
    node = nodes[message.settings.elector](message.settings);
    await run(await node);
  } else if (node !== null) {
    const { log } = await node;
    tell({ type: 'counted', ...log.count(message.fromMs, message.toMs) });
  }
});
