import { type RedisServers, startRedis } from '@hustings/servers';
import { describeLeaseStore } from '@hustings/testkit';
import { createClient } from '@redis/client';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { redisStore, redlockStore } from '../src/index.js';

let durable: RedisServers;
let forgetful: RedisServers;
let five: RedisServers;
// On a busy machine an instance takes its time.
const patient = { requestTimeoutMs: 2000 };
const disconnects: (() => void)[] = [];
beforeAll(async () => {
  durable = await startRedis();
  forgetful = await startRedis({ durability: 'no' });
  five = await startRedis({ members: 5 });
});
afterAll(async () => {
  for (const disconnect of disconnects) disconnect();
  await Promise.all([durable, forgetful, five].map((servers) => servers.stop()));
});

const withIoredis = (port: number): Redis => {
  const client = new Redis(port);
  client.on('error', () => {}); // Redis is killed on purpose.
  disconnects.push(() => client.disconnect());
  return client;
};

const withNodeRedis = async (url: string) => {
  const client = createClient({ url });
  client.on('error', () => {});
  await client.connect();
  disconnects.push(() => client.destroy());
  return client;
};

const faultsOf = (servers: () => RedisServers) => {
  const all = () => servers().ports.map((_, index) => index);
  return {
    restart: async () => {
      await Promise.all(all().map((index) => servers().killMember(index)));
      await Promise.all(all().map((index) => servers().restartMember(index)));
    },
    pause: async () => {
      for (const index of all()) servers().pauseMember(index);
      return async () => {
        for (const index of all()) servers().resumeMember(index);
      };
    },
  };
};

describeLeaseStore({
  name: 'of Redis, with ioredis',
  connect: () => redisStore({ client: withIoredis(durable.ports[0]!), survives: 'disk' }),
  server: faultsOf(() => durable),
});

describeLeaseStore({
  name: 'of Redis, with @redis/client',
  connect: async () => redisStore({ client: await withNodeRedis(durable.urls[0]!), survives: 'disk' }),
  server: faultsOf(() => durable),
});

describeLeaseStore({
  name: 'of a Redis that forgets everything in a restart',
  connect: () => redisStore({ client: withIoredis(forgetful.ports[0]!) }),
  server: faultsOf(() => forgetful),
});

describeLeaseStore({
  name: 'Redlock, on five instances',
  connect: () => redlockStore({ clients: five.ports.map(withIoredis), survives: 'disk', ...patient }),
  server: faultsOf(() => five),
});
