import { StaleTokenError } from '@hustings/elector';
import { type RedisServers, startRedis } from '@hustings/servers';
import { createClient } from '@redis/client';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisBatch, redisFence } from '../src/redis.js';
import { describeGuard } from './guard-suite.js';

let servers: RedisServers;
let ioredis: Redis;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  servers = await startRedis();
  ioredis = new Redis(servers.ports[0]!);
  client = createClient({ url: servers.urls[0]! });
  for (const each of [ioredis, client]) each.on('error', () => {}); // Redis is killed on purpose.
  await client.connect();
});
afterAll(async () => {
  ioredis.disconnect();
  client.destroy();
  await servers.stop();
});

const write = async (batch: RedisBatch, resource: string, text: string) => batch.call('SET', resource, text);
const read = (resource: string) => ioredis.get(resource);

describeGuard<RedisBatch>({
  name: 'Redis, with ioredis',
  guard: async (resource) => redisFence({ client: ioredis, resource }),
  write,
  read,
  isTransactional: true,
  runs: 30,
});

describeGuard<RedisBatch>({
  name: 'Redis, with @redis/client',
  guard: async (resource) => redisFence({ client, resource }),
  write,
  read,
  isTransactional: true,
  runs: 30,
});

describe('a fenced write to Redis', () => {
  const newer = { token: 4n, holder: 'b#1' };

  it('carries out several commands at once, and says what each was answered', async () => {
    const fence = redisFence({ client: ioredis, resource: 'several' });
    const replies = await fence.write(
      newer,
      ['SET', 'a', '1'],
      ['INCR', 'a'],
      ['GET', 'missing'],
      ['GET', 'a'],
    );
    expect(replies).toEqual(['OK', 2, null, '2']);
  });

  it('carries out none of them for a stale leader', async () => {
    const fence = redisFence({ client: ioredis, resource: 'none' });
    await fence.write(newer);
    const stale = fence.write({ token: 3n, holder: 'a#1' }, ['SET', 'none-a', '1'], ['SET', 'none-b', '1']);
    await expect(stale).rejects.toThrow(StaleTokenError);
    expect(await ioredis.mget('none-a', 'none-b')).toEqual([null, null]);
  });

  it('survives a restart of Redis with its fence', async () => {
    const fence = redisFence({ client: ioredis, resource: 'restart' });
    await fence.write(newer, ['SET', 'restarted', '1']);
    await servers.killMember(0);
    await servers.restartMember(0);
    await expect(fence.write({ token: 3n, holder: 'a#1' }, ['SET', 'restarted', '2'])).rejects.toThrow(
      StaleTokenError,
    );
  });

  it('refuses a resource without a name', () => {
    expect(() => redisFence({ client: ioredis, resource: '' })).toThrow(/needs a name/);
  });
});
