import { randomUUID } from 'node:crypto';
import { createElector, memoryStorage, runMachine } from '@hustings/runtime';
import {
  type ElectorCluster,
  electorConformance,
  type MemoryLeases,
  memoryLeaseStore,
} from '@hustings/testkit';
import { MemoryNetwork } from '@hustings/transport/memory';
import { leaseGateway } from '../src/gateway.js';
import { type LeaseMessage, type LeaseProtocol, lease, type StoreTraits } from '../src/index.js';
import { simulatedStore } from '../src/simulated.js';

/** The runtime drives the simulated store as it drives the electors, on one network in memory. */
async function onSimulatedStore(
  protocol: LeaseProtocol,
  clock: StoreTraits['clock'],
  ids: readonly string[],
): Promise<ElectorCluster> {
  const network = new MemoryNetwork<LeaseMessage>();
  const store = await runMachine({
    machine: simulatedStore({ clock }),
    transport: network.transport('store', ids),
    storage: memoryStorage(),
  });
  return {
    create: (id) =>
      createElector({
        protocol,
        transport: network.transport(id, ['store']),
        peers: [],
        storage: memoryStorage(),
      }),
    close: () => store.stop(),
  };
}

function throughGateway(protocol: LeaseProtocol, clock: StoreTraits['clock']): ElectorCluster {
  const leases: MemoryLeases = new Map();
  return {
    create: (id) =>
      createElector({
        protocol,
        transport: leaseGateway({ id, store: memoryLeaseStore(leases, { clock }) }),
        peers: [],
        storage: memoryStorage(),
      }),
  };
}

for (const clock of ['store', 'observer'] as const) {
  const { traits } = memoryLeaseStore(new Map(), { clock });
  const protocol = () => lease(traits, { name: `conformance-${randomUUID()}`, ttlMs: 1000 });
  const { guarantees } = protocol();
  electorConformance({
    name: `lease (the ${clock}'s clock) on a simulated store`,
    guarantees,
    open: (ids) => onSimulatedStore(protocol(), clock, ids),
  });
  electorConformance({
    name: `lease (the ${clock}'s clock) through the gateway`,
    guarantees,
    open: () => throughGateway(protocol(), clock),
  });
}
