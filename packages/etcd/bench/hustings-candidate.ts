/** Campaigns, prints `leads`, and resigns on SIGINT. Parameters: election, TTL in seconds, endpoints. */

import { etcd } from '@hustings/etcd';
import { etcdGateway } from '@hustings/etcd/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';

const [name = '', ttlSeconds = '', ...hosts] = process.argv.slice(2);
const elector = createElector({
  protocol: etcd({ name, ttlSeconds: Number(ttlSeconds) }),
  transport: etcdGateway({ id: `node-${process.pid}`, hosts }),
  peers: [],
  storage: memoryStorage(),
});
await elector.start();
process.on('SIGINT', () => void elector.resign());
await elector.campaign();
process.stdout.write('leads\n');
