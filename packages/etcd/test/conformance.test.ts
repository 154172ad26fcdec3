import { randomUUID } from 'node:crypto';
import { createElector, memoryStorage, runMachine } from '@hustings/runtime';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { type ElectorCluster, electorConformance } from '@hustings/testkit';
import { MemoryNetwork } from '@hustings/transport/memory';
import { afterAll, beforeAll } from 'vitest';
import { etcdGateway } from '../src/gateway.js';
import { type EtcdMessage, type EtcdProtocol, etcd } from '../src/index.js';
import { simulatedEtcd } from '../src/simulated.js';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

/** The runtime drives the simulated server as it drives the electors, on one network in memory. */
async function onSimulatedServer(protocol: EtcdProtocol, ids: readonly string[]): Promise<ElectorCluster> {
  const network = new MemoryNetwork<EtcdMessage>();
  const server = await runMachine({
    machine: simulatedEtcd(),
    transport: network.transport('etcd', ids),
    storage: memoryStorage(),
  });
  return {
    create: (id) =>
      createElector({
        protocol,
        transport: network.transport(id, ['etcd']),
        peers: [],
        storage: memoryStorage(),
      }),
    close: () => server.stop(),
  };
}

function onRealServer(protocol: EtcdProtocol): ElectorCluster {
  return {
    create: (id) =>
      createElector({
        protocol,
        transport: etcdGateway({ id, hosts: cluster.endpoints }),
        peers: [],
        storage: memoryStorage(),
      }),
  };
}

for (const succession of ['queue', 'race'] as const) {
  const { guarantees } = etcd({ succession });
  const protocol = () => etcd({ name: `conformance-${randomUUID()}`, ttlSeconds: 1, succession });
  electorConformance({
    name: `etcd (${succession}) on a simulated server`,
    guarantees,
    open: (ids) => onSimulatedServer(protocol(), ids),
  });
  electorConformance({
    name: `etcd (${succession}) on a real server`,
    guarantees,
    open: () => onRealServer(protocol()),
  });
}
