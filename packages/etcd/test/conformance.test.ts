import { randomUUID } from 'node:crypto';
import { createElector, memoryStorage, runMachine } from '@hustings/runtime';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { type ElectorCluster, electorConformance } from '@hustings/testkit';
import { joinTransports } from '@hustings/transport';
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

const others = (ids: readonly string[], id: string): string[] => ids.filter((peer) => peer !== id);

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
        transport: network.transport(id, ['etcd', ...others(ids, id)]),
        peers: others(ids, id),
        storage: memoryStorage(),
      }),
    close: () => server.stop(),
  };
}

/** Each talks to etcd through its own gateway, and to the others in memory. */
function onRealServer(protocol: EtcdProtocol, ids: readonly string[]): ElectorCluster {
  const network = new MemoryNetwork<EtcdMessage>();
  return {
    create: (id) =>
      createElector({
        protocol,
        transport: joinTransports({
          coordinator: etcdGateway({ id, hosts: cluster.endpoints }),
          // A transport in memory does not say whom it can reach.
          peers: Object.assign(network.transport(id, others(ids, id)), { peers: others(ids, id) }),
        }),
        storage: memoryStorage(),
      }),
  };
}

const variants = {
  queue: {},
  race: { succession: 'race' },
  heirs: { heirWaitMs: 400 },
} as const;

for (const [variant, settings] of Object.entries(variants)) {
  const { guarantees } = etcd({ ...settings, ttlSeconds: 1 });
  const protocol = () => etcd({ name: `conformance-${randomUUID()}`, ttlSeconds: 1, ...settings });
  electorConformance({
    name: `etcd (${variant}) on a simulated server`,
    guarantees,
    open: (ids) => onSimulatedServer(protocol(), ids),
  });
  electorConformance({
    name: `etcd (${variant}) on a real server`,
    guarantees,
    open: (ids) => onRealServer(protocol(), ids),
  });
}
