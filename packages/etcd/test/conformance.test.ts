import { randomUUID } from 'node:crypto';
import { createElector, memoryStorage } from '@hustings/runtime';
import { type EtcdCluster, electorConformance, startEtcdCluster } from '@hustings/testkit';
import { afterAll, beforeAll } from 'vitest';
import { etcdGateway } from '../src/gateway.js';
import { etcd } from '../src/index.js';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

for (const succession of ['queue', 'race'] as const) {
  electorConformance({
    name: `etcd (${succession}) on a real server`,
    guarantees: etcd({ succession }).guarantees,
    open() {
      const protocol = etcd({ name: `conformance-${randomUUID()}`, ttlSeconds: 1, succession });
      return {
        create: (id) =>
          createElector({
            protocol,
            transport: etcdGateway({ id, hosts: cluster.endpoints }),
            peers: [],
            storage: memoryStorage(),
          }),
      };
    },
  });
}
