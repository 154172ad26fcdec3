/** A node with death certificates that always stands. It tells when it would certify its peers, and when it leads. */

import { etcd } from '@hustings/etcd';
import { etcdGateway } from '@hustings/etcd/gateway';
import { type LeaseStore, lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { postgresStore } from '@hustings/postgres';
import { raft } from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import { redisStore } from '@hustings/redis';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { monotonicMs } from '@hustings/servers';
import { joinTransports } from '@hustings/transport';
import { type WebSocketTransport, webSocketTransport } from '@hustings/transport/websocket';
import { zookeeper } from '@hustings/zookeeper';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';
import { Redis } from 'ioredis';
import pg from 'pg';

export type ElectorName = 'raft' | 'etcd' | 'zookeeper' | 'postgres' | 'redis';

export interface NodeSettings {
  readonly elector: ElectorName;
  readonly id: string;
  readonly port: number;
  readonly peers: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly election: string;
  readonly hosts: string;
}

export type FromNode =
  | { readonly type: 'certifies' }
  | { readonly type: 'follows'; readonly token: bigint | null }
  | { readonly type: 'leads'; readonly token: bigint; readonly atMs: number }
  | { readonly type: 'lost'; readonly token: bigint };

const tell = (message: FromNode): void => void process.send?.(message);

function links<Message>(
  { id, port, peers }: NodeSettings,
  decodeMessage: (value: unknown) => Message,
): WebSocketTransport<Message> {
  const transport = webSocketTransport({
    ...{ id, peers, decodeMessage, deathCertificates: true },
    listen: { host: '127.0.0.1', port },
    secret: 'no secret, for nobody else is here',
    onDiagnostic: () => {},
  });
  void tellWhenVigilant(transport, Object.keys(peers));
  return transport;
}

async function tellWhenVigilant(transport: WebSocketTransport<unknown>, peers: string[]): Promise<void> {
  for (let wasVigilant = false; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const isVigilant = peers.every((peer) => transport.certifies(peer));
    if (isVigilant && !wasVigilant) tell({ type: 'certifies' });
    wasVigilant = isVigilant;
  }
}

/** With the default timings of the front door. */
const electors: Readonly<Record<ElectorName, (settings: NodeSettings) => RuntimeElector<never>>> = {
  raft(settings) {
    const { id, directory } = settings;
    const timings = { electionTimeoutMs: [1000, 2000] as const, heartbeatMs: 100 };
    const protocol = raft({ ...timings, deathCertificates: true });
    const storage = raftStorage({ directory, id });
    return createElector({ protocol, transport: links(settings, protocol.decodeMessage), storage });
  },
  etcd(settings) {
    const { id, election, hosts } = settings;
    const protocol = etcd({ name: election, deathCertificates: true });
    const peers = links(settings, protocol.decodeMessage);
    const transport = joinTransports({ coordinator: etcdGateway({ id, hosts }), peers });
    return createElector({ protocol, transport, storage: memoryStorage() });
  },
  zookeeper(settings) {
    const { id, election, hosts } = settings;
    const protocol = zookeeper({ path: `/${election}`, deathCertificates: true });
    const peers = links(settings, protocol.decodeMessage);
    const transport = joinTransports({ coordinator: zookeeperGateway({ id, hosts }), peers });
    return createElector({ protocol, transport, storage: memoryStorage() });
  },
  postgres: (settings) =>
    onStore(settings, postgresStore({ client: new pg.Pool({ connectionString: settings.hosts }) })),
  redis: (settings) => onStore(settings, redisStore({ client: new Redis(settings.hosts) })),
};

function onStore(settings: NodeSettings, store: LeaseStore): RuntimeElector<never> {
  const { id, election } = settings;
  const protocol = lease(store.traits, { name: election, deathCertificates: true });
  const peers = links(settings, protocol.decodeMessage);
  const transport = joinTransports({ coordinator: leaseGateway({ id, store }), peers });
  return createElector({ protocol, transport, storage: memoryStorage() });
}

async function observe(elector: RuntimeElector<never>): Promise<void> {
  for await (const { role, token } of elector.observe())
    if (role === 'follower') tell({ type: 'follows', token });
}

process.once('message', async (settings: NodeSettings) => {
  const elector = electors[settings.elector](settings);
  await elector.start();
  void observe(elector);
  for (;;) {
    const { token, signal } = await elector.campaign();
    tell({ type: 'leads', token, atMs: monotonicMs() });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    tell({ type: 'lost', token });
  }
});
