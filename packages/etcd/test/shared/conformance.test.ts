import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { describeSessions } from '@hustings/testkit/sessions';
import { afterAll, beforeAll } from 'vitest';
import { etcdGateway, sharedGateway } from '../../src/gateway.js';
import { etcd } from '../../src/index.js';
import { simulatedEtcd } from '../../src/simulated.js';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

const ttlSeconds = 1;

describeSessions({
  coordinator: 'etcd',
  protocolOf: (prefix, election) => etcd({ name: `${prefix}/${election}`, ttlSeconds }),
  share: (transport, name) => sharedGateway({ transport, name, settings: { ttlSeconds } }),
  simulated: () => simulatedEtcd(),
  connect: (id) => etcdGateway({ id, hosts: cluster.endpoints }),
});
