import { randomUUID } from 'node:crypto';
import { createElector, memoryStorage } from '@hustings/runtime';
import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { electorConformance } from '@hustings/testkit';
import { afterAll, beforeAll } from 'vitest';
import { zookeeperGateway } from '../src/gateway.js';
import { zookeeper } from '../src/index.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
});
afterAll(() => ensemble?.stop());

for (const succession of ['queue', 'herd'] as const) {
  electorConformance({
    name: `zookeeper (${succession}) on a real server`,
    guarantees: zookeeper({ succession }).guarantees,
    open() {
      const path = `/conformance/${randomUUID()}`;
      const protocol = zookeeper({ path, sessionTimeoutMs: 1000, succession });
      return {
        create: (id) =>
          createElector({
            protocol,
            transport: zookeeperGateway({ id, hosts: ensemble.hosts }),
            peers: [],
            storage: memoryStorage(),
          }),
      };
    },
  });
}
