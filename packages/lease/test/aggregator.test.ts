import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { InvalidOptionError, type Leadership, ListenFailedError, lead } from '@hustings/elector';
import { createElector, memoryStorage } from '@hustings/runtime';
import { describeLeaseStore, electorConformance, memoryLeaseStore } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { leaseGateway, sharedStore } from '../src/gateway.js';
import { type Aggregator, aggregator, aggregatorStore } from '../src/gateway-aggregator.js';
import { lease, StoreRefusedError } from '../src/index.js';
import { Ledger } from '../src/ledger.js';

const secret = 'only nodes of one test know this';
const listen = { host: '127.0.0.1', port: 0 };

/** A Leadership that lasts until it is told otherwise. */
function reign(token: bigint, remainingMs = Number.POSITIVE_INFINITY) {
  const ending = new AbortController();
  const endsMs = performance.now() + remainingMs;
  const leadership: Leadership = {
    token,
    holder: 'aggregator#1',
    signal: ending.signal,
    get remainingMs() {
      return Math.max(0, endsMs - performance.now());
    },
    assertValid: () => {},
    toJSON: () => ({ token: `${token}`, holder: 'aggregator#1' }),
  };
  return { leadership, end: () => ending.abort() };
}

async function open(): Promise<{ service: Aggregator; url: string }> {
  const service = aggregator({ listen, secret });
  await service.start();
  return { service, url: `http://127.0.0.1:${service.address.port}` };
}

describe('an aggregator that leads', () => {
  let service: Aggregator;
  let url: string;
  const { leadership, end } = reign(7n);
  beforeAll(async () => {
    ({ service, url } = await open());
    void service.serve(leadership);
  });
  afterAll(async () => {
    end();
    await service.stop();
  });

  describeLeaseStore({ name: 'aggregator', connect: () => aggregatorStore({ urls: [url], secret }) });
  describeLeaseStore({
    name: 'aggregator, shared by the elections of a process',
    connect: () => sharedStore(aggregatorStore({ urls: [url], secret })),
  });

  const protocol = () => lease(aggregatorStore({ urls: [url], secret }).traits, { ttlMs: 1000, name });
  let name = 'conformance';
  electorConformance({
    name: 'lease on an aggregator',
    guarantees: lease(aggregatorStore({ urls: ['http://127.0.0.1'], secret }).traits).guarantees,
    open: () => {
      name = `conformance-${Math.random()}`;
      const elected = protocol();
      return {
        create: (id) =>
          createElector({
            protocol: elected,
            transport: leaseGateway({ id, store: aggregatorStore({ urls: [url], secret }) }),
            storage: memoryStorage(),
          }),
      };
    },
  });

  it('is asked once for all that a process asks for at once, and answers each', async () => {
    const store = aggregatorStore({ urls: [url], secret });
    let requests = 0;
    const count = (): void => {
      requests += 1;
    };
    subscribe('http.server.request.start', count);
    const names = Array.from({ length: 300 }, (_, index) => `at-once-${index}`);
    const acquired = await Promise.all(
      names.map((name) => store.acquire({ name, holder: 'n1#1', ttlMs: 1000 })),
    );
    const held = await store.acquire({ name: 'at-once-7', holder: 'n2#1', ttlMs: 1000 });
    unsubscribe('http.server.request.start', count);
    expect(requests).toBe(2);
    expect(new Set(acquired.map((answer) => answer.type === 'acquired' && answer.token)).size).toBe(300);
    expect(held).toMatchObject({ type: 'held', holder: 'n1#1' });
    await store.close?.();
  });

  it('refuses whoever does not know the secret', async () => {
    const store = aggregatorStore({ urls: [url], secret: 'something else, and long enough' });
    await expect(store.read('a')).rejects.toThrow(StoreRefusedError);
    await store.close?.();
  });
});

describe('an aggregator', () => {
  it('gives out nothing before it leads, and its clients ask another', async () => {
    const [idle, leading] = [await open(), await open()];
    const { leadership, end } = reign(7n);
    void leading.service.serve(leadership);
    const alone = aggregatorStore({ urls: [idle.url], secret });
    const store = aggregatorStore({ urls: [idle.url, leading.url], secret });
    await expect(alone.read('a')).rejects.toThrow('does not serve');
    await expect(store.read('a')).resolves.toEqual({ type: 'free' });
    end();
    await Promise.all([alone.close?.(), store.close?.(), idle.service.stop(), leading.service.stop()]);
  });

  it('lets go of its own lease only when all that it has given out is over', async () => {
    const { service, url } = await open();
    const { leadership, end } = reign(7n);
    const serving = service.serve(leadership);
    const store = aggregatorStore({ urls: [url], secret });
    await store.acquire({ name: 'a', holder: 'n#1', ttlMs: 400 });
    const endedMs = performance.now();
    end();
    await serving;
    expect(performance.now() - endedMs).toBeGreaterThan(300);
    await expect(store.renew({ name: 'a', holder: 'n#1', token: 1n, ttlMs: 400 })).rejects.toThrow();
    await Promise.all([store.close?.(), service.stop()]);
  });

  it('leads by any elector, and its clients lead by it', async () => {
    const { service, url } = await open();
    const store = memoryLeaseStore();
    const own = createElector({
      protocol: lease(store.traits, { name: 'aggregators', ttlMs: 2000 }),
      transport: leaseGateway({ id: 'aggregator-1', store }),
      storage: memoryStorage(),
    });
    const leaving = new AbortController();
    const leading = lead(own, (leadership) => service.serve(leadership), { signal: leaving.signal });
    const clients = aggregatorStore({ urls: [url], secret });
    const client = createElector({
      protocol: lease(clients.traits, { name: 'billing', ttlMs: 1000 }),
      transport: leaseGateway({ id: 'n1', store: clients }),
      storage: memoryStorage(),
    });
    await client.start();
    const { token, remainingMs } = await client.campaign();
    expect(token).toBe(2n ** 32n + 1n);
    expect(remainingMs).toBeLessThanOrEqual(1000);
    await client.stop();
    leaving.abort();
    await leading;
    await Promise.all([own.stop(), service.stop()]);
  });

  it('says where it cannot listen', async () => {
    const { service } = await open();
    const second = aggregator({ listen: service.address, secret });
    await expect(second.start()).rejects.toThrow(ListenFailedError);
    await expect(second.start()).rejects.toThrow(`port ${service.address.port} (option 'listen')`);
    await Promise.all([service.stop(), second.stop()]);
  });

  it('bears it that connections cannot be accepted for a while', async () => {
    let server: Server | undefined;
    const onRequest = (event: unknown) => {
      server = (event as { server: Server }).server;
    };
    subscribe('http.server.request.start', onRequest);
    const { service, url } = await open();
    const store = aggregatorStore({ urls: [url], secret });
    try {
      await expect(store.read('a')).rejects.toThrow('does not serve');
      // What Node emits when this process has no file descriptor left for a newcomer.
      expect(() => server?.emit('error', new Error('accept EMFILE'))).not.toThrow();
    } finally {
      unsubscribe('http.server.request.start', onRequest);
      await Promise.all([store.close?.(), service.stop()]);
    }
  });

  it.each([
    [{ listen, secret: 'short' }, 'at least 16 bytes'],
    [{ secret }, "option 'listen' is missing"],
  ])('is not made of %j', (options, message) => {
    expect(() => aggregator(options as never)).toThrow(InvalidOptionError);
    expect(() => aggregator(options as never)).toThrow(message);
  });
});

describe('a client of an aggregator', () => {
  it.each(['10.0.0.7:7100', 'localhost:7100', 'ws://10.0.0.7:7100', ''])(
    'is not made for the address %o',
    (url) => {
      const open = () => aggregatorStore({ urls: ['http://10.0.0.6:7100', url], secret });
      expect(open).toThrow(InvalidOptionError);
      expect(open).toThrow(
        "option 'urls' has an element that must be an address such as http://10.0.0.7:7100",
      );
    },
  );

  it.each([
    ['the page of a proxy in front of it', 502],
    ['the page of another server', 200],
  ])('survives what is no aggregator, such as %s, and says so', async (_what, status) => {
    const proxy = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>\nBad gateway\n</html>\n');
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const store = aggregatorStore({ urls: [`http://127.0.0.1:${port}`], secret });
    let hints = 0;
    await store.watch!('a', () => {
      hints += 1;
    });
    // It goes on trying, and has everybody look each time.
    await vi.waitUntil(() => hints > 1, { timeout: 30_000 });
    await expect(store.read('a')).rejects.toThrow(
      `What answers at http://127.0.0.1:${port}, with ${status}, is no aggregator; check 'urls'.`,
    );
    await store.close?.();
    proxy.closeAllConnections();
    proxy.close();
  });
});

describe('a ledger', () => {
  const request = { name: 'a', holder: 'n#1', ttlMs: 1000 };

  it('gives out nothing that outlasts the lease of whoever keeps it', () => {
    const ledger = new Ledger(3n);
    expect(ledger.acquire(request, { nowMs: 0, remainingMs: 300 })).toMatchObject({ validForMs: 300 });
    const token = 3n * 2n ** 32n + 1n;
    expect(ledger.renew({ ...request, token }, { nowMs: 100, remainingMs: 200 })).toMatchObject({
      validForMs: 200,
    });
    expect(ledger.read('a', { nowMs: 299, remainingMs: 1 })).toMatchObject({ type: 'held', expiresInMs: 1 });
    expect(ledger.read('a', { nowMs: 300, remainingMs: 1000 })).toEqual({ type: 'free' });
  });

  it('has greater tokens than every ledger before it', () => {
    const tokens = [new Ledger(3n), new Ledger(4n)].map(
      (ledger) => ledger.acquire(request, { nowMs: 0, remainingMs: 300 }) as { token: bigint },
    );
    expect(tokens[1]!.token).toBeGreaterThan(tokens[0]!.token);
  });

  it('knows how long something of it is out there', () => {
    const ledger = new Ledger(3n);
    expect(ledger.outstandingMs(0)).toBe(0);
    const answer = ledger.acquire(request, { nowMs: 0, remainingMs: 5000 });
    expect(ledger.outstandingMs(400)).toBe(600);
    ledger.release({ name: 'a', holder: 'n#1', token: (answer as { token: bigint }).token });
    expect(ledger.outstandingMs(400)).toBe(0);
  });

  it('forgets what has run out, so that a long reign does not fill its memory', () => {
    const ledger = new Ledger(7n);
    const takenAt = (nowMs: number, name: string) =>
      ledger.acquire({ name, holder: 'a', ttlMs: 1000 }, { nowMs, remainingMs: 60_000 });
    takenAt(0, 'kept');
    for (let nowMs = 0; nowMs < 100_000; nowMs += 10) {
      takenAt(nowMs, `job-${nowMs}`);
      ledger.renew(
        { name: 'kept', holder: 'a', token: (7n << 32n) + 1n, ttlMs: 1000 },
        { nowMs, remainingMs: 60_000 },
      );
    }
    // A hundred of ten thousand last at any time.
    expect(ledger.size).toBeLessThanOrEqual(1001);
    expect(ledger.read('kept', { nowMs: 99_990, remainingMs: 60_000 }).type).toBe('held');
  });
});

describe('a store that many elections share', () => {
  it('renews all of them in one call, and tells the others what is left', async () => {
    const calls: number[] = [];
    const memory = memoryLeaseStore();
    const store = sharedStore({
      ...memory,
      async renewAll(requests) {
        calls.push(requests.length);
        return Promise.all(requests.map((request) => memory.renew(request)));
      },
    });
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const tokens = new Map<string, bigint>();
    for (const name of names) {
      const answer = await store.acquire({ name, holder: 'n#1', ttlMs: 400 });
      if (answer.type === 'acquired') tokens.set(name, answer.token);
    }
    await after(150);
    for (const name of names) {
      const renewed = await store.renew({ name, holder: 'n#1', token: tokens.get(name)!, ttlMs: 400 });
      expect(renewed.type).toBe('renewed');
      if (renewed.type === 'renewed') expect(renewed.validForMs).toBeLessThanOrEqual(400);
    }
    expect(calls[0]).toBe(50);
    // Soon after the first, none of the others asks the store.
    expect(calls.length).toBeLessThan(5);
  });

  it('takes the loss of a lease that was given back for no loss of the one taken since', async () => {
    const memory = memoryLeaseStore();
    let answer = (): void => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const store = sharedStore({
      ...memory,
      async renewAll(requests) {
        await isAnswered;
        return Promise.all(requests.map((request) => memory.renew(request)));
      },
    });
    const request = { name: 'a', holder: 'n#1', ttlMs: 1000 };
    const first = await store.acquire(request);
    await after(300);
    const late = store.renew({ ...request, token: first.token! });
    await store.release({ ...request, token: first.token! });
    const second = await store.acquire(request);
    await after(300);
    const renewal = store.renew({ ...request, token: second.token! });
    answer();
    expect(await late).toEqual({ type: 'lost' });
    expect(await renewal).toMatchObject({ type: 'renewed' });
  });

  it('lets a lease end that nobody here asks for any more, however often the others are renewed', async () => {
    const memory = memoryLeaseStore();
    const store = sharedStore({
      ...memory,
      renewAll: (requests) => Promise.all(requests.map((request) => memory.renew(request))),
    });
    // Granted too late: its elector has stopped, so nobody gives it back.
    await store.acquire({ name: 'left behind', holder: 'n#1', ttlMs: 200 });
    const kept = { name: 'kept', holder: 'n#2', ttlMs: 200 };
    const { token } = await store.acquire(kept);
    await vi.waitUntil(
      async () => {
        expect(await store.renew({ ...kept, token: token! })).toMatchObject({ type: 'renewed' });
        return (await memory.read('left behind')).type === 'free';
      },
      { timeout: 5000, interval: 20 },
    );
  });

  it('where each lease needs a call of its own, then one that fails costs no other', async () => {
    const memory = memoryLeaseStore();
    const store = sharedStore({
      ...memory,
      async renew(request) {
        if (request.name === 'bad') throw new Error('No right to it.');
        return memory.renew(request);
      },
    });
    const [bad, good] = await Promise.all(
      ['bad', 'good'].map(async (name) => {
        const request = { name, holder: 'n#1', ttlMs: 100 };
        const answer = await store.acquire(request);
        return { ...request, token: answer.token! };
      }),
    );
    await after(50);
    await expect(store.renew(bad!)).rejects.toThrow('No right to it.');
    expect(await store.renew(good!)).toMatchObject({ type: 'renewed' });
  });

  it('reads in one call what several ask at about the same time, and answers each with its own', async () => {
    const calls: (readonly string[])[] = [];
    const memory = memoryLeaseStore();
    const store = sharedStore({
      ...memory,
      async readAll(names) {
        calls.push(names);
        return Promise.all(names.map((name) => memory.read(name)));
      },
    });
    await store.acquire({ name: 'b', holder: 'n#1', ttlMs: 60_000 });
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => store.read(name)));
    expect(answers.map(({ type }) => type)).toEqual(['free', 'held', 'free']);
    expect(calls).toEqual([['a', 'b', 'c']]);
    await store.release({ name: 'b', holder: 'n#1', token: (answers[1] as { token: bigint }).token });
    expect(await store.read('b')).toEqual({ type: 'free' });
    expect(calls).toHaveLength(2);
  });

  it('lets a read wait while more come, but not for long', async () => {
    vi.useFakeTimers();
    try {
      const calls: (readonly string[])[] = [];
      const store = sharedStore({
        ...memoryLeaseStore(),
        readAll: async (names) => {
          calls.push(names);
          return names.map(() => ({ type: 'free' }));
        },
      });
      const ask = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
      for (const name of ask(3)) {
        void store.read(name);
        await vi.advanceTimersByTimeAsync(40);
      }
      expect(calls).toEqual([]);
      await vi.advanceTimersByTimeAsync(10);
      expect(calls).toEqual([ask(3)]);
      for (const name of ask(8)) {
        void store.read(name);
        await vi.advanceTimersByTimeAsync(40);
      }
      expect(calls).toEqual([ask(3), ask(7)]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tells all who asked together that a read has failed, and asks anew for the next', async () => {
    let isDown = true;
    const memory = memoryLeaseStore();
    const store = sharedStore({
      ...memory,
      async readAll(names) {
        if (isDown) throw new Error('It is down.');
        return Promise.all(names.map((name) => memory.read(name)));
      },
    });
    const failed = await Promise.allSettled(['a', 'b'].map((name) => store.read(name)));
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    expect(await store.read('a')).toEqual({ type: 'free' });
  });
});
