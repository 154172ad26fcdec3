import { randomUUID } from 'node:crypto';
import { createElector, memoryStorage, runMachine } from '@hustings/runtime';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { type ElectorCluster, electorConformance } from '@hustings/testkit';
import type { Transport } from '@hustings/transport';
import { MemoryNetwork } from '@hustings/transport/memory';
import { afterAll, beforeAll } from 'vitest';
import { etcdGateway, type SharedGateway, sharedGateway } from '../../src/gateway.js';
import { type EtcdMessage, etcd } from '../../src/index.js';
import { simulatedEtcd } from '../../src/simulated.js';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

/** Each node is a process with a session; beside the election that is looked at, two others are held. */
function overSessions(transportOf: (id: string) => Transport<EtcdMessage>): ElectorCluster {
  const name = `conformance-${randomUUID()}`;
  const sessions = new Map<string, SharedGateway>();
  const open = (session: SharedGateway, election: string) =>
    createElector({
      protocol: etcd({ name: `${name}/${election}`, ttlSeconds: 1 }),
      transport: session.transport(election),
      storage: memoryStorage(),
    });
  const others: { stop(): Promise<void> }[] = [];

  function sessionOf(id: string): SharedGateway {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session = sharedGateway({ transport: transportOf(id), name, settings: { ttlSeconds: 1 } });
    sessions.set(id, session);
    for (const election of ['beside', 'besides']) {
      const elector = open(session, election);
      others.push(elector);
      void elector.start().then(() => elector.campaign().catch(() => {}));
    }
    return session;
  }

  return {
    create: (id) => open(sessionOf(id), 'watched'),
    async close() {
      await Promise.all(others.map((elector) => elector.stop()));
      await Promise.all([...sessions.values()].map((session) => session.stop()));
    },
  };
}

const { guarantees } = etcd();

electorConformance({
  name: 'etcd over sessions on a simulated server',
  guarantees,
  async open(ids) {
    const network = new MemoryNetwork<EtcdMessage>();
    const server = await runMachine({
      machine: simulatedEtcd(),
      transport: network.transport('etcd', ids),
      storage: memoryStorage(),
    });
    const { create, close } = overSessions((id) => network.transport(id, ['etcd']));
    return {
      create,
      async close() {
        await close?.();
        await server.stop();
      },
    };
  },
});

electorConformance({
  name: 'etcd over sessions on a real server',
  guarantees,
  open: () => overSessions((id) => etcdGateway({ id, hosts: cluster.endpoints })),
});
