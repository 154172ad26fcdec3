import { type LeaseStore, StoreRefusedError } from '@hustings/lease';
import { type RedisServers, startRedis } from '@hustings/servers';
import { createClient } from '@redis/client';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { redisStore, redlockStore } from '../src/index.js';
import { Instance } from '../src/instance.js';

let servers: RedisServers;
const ends: (() => void)[] = [];
beforeAll(async () => {
  servers = await startRedis({ members: 5, durability: 'no' });
});
afterAll(async () => {
  for (const end of ends) end();
  await servers.stop();
});

const connect = (index: number): Redis => {
  const client = new Redis({ port: servers.ports[index]!, enableOfflineQueue: false, lazyConnect: true });
  client.on('error', () => {}); // Redis is killed on purpose.
  ends.push(() => client.disconnect());
  return client;
};

const connected = async (index: number): Promise<Redis> => {
  const client = connect(index);
  await client.connect();
  return client;
};

const take = async (store: LeaseStore, name: string, holder = 'a#1'): Promise<bigint> => {
  const answer = await store.acquire({ name, holder, ttlMs: 30_000 });
  if (answer.type !== 'acquired') throw new Error(`${name} is held by ${answer.holder}`);
  return answer.token;
};

describe('tokens in Redis', () => {
  it('grow by the counter when the clock was set back, and exactly beyond 2^53', async () => {
    const client = await connected(0);
    await client.set('hustings:token:{ahead}', '9007199254740993');
    expect(await take(redisStore({ client }), 'ahead')).toBe(9007199254740994n);
  });

  it('are microseconds of the clock when the counter was lost', async () => {
    const client = await connected(0);
    const beforeMs = Date.now();
    const token = await take(redisStore({ client }), 'lost');
    expect(Number(token / 1000n) - beforeMs).toBeLessThan(60_000);
    expect(Number(token / 1000n)).toBeGreaterThanOrEqual(beforeMs);
  });

  it.each([
    ['are as proposed, if that is not too far ahead of the clock', 3_600_000, 7_200_000, 3_600_000],
    ['are of the clock, if a proposal is too far ahead of it', 3_600_000, 1_800_000, 0],
    ['are of the clock, if a proposal is behind it', -3_600_000, 1_800_000, 0],
  ])('%s', async (does, aheadMs, maxAheadMs, givenAheadMs) => {
    const instance = new Instance(await connected(0), 'hustings', 2000);
    const [seconds = 0] = await (await connected(0)).time();
    const token = (BigInt(seconds) * 1000n + BigInt(aheadMs)) * 1000n;
    const seen = await instance.acquire({ name: does, holder: 'a#1', ttlMs: 1000 }, { token, maxAheadMs });
    if (seen.type !== 'mine') throw new Error(`It is ${seen.type}.`);
    expect(seen.token === token).toBe(givenAheadMs > 0);
    const aheadSeconds = Number(seen.token / 1_000_000n) - Number(seconds);
    expect(Math.abs(aheadSeconds - givenAheadMs / 1000)).toBeLessThan(60);
  });
});

describe('a store of Redis', () => {
  it('passes on a refusal in the words of Redis', async () => {
    const client = await connected(0);
    await client.hset('hustings:lease:{wrong}', 'a', 'b');
    const reading = redisStore({ client }).read('wrong');
    await expect(reading).rejects.toThrow(StoreRefusedError);
    await expect(reading).rejects.toThrow(/WRONGTYPE/);
  });

  it('refuses a word for what survives that it does not know', async () => {
    const options = { client: connect(0), survives: 'everything' as 'disk' };
    expect(() => redisStore(options)).toThrow("survives must be 'disk' or 'nothing', not everything.");
  });

  const clients = {
    ioredis: () => connected(1),
    '@redis/client': async () => {
      const client = createClient({ url: servers.urls[1]! });
      client.on('error', () => {});
      await client.connect();
      ends.push(() => client.destroy());
      return client;
    },
  };
  it.each(Object.entries(clients))(
    'gives hints again after Redis was restarted, with %s',
    async (_name, open) => {
      const store = redisStore({ client: await open() });
      let hints = 0;
      await store.watch!('watched', () => {
        hints += 1;
      });
      await servers.killMember(1);
      await servers.restartMember(1);
      await vi.waitUntil(() => hints > 0, { timeout: 10_000 });
      const token = await vi.waitFor(() => take(store, 'watched'), { timeout: 10_000 });
      const before = hints;
      await store.release({ name: 'watched', holder: 'a#1', token });
      await vi.waitUntil(() => hints > before, { timeout: 10_000 });
      await store.close?.();
    },
  );
});

describe('Redlock', () => {
  const all = [0, 1, 2, 3, 4];
  const redlock = async () =>
    redlockStore({ clients: await Promise.all(all.map(connected)), requestTimeoutMs: 2000 });

  it.each([0, 2, 4])('refuses %i instances', (count) => {
    expect(() => redlockStore({ clients: all.slice(0, count).map(connect) })).toThrow(/three, five or more/);
  });

  it('goes on without two of five, and not without three', async () => {
    const store = await redlock();
    const before = await take(store, 'minority');
    await store.release({ name: 'minority', holder: 'a#1', token: before });
    await Promise.all([3, 4].map((index) => servers.killMember(index)));
    const token = await take(store, 'minority', 'b#1');
    expect(token).toBeGreaterThan(before);
    expect(await store.renew({ name: 'minority', holder: 'b#1', token, ttlMs: 1000 })).toMatchObject({
      type: 'renewed',
    });
    await servers.killMember(2);
    await expect(store.acquire({ name: 'other', holder: 'c#1', ttlMs: 1000 })).rejects.toThrow(/no majority/);
    await expect(store.renew({ name: 'minority', holder: 'b#1', token, ttlMs: 1000 })).rejects.toThrow(
      /no majority/,
    );
    await expect(store.release({ name: 'minority', holder: 'b#1', token })).rejects.toThrow(/no majority/);
    await Promise.all([2, 3, 4].map((index) => servers.restartMember(index)));
  });

  describe('asks each instance', () => {
    const clientsAndStore = async () => {
      const clients = await Promise.all(all.map(connected));
      const calls = clients.map((client) => vi.spyOn(client, 'call'));
      return { clients, calls, store: redlockStore({ clients, requestTimeoutMs: 2000 }) };
    };
    const tokensOf = (clients: readonly Redis[], name: string) =>
      Promise.all(clients.map(async (client) => BigInt((await client.get(`hustings:token:{${name}}`)) ?? 0)));
    /** What this process takes for the time, whatever Redis does. */
    const setClock = (offsetMs: number) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offsetMs });
      onTestFinished(() => void vi.useRealTimers());
    };

    it('once, where all give the same token', async () => {
      const { clients, calls, store } = await clientsAndStore();
      const last = BigInt(Date.now() + 3_600_000) * 1000n;
      await Promise.all(clients.map((client) => client.set('hustings:token:{same}', `${last}`)));
      expect(await take(store, 'same')).toBe(last + 1n);
      for (const call of calls) expect(call).toHaveBeenCalledTimes(1);
      expect(await tokensOf(clients, 'same')).toEqual(all.map(() => last + 1n));
    });

    it('twice, where one has given a greater token, and all remember the greatest', async () => {
      const { clients, calls, store } = await clientsAndStore();
      const last = BigInt(Date.now() + 3_600_000) * 1000n;
      await clients[2]!.set('hustings:token:{greater}', `${last}`);
      expect(await take(store, 'greater')).toBe(last + 1n);
      for (const call of calls) expect(call).toHaveBeenCalledTimes(2);
      expect(await tokensOf(clients, 'greater')).toEqual(all.map(() => last + 1n));
    });

    it.each([
      ['ahead', 3_600_000],
      ['behind', -3_600_000],
    ])('for a token by its own clock, if that of this process is an hour %s', async (word, offsetMs) => {
      const { clients, store } = await clientsAndStore();
      setClock(offsetMs);
      const name = `an-hour-${word}`;
      const token = await take(store, name);
      const [seconds] = await clients[0]!.time();
      expect(Math.abs(Number(token / 1_000_000n) - Number(seconds))).toBeLessThan(60);
      expect(await tokensOf(clients, name)).toEqual(all.map(() => token));
    });
  });

  it('lowers no token: one to agree on that comes late changes nothing', async () => {
    const instance = new Instance(await connected(0), 'hustings', 2000);
    const seen = await instance.acquire({ name: 'late', holder: 'a#1', ttlMs: 30_000 });
    const token = seen.type === 'mine' ? seen.token : 0n;
    expect(await instance.raise('late', 'a#1', token + 10n)).toBe(true);
    expect(await instance.raise('late', 'a#1', token + 10n)).toBe(true);
    expect(await instance.raise('late', 'a#1', token + 9n)).toBe(false);
    expect(await instance.raise('late', 'a#1', 9n)).toBe(false);
    expect(await instance.read('late')).toMatchObject({ type: 'held', token: token + 10n });
    expect(await (await connected(0)).get('hustings:token:{late}')).toBe(`${token + 10n}`);
  });

  // Kleppmann, 'How to do distributed locking' (2016), and its answer: an instance must not forget.
  it('gives the lease twice when an instance forgets it, and the second token is greater', async () => {
    await Promise.all([3, 4].map((index) => servers.killMember(index)));
    const first = await take(await redlock().catch(partly), 'forgotten');
    await servers.killMember(2);
    await Promise.all([2, 3, 4].map((index) => servers.restartMember(index)));
    const second = await take(await redlock(), 'forgotten', 'b#1');
    expect(second).toBeGreaterThan(first);
  });

  /** Some of the instances are down: their clients go on trying. */
  async function partly(): Promise<LeaseStore> {
    const clients = all.map(connect);
    await Promise.allSettled(clients.map((client) => client.connect()));
    return redlockStore({ clients, requestTimeoutMs: 2000 });
  }
});
