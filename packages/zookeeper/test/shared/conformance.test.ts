import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { describeSessions } from '@hustings/testkit/sessions';
import { afterAll, beforeAll } from 'vitest';
import { sharedGateway, zookeeperGateway } from '../../src/gateway.js';
import { zookeeper } from '../../src/index.js';
import { simulatedZooKeeper } from '../../src/simulated.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
});
afterAll(() => ensemble?.stop());

const sessionTimeoutMs = 1000;

describeSessions({
  coordinator: 'zookeeper',
  protocolOf: (prefix, election) => zookeeper({ path: `/${prefix}/${election}`, sessionTimeoutMs }),
  share: (transport, prefix) =>
    sharedGateway({ transport, path: `/${prefix}`, settings: { sessionTimeoutMs } }),
  simulated: () => simulatedZooKeeper(),
  connect: (id) => zookeeperGateway({ id, hosts: ensemble.hosts }),
});
