/**
 * Campaigns, prints `leads` with the time, and resigns on SIGINT, printing `resigns` with the time at which it began.
 * Parameters: election, TTL in seconds, endpoints.
 */

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
// Linux has one monotonic clock for all processes.
const say = (what: string): boolean => process.stdout.write(`${what} ${process.hrtime.bigint()}\n`);
process.on('SIGINT', () => {
  const resignedAt = process.hrtime.bigint();
  void elector.resign().then(() => process.stdout.write(`resigns ${resignedAt}\n`));
});
await elector.campaign();
say('leads');
