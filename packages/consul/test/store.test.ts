import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { consulStore } from '@hustings/consul';
import type { LeaseStore } from '@hustings/lease';
import { type ConsulServer, findConsul, startConsul } from '@hustings/servers';
import { describeLeaseStore } from '@hustings/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

// Where CI runs it must be there: `npm run setup` has fetched it.
const isMissing = (await findConsul()) === null && process.env['CI'] === undefined;
if (isMissing)
  console.warn("Consul is not here, so its tests are SKIPPED. 'npm run setup' tries to fetch it.");

describe.skipIf(isMissing)('on a real Consul', () => {
  let consul: ConsulServer;
  const stores: LeaseStore[] = [];

  beforeAll(async () => {
    consul = await startConsul();
  });

  afterAll(() => consul.stop());

  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close?.();
  });

  function open(): LeaseStore {
    const store = consulStore({ hosts: [consul.url], minTtlMs: 200 });
    stores.push(store);
    return store;
  }

  describeLeaseStore({
    name: 'consul',
    connect: open,
    server: {
      restart: () => consul.restart(),
      pause: async () => {
        consul.pause();
        return async () => consul.resume();
      },
    },
  });

  /** As an operator might. */
  async function destroySessionOf(name: string): Promise<void> {
    const response = await fetch(`${consul.url}/v1/kv/hustings/${name}`);
    const [{ Session }] = (await response.json()) as [{ Session: string }];
    await fetch(`${consul.url}/v1/session/destroy/${Session}`, { method: 'PUT' });
  }

  describe('a lease on Consul', () => {
    const request = (name: string, holder: string) => ({ name, holder, ttlMs: 20_000 });

    it('is lost when somebody destroys its session, and the next token is greater', async () => {
      const store = open();
      const first = await store.acquire(request('destroyed', 'a#1'));
      if (first.type !== 'acquired') throw new Error('it was free');
      await destroySessionOf('destroyed');
      expect(await store.renew({ ...request('destroyed', 'a#1'), token: first.token })).toEqual({
        type: 'lost',
      });
      const next = await open().acquire(request('destroyed', 'b#1'));
      expect(next).toMatchObject({ type: 'acquired' });
      expect(next.token).toBeGreaterThan(first.token);
    });

    it('is lost when somebody deletes its key', async () => {
      const store = open();
      const first = await store.acquire(request('deleted', 'a#1'));
      if (first.type !== 'acquired') throw new Error('it was free');
      await fetch(`${consul.url}/v1/kv/hustings/deleted`, { method: 'DELETE' });
      expect(await store.renew({ ...request('deleted', 'a#1'), token: first.token })).toEqual({
        type: 'lost',
      });
    });

    it('leaves no session behind, neither of a holder nor of one who only asked', async () => {
      const [holder, rival] = [open(), open()];
      await holder.acquire(request('clean', 'tidy-a#1'));
      await rival.acquire(request('clean', 'tidy-b#1'));
      await holder.close?.();
      await rival.close?.();
      const sessions = await (await fetch(`${consul.url}/v1/session/list`)).text();
      expect(sessions).not.toContain('tidy-');
    });

    it('is not kept, nor is a session, by a call that ends after the store was closed', async () => {
      const store = open();
      const late = store.acquire(request('late', 'tardy-a#1'));
      await store.close?.();
      await expect(late).rejects.toThrow('closed');
      const sessions = await (await fetch(`${consul.url}/v1/session/list`)).text();
      expect(sessions).not.toContain('tardy-');
    });

    it('waits for the lock-delay after its session was destroyed, where one is asked for', async () => {
      const careful = consulStore({ hosts: [consul.url], lockDelayMs: 60_000 });
      stores.push(careful);
      await careful.acquire(request('delayed', 'a#1'));
      await destroySessionOf('delayed');
      expect(await open().acquire(request('delayed', 'b#1'))).toMatchObject({ type: 'held', holder: null });
    });

    it('is had from another host when the first does not answer', async () => {
      const store = consulStore({ hosts: ['http://127.0.0.1:1', consul.url] });
      stores.push(store);
      await expect(store.read('elsewhere')).rejects.toThrow();
      expect(await store.read('elsewhere')).toEqual({ type: 'free' });
    });

    it('is had from another host also when several calls have failed at the first', async () => {
      const store = consulStore({ hosts: ['http://127.0.0.1:1', consul.url] });
      stores.push(store);
      await Promise.allSettled([store.read('elsewhere'), store.read('elsewhere')]);
      expect(await store.read('elsewhere')).toEqual({ type: 'free' });
    });

    it('is refused with the reason when the TTL is shorter than the servers allow', async () => {
      await expect(open().acquire({ ...request('short', 'a#1'), ttlMs: 10 })).rejects.toMatchObject({
        code: 'HUSTINGS_STORE_REFUSED',
        message: expect.stringContaining('TTL'),
      });
    });
  });
});

describe('a host in trouble', () => {
  it('is left for the next one', async () => {
    const store = consulStore({ hosts: [await answering(500, 'No cluster leader'), await answering(404)] });
    await expect(store.read('billing')).rejects.toThrow('No cluster leader');
    expect(await store.read('billing')).toEqual({ type: 'free' });
  });

  it('that has too many requests is not taken for one that refuses', async () => {
    const store = consulStore({ hosts: [await answering(429, 'rate limit exceeded')] });
    await expect(store.read('billing')).rejects.not.toMatchObject({ code: 'HUSTINGS_STORE_REFUSED' });
  });

  it('that gives no index is not asked again and again without a pause', async () => {
    const store = consulStore({ hosts: [await answering(404)] });
    await expect(store.watch!('billing', () => {})).rejects.toThrow('no index');
  });

  /** The address of a server that answers everything alike. */
  async function answering(status: number, body = ''): Promise<string> {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});

describe('the options', () => {
  it.each([
    [{ hosts: ['127.0.0.1:8500'] }, "hosts must be an array of addresses such as 'http"],
    [{ hosts: 'http://127.0.0.1:8500' }, 'hosts must be an array of addresses'],
    [{ prefix: 7 }, 'prefix must be a text'],
  ])('of %j are refused', (options, message) => {
    // @ts-expect-error: in JavaScript nothing keeps a user from it.
    expect(() => consulStore(options)).toThrow(message);
  });
});
