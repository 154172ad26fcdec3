import { randomUUID } from 'node:crypto';
import { createElector, memoryStorage, runMachine } from '@hustings/runtime';
import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { type ElectorCluster, electorConformance } from '@hustings/testkit';
import type { Transport } from '@hustings/transport';
import { MemoryNetwork } from '@hustings/transport/memory';
import { afterAll, beforeAll } from 'vitest';
import { type SharedGateway, sharedGateway, zookeeperGateway } from '../../src/gateway.js';
import { type ZooKeeperMessage, zookeeper } from '../../src/index.js';
import { simulatedZooKeeper } from '../../src/simulated.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
});
afterAll(() => ensemble?.stop());

const sessionTimeoutMs = 1000;

/** Each node is a process with a session; beside the election that is looked at, two others are held. */
function overSessions(transportOf: (id: string) => Transport<ZooKeeperMessage>): ElectorCluster {
  const path = `/conformance/${randomUUID()}`;
  const sessions = new Map<string, SharedGateway>();
  const open = (session: SharedGateway, election: string) =>
    createElector({
      protocol: zookeeper({ path: `${path}/${election}`, sessionTimeoutMs }),
      transport: session.transport(election),
      storage: memoryStorage(),
    });
  const others: { stop(): Promise<void> }[] = [];

  function sessionOf(id: string): SharedGateway {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const session = sharedGateway({ transport: transportOf(id), path, settings: { sessionTimeoutMs } });
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

const { guarantees } = zookeeper();

electorConformance({
  name: 'zookeeper over sessions on a simulated server',
  guarantees,
  async open(ids) {
    const network = new MemoryNetwork<ZooKeeperMessage>();
    const server = await runMachine({
      machine: simulatedZooKeeper(),
      transport: network.transport('zookeeper', ids),
      storage: memoryStorage(),
    });
    const { create, close } = overSessions((id) => network.transport(id, ['zookeeper']));
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
  name: 'zookeeper over sessions on a real server',
  guarantees,
  open: () => overSessions((id) => zookeeperGateway({ id, hosts: ensemble.hosts })),
});
