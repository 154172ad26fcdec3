/**
 * Campaigns, prints `leads`, and resigns on SIGINT. Parameters: election, TTL in seconds, endpoints. `RENEW_AFTER` in
 * the environment sets after what part of the lease it is renewed.
 */

import { defaultSettings, etcd } from '@hustings/etcd';
import { etcdGateway } from '@hustings/etcd/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';

const [name = '', ttlSeconds = '', ...hosts] = process.argv.slice(2);
const { RENEW_AFTER = defaultSettings.renewAfter } = process.env;
const renewAfter = Number(RENEW_AFTER);
const elector = createElector({
  protocol: etcd({ name, ttlSeconds: Number(ttlSeconds), renewAfter }),
  transport: etcdGateway({ id: `node-${process.pid}`, hosts }),
  peers: [],
  storage: memoryStorage(),
});
await elector.start();
process.on('SIGINT', () => void elector.resign());
await elector.campaign();
process.stdout.write('leads\n');
