import { memoryStorage, runMachine } from '@hustings/runtime';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { MemoryNetwork } from '@hustings/transport/memory';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { etcdGateway } from '../src/gateway.js';
import type { EtcdMessage } from '../src/index.js';
import { type SimulatedEtcdDurable, simulatedEtcd } from '../src/simulated.js';
import { type EtcdSubject, etcdChecks } from './contract.js';

/** The simulated etcd in real time: the runtime drives it as it drives an elector. */
function simulatedSubject(): EtcdSubject & { open(): Promise<void>; close(): Promise<void> } {
  const network = new MemoryNetwork<EtcdMessage>();
  const clients = Array.from({ length: 100 }, (_, index) => `client-${index}`);
  const storage = memoryStorage<SimulatedEtcdDurable>();
  let used = 0;
  const start = () =>
    runMachine({ machine: simulatedEtcd(), transport: network.transport('etcd', clients), storage });
  let server: Awaited<ReturnType<typeof start>>;
  return {
    name: 'simulated',
    async open() {
      server = await start();
    },
    close: () => server.stop(),
    connect() {
      used += 1;
      return network.transport(clients[used]!, ['etcd']);
    },
    async compact(revision) {
      server.request({ type: 'compact', revision });
    },
    async restart() {
      await server.stop();
      server = await start();
    },
  };
}

describe('a simulated etcd', () => {
  const subject = simulatedSubject();
  beforeAll(() => subject.open());
  afterAll(() => subject.close());
  for (const check of etcdChecks) it(check.name, () => check.run(subject));
});

for (const members of [1, 3]) {
  describe(`a real etcd of ${members === 1 ? 'one member' : 'three members'}`, () => {
    let cluster: EtcdCluster;
    beforeAll(async () => {
      cluster = await startEtcdCluster({ members });
    });
    afterAll(() => cluster?.stop());

    const everyMember = Array.from({ length: members }, (_, index) => index);
    const subject: EtcdSubject = {
      name: 'real',
      connect: () => etcdGateway({ id: 'client', hosts: cluster.endpoints }),
      compact: async (revision) => {
        await cluster.etcdctl('compact', revision);
      },
      async restart() {
        await Promise.all(everyMember.map((index) => cluster.killMember(index)));
        await Promise.all(everyMember.map((index) => cluster.restartMember(index)));
      },
    };
    for (const check of etcdChecks) it(check.name, () => check.run(subject));
  });
}
