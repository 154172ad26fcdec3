/** One node of a live trial: a process of its own, which ends with the benchmark that started it. */

import { once } from 'node:events';
import { configure, open } from '@hustings/catalogue';
import { type Leadership, lead, type NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import { createElector } from '@hustings/runtime';
import { monotonicMs } from '@hustings/servers';
import { type AnyProtocol, deriveSeed, Random } from '@hustings/simulator';
import { type FaultyTransport, faulty, joinTransports, type Transport } from '@hustings/transport';
import { webSocketTransport } from '@hustings/transport/websocket';
import { writeIntervalMs } from '../../plan/settings.js';
import type { Sighting } from '../observation.js';
import type { CoordinatorAccess, FromNode, NodeSettings, ToNode } from './messages.js';
import { storageOf } from './storage.js';

const ports = new Map<NodeId, number>();
const resignation = new AbortController();
let rules: FaultyTransport<ProtocolMessage> | null = null;
let campaign = () => {};
let resignTo = (_: NodeId) => {};

process.on('disconnect', () => process.exit());
// A Ctrl-C reaches every process of the terminal. The benchmark decides when its nodes end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', (message: ToNode) => {
  switch (message.type) {
    case 'start':
      void start(message.settings);
      break;
    case 'addresses':
      for (const [node, port] of Object.entries(message.ports)) ports.set(node, port);
      break;
    case 'campaign':
      campaign();
      break;
    case 'rules':
      rules?.setRules(message.rules);
      tell({ type: 'applied', atMs: monotonicMs() });
      break;
    case 'resign':
      tell({ type: 'applied', atMs: monotonicMs() });
      // `lead` then finds the resignation under way.
      if (message.to !== null) resignTo(message.to);
      resignation.abort();
      break;
  }
});

function start(settings: NodeSettings): Promise<void> {
  const { algorithm, variant, profile, budgetMs, coordinator } = settings;
  return open(algorithm)((opened) =>
    run(configure(opened, variant, profile, budgetMs, coordinator?.election).protocol, settings),
  );
}

async function run<State>(protocol: AnyProtocol<State>, settings: NodeSettings): Promise<void> {
  const { id, nodes, seed, directory, coordinator } = settings;
  const isLinked = coordinator === null || protocol.deathCertificates === true;
  const peers = isLinked ? nodes.filter((node) => node !== id) : [];
  const random = new Random(deriveSeed(seed, id));
  const link = await linkOf(protocol, peers, settings);
  const fallible = faulty(link.transport, { random: () => random.fraction() });
  rules = fallible;
  const elector = createElector({
    protocol: reportingCampaigns(protocol, id),
    transport: reportingMessages(fallible, protocol.periodicMessages, peers, coordinator !== null),
    peers,
    storage: storageOf(settings.algorithm, { directory, id }, (value) => protocol.decodeDurable(value)),
    random: () => random.fraction(),
    onDiagnostic: (diagnostic) => {
      if ('error' in diagnostic) throw diagnostic.error;
    },
  });
  void (async () => {
    for await (const { leaderId } of elector.observe()) {
      report({ type: 'believed', atMs: monotonicMs(), node: id, leaderId });
    }
  })();
  await elector.start();
  tell({ type: 'listening', port: link.port() });
  if (!isLinked) tell({ type: 'connected' });
  resignTo = (to) => void elector.resign({ to });
  campaign = () => void lead(elector, (leadership) => work(id, leadership), { signal: resignation.signal });
}

interface Link {
  readonly transport: Transport<ProtocolMessage>;
  /** Where peers reach this node; 0 where there is nothing to reach. */
  port(): number;
}

async function linkOf<State>(
  protocol: AnyProtocol<State>,
  peers: readonly NodeId[],
  settings: NodeSettings,
): Promise<Link> {
  const { id, coordinator } = settings;
  if (coordinator === null) return peerLink(protocol, peers, settings);
  const gateway = await coordinatorLink(id, coordinator);
  if (peers.length === 0) return gateway;
  const { transport, port } = peerLink(protocol, peers, settings);
  return { transport: joinTransports({ coordinator: gateway.transport, peers: transport }), port };
}

function peerLink<State>(
  protocol: AnyProtocol<State>,
  peers: readonly NodeId[],
  { id, secret }: NodeSettings,
): Link {
  const transport = webSocketTransport<ProtocolMessage>({
    id,
    listen: { host: '127.0.0.1', port: 0 },
    peers: Object.fromEntries(peers.map((peer) => [peer, () => addressOf(peer)])),
    secret,
    decodeMessage: (value) => protocol.decodeMessage(value),
    deathCertificates: protocol.deathCertificates ?? false,
    reconnectDelayMs: { baseMs: 20, capMs: 200 },
    // Failed attempts to reach a node that was killed are what the trial is about.
    onDiagnostic: () => {},
  });
  return { transport, port: () => transport.address()!.port };
}

async function coordinatorLink(id: NodeId, access: CoordinatorAccess): Promise<Link> {
  // The gateways take the messages of their own protocol only, which are the only ones that come here.
  const transport = (await gatewayOf(id, access)) as unknown as Transport<ProtocolMessage>;
  return { transport, port: () => 0 };
}

/** A client is loaded where it is wanted: to load that of etcd is most of the work of starting a node. */
async function gatewayOf(id: NodeId, { kind, addresses }: CoordinatorAccess) {
  if (kind === 'etcd') {
    const { etcdGateway } = await import('@hustings/etcd/gateway');
    return etcdGateway({ id, hosts: addresses.map((address) => `http://${address}`) });
  }
  const { zookeeperGateway } = await import('@hustings/zookeeper/gateway');
  return zookeeperGateway({ id, hosts: addresses.join(',') });
}

/** What a leader is for: it writes to the store until it leads no longer. */
async function work(node: NodeId, leadership: Leadership): Promise<void> {
  const { token, holder, signal } = leadership;
  report({ type: 'began', atMs: monotonicMs(), node, holder, token });
  let deadlineMs = Number.POSITIVE_INFINITY;
  const write = () => {
    // After a pause the lease may be over although its end has not been announced yet.
    if (leadership.remainingMs <= 0) return;
    deadlineMs = monotonicMs() + leadership.remainingMs;
    tell({ type: 'write', atMs: monotonicMs(), holder, token });
  };
  write();
  const writing = setInterval(write, writeIntervalMs);
  if (!signal.aborted) await once(signal, 'abort');
  clearInterval(writing);
  // A lease that ran out in a pause was over then, as in the simulator: from that moment on `assertValid` throws.
  const atMs = Math.min(monotonicMs(), deadlineMs);
  report({ type: 'ended', atMs, node });
}

function addressOf(peer: NodeId): string | null {
  const port = ports.get(peer);
  return port === undefined ? null : `ws://127.0.0.1:${port}`;
}

/** The `campaign` effect itself, as the simulator sees it: a belief could change twice before anybody looks. */
function reportingCampaigns<State>(protocol: AnyProtocol<State>, id: NodeId): AnyProtocol<State> {
  return {
    ...protocol,
    step(state, input, nowMs) {
      const transition = protocol.step(state, input, nowMs);
      if (transition[1].some(({ type }) => type === 'campaign')) {
        report({ type: 'campaigned', atMs: monotonicMs(), node: id });
      }
      return transition;
    },
  };
}

/** Counting alone would not do: which messages came before convergence is known only afterwards. */
function reportingMessages(
  transport: Transport<ProtocolMessage>,
  periodicMessages: ReadonlySet<string>,
  peers: readonly NodeId[],
  /** Nobody else reports what a coordinator sends, so its answers are counted here. */
  isCoordinated: boolean,
): Transport<ProtocolMessage> {
  const reached = new Set<NodeId>();
  const count = ({ type: kind }: ProtocolMessage) => {
    const periodic = periodicMessages.has(kind);
    report({ type: 'sent', atMs: monotonicMs(), kind, periodic });
  };
  return {
    id: transport.id,
    incarnation: transport.incarnation,
    start: (handlers) =>
      transport.start({
        received(from, message, incarnation) {
          if (isCoordinated && !peers.includes(from)) count(message);
          handlers.received(from, message, incarnation);
        },
        linkUp(peer, incarnation) {
          handlers.linkUp(peer, incarnation);
          reached.add(peer);
          if (peers.includes(peer) && peers.every((each) => reached.has(each))) tell({ type: 'connected' });
        },
        linkDown: (peer) => handlers.linkDown(peer),
        peerGone: (peer, incarnation) => handlers.peerGone?.(peer, incarnation),
      }),
    send(to, message, incarnation) {
      count(message);
      transport.send(to, message, incarnation);
    },
    stop: () => transport.stop(),
  };
}

/** A node that reported everything at once would be slowed down by it just when it is measured. */
const reportAfterMs = 20;
let unreported: Sighting[] = [];

function report(sighting: Sighting): void {
  if (unreported.length === 0) setTimeout(reportAll, reportAfterMs);
  unreported.push(sighting);
}

function reportAll(): void {
  const sightings = unreported;
  unreported = [];
  tell({ type: 'sightings', sightings });
}

function tell(message: FromNode): void {
  // The channel may close at any moment; `disconnect` then ends the process.
  process.send?.(message, undefined, undefined, () => {});
}
