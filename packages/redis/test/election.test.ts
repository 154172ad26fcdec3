import { randomUUID } from 'node:crypto';
import { type LeaseStore, lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';
import { type RedisServers, startRedis } from '@hustings/servers';
import { electorConformance } from '@hustings/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { redisStore, redlockStore } from '../src/index.js';

let servers: RedisServers;
const clients: Redis[] = [];
beforeAll(async () => {
  servers = await startRedis({ members: 5 });
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await servers.stop();
});

const connect = (index: number): Redis => {
  const client = new Redis({ port: servers?.ports[index] ?? 0, lazyConnect: true });
  client.on('error', () => {});
  clients.push(client);
  return client;
};

const stores: Record<string, () => LeaseStore> = {
  Redis: () => redisStore({ client: connect(0) }),
  'five Redis, by Redlock': () =>
    redlockStore({ clients: [0, 1, 2, 3, 4].map(connect), requestTimeoutMs: 2000 }),
};

for (const [name, open] of Object.entries(stores)) {
  const { traits } = open();
  const protocol = () => lease(traits, { name: randomUUID(), ttlMs: 1000 });
  electorConformance({
    name: `lease in ${name}`,
    guarantees: protocol().guarantees,
    open: () => {
      const election = protocol();
      return {
        create: (id) =>
          createElector({
            protocol: election,
            transport: leaseGateway({ id, store: open() }),
            peers: [],
            storage: memoryStorage(),
          }),
      };
    },
  });
}
