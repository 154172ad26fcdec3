import { setTimeout as sleep } from 'node:timers/promises';
import { describeGateway, memoryLeaseStore, until } from '@hustings/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { type LeaseGatewayOptions, leaseGateway } from '../src/gateway.js';
import { type LeaseMessage, type LeaseReply, type LeaseStore, StoreRefusedError } from '../src/index.js';

const patienceMs = 5000;
const running: Listener[] = [];
afterEach(async () => {
  for (const listener of running.splice(0)) await listener.stop();
});

/** A node that writes down what its gateway tells it. */
class Listener {
  readonly heard: LeaseReply[] = [];
  readonly links: string[] = [];
  readonly #gateway;

  constructor(store: LeaseStore, options: Partial<LeaseGatewayOptions> = {}) {
    this.#gateway = leaseGateway({ id: 'n1', store, reconnectMs: 10, ...options });
    running.push(this);
  }

  async start(): Promise<this> {
    await this.#gateway.start({
      received: (_, message) => this.heard.push(message as LeaseReply),
      linkUp: (peer) => this.links.push(`up ${peer}`),
      linkDown: (peer) => this.links.push(`down ${peer}`),
    });
    return this;
  }

  stop(): Promise<void> {
    return this.#gateway.stop();
  }

  send(message: LeaseMessage): void {
    this.#gateway.send('store', message);
  }

  async ask(message: LeaseMessage): Promise<LeaseReply> {
    const answers = () => this.heard.filter(({ id, type }) => id === message.id && type !== 'changed');
    const before = answers().length;
    this.send(message);
    await until(`${message.type} is answered`, patienceMs, () => answers().length > before);
    return answers()[before]!;
  }

  acquire(id: number, holder: string): Promise<LeaseReply> {
    return this.ask({ type: 'acquire', id, name: 'e', holder, ttlMs: 60_000, over: null, sentMs: 7 });
  }
}

describe('given a gateway to a store', () => {
  it('then each message is one call, and its answer comes back under the same id', async () => {
    const node = await new Listener(memoryLeaseStore()).start();
    expect(await node.ask({ type: 'read', id: 1, name: 'e' })).toEqual({ type: 'found', id: 1, lease: null });
    expect(await node.acquire(2, 'n1#a')).toEqual({
      ...{ type: 'acquired', id: 2, holder: 'n1#a', token: '1', validForMs: 60_000, sentMs: 7 },
    });
    const held = { holder: 'n1#a', token: '1', expiresInMs: expect.any(Number), version: null };
    expect(await node.acquire(3, 'n2#b')).toEqual({ type: 'held', id: 3, ...held });
    expect(await node.ask({ type: 'read', id: 4, name: 'e' })).toEqual({ type: 'found', id: 4, lease: held });
    const renewal = { type: 'renew', name: 'e', token: '1', ttlMs: 60_000, sentMs: 9 } as const;
    expect(await node.ask({ ...renewal, id: 5, holder: 'n1#a' })).toEqual({
      ...{ type: 'renewed', id: 5, token: '1', validForMs: 60_000, sentMs: 9 },
    });
    expect(await node.ask({ ...renewal, id: 6, holder: 'n2#b' })).toEqual({
      type: 'lost',
      id: 6,
      token: '1',
    });
    expect(await node.ask({ type: 'release', id: 7, name: 'e', holder: 'n1#a', token: '1' })).toEqual({
      ...{ type: 'released', id: 7 },
    });
  });

  it('then two processes of one node have two names', () => {
    const store = memoryLeaseStore();
    const [first, second] = [1, 2].map(() => leaseGateway({ id: 'n1', store }).incarnation);
    expect(first).not.toBe(second);
  });

  it('then a version to take over from is passed on', async () => {
    const store = memoryLeaseStore(new Map(), { clock: 'observer' });
    const node = await new Listener(store).start();
    await node.acquire(1, 'n1#a');
    const rival = { type: 'acquire', name: 'e', holder: 'n2#b', ttlMs: 1000, sentMs: 8 } as const;
    expect(await node.ask({ ...rival, id: 2, over: '9' })).toMatchObject({ type: 'held', version: '1' });
    expect(await node.ask({ ...rival, id: 3, over: '1' })).toMatchObject({ type: 'acquired', token: '2' });
  });

  it('then whoever watches is told of a release, under the id that it watched with last', async () => {
    const node = await new Listener(memoryLeaseStore()).start();
    expect(await node.ask({ type: 'watch', id: 1, name: 'e' })).toEqual({ type: 'watching', id: 1 });
    expect(await node.ask({ type: 'watch', id: 2, name: 'e' })).toEqual({ type: 'watching', id: 2 });
    await node.acquire(3, 'n1#a');
    await node.ask({ type: 'release', id: 4, name: 'e', holder: 'n1#a', token: '1' });
    await until('the release is told', patienceMs, () => node.heard.some(({ type }) => type === 'changed'));
    expect(node.heard.filter(({ type }) => type === 'changed')).toEqual([{ type: 'changed', id: 2 }]);
  });

  it('then it stops watching and closes the store when it stops, and calls nobody afterwards', async () => {
    const calls: string[] = [];
    const store: LeaseStore = {
      ...memoryLeaseStore(),
      watch: async () => () => calls.push('unwatch'),
      close: async () => void calls.push('close'),
    };
    const node = await new Listener(store).start();
    await node.ask({ type: 'watch', id: 1, name: 'e' });
    const before = node.heard.length;
    await node.stop();
    await node.stop();
    expect(calls).toEqual(['unwatch', 'close']);
    expect(node.heard).toHaveLength(before);
  });
});

describe('given a store that fails', () => {
  const failing = (error: unknown): LeaseStore => ({
    ...memoryLeaseStore(),
    acquire: () => Promise.reject(error),
  });

  it('when it has refused, then the answer says so, and the link stays up', async () => {
    const node = await new Listener(failing(new StoreRefusedError('No such table.'))).start();
    expect(await node.acquire(1, 'n1#a')).toEqual({
      ...{ type: 'failed', id: 1, reason: 'refused', detail: 'No such table.' },
    });
    expect(node.links).toEqual(['up store']);
  });

  it('when nobody knows, then the answer says that, and the link goes down until it answers', async () => {
    const node = await new Listener(failing(new Error('Connection reset.'))).start();
    expect(await node.acquire(1, 'n1#a')).toMatchObject({ type: 'failed', reason: 'unavailable' });
    await until('the link is up again', patienceMs, () => node.links.length === 3);
    expect(node.links).toEqual(['up store', 'down store', 'up store']);
  });

  it('when it answers what cannot be, then that is a refusal, not a lease', async () => {
    const store: LeaseStore = {
      ...memoryLeaseStore(),
      acquire: async () => ({ type: 'acquired', token: 1n, validForMs: Number.NaN }),
    };
    const node = await new Listener(store).start();
    expect(await node.acquire(1, 'n1#a')).toMatchObject({ type: 'failed', reason: 'refused' });
  });

  it('when it is slow, then the call has failed, and a late answer is delivered all the same', async () => {
    const memory = memoryLeaseStore();
    const store: LeaseStore = {
      ...memory,
      acquire: async (request) => {
        await sleep(60);
        return memory.acquire(request);
      },
    };
    const node = await new Listener(store, { requestTimeoutMs: 20 }).start();
    expect(await node.acquire(1, 'n1#a')).toMatchObject({ type: 'failed', reason: 'timeout' });
    await until('the late answer has come', patienceMs, () => node.heard.at(-1)?.type === 'acquired');
  });

  it.each(['rejects', 'throws'])(
    'when nothing but a watch %s, then it is tried again, and whoever waits looks once more',
    async (failure) => {
      let watches = 0;
      const memory = memoryLeaseStore();
      const store: LeaseStore = {
        ...memory,
        watch(name, changed) {
          watches += 1;
          if (watches > 2) return memory.watch!(name, changed);
          const error = new Error('Too many connections.');
          if (failure === 'throws') throw error;
          return Promise.reject(error);
        },
      };
      const node = await new Listener(store, { requestTimeoutMs: 20 }).start();
      expect(await node.ask({ type: 'watch', id: 1, name: 'e' })).toEqual({ type: 'watching', id: 1 });
      expect(node.heard.filter(({ type }) => type === 'changed')).toEqual([{ type: 'changed', id: 1 }]);
      expect(node.links).toEqual(['up store']);
    },
  );

  it('when a watch fails again and again, then the gateway stops all the same', async () => {
    const watch = () => Promise.reject(new Error('Too many connections.'));
    const node = await new Listener({ ...memoryLeaseStore(), watch }, { requestTimeoutMs: 60_000 }).start();
    node.send({ type: 'watch', id: 1, name: 'e' });
    await node.stop();
  });

  it('when it is down from the start, then the link comes up as soon as it answers', async () => {
    let isDown = true;
    const memory = memoryLeaseStore();
    const store: LeaseStore = {
      ...memory,
      read: (name) => (isDown ? Promise.reject(new Error('Refused.')) : memory.read(name)),
    };
    const node = await new Listener(store).start();
    expect(node.links).toEqual([]);
    isDown = false;
    await until('the link is up', patienceMs, () => node.links.length === 1);
  });
});

describeGateway({
  name: 'a store of leases',
  async start(onDiagnostic) {
    const store: LeaseStore = {
      ...memoryLeaseStore(),
      read: () => Promise.reject(new Error('Refused.')),
      close: () => sleep(5),
    };
    const gateway = leaseGateway({ id: 'n1', store, reconnectMs: 10, onDiagnostic });
    await gateway.start({ received() {}, linkUp() {}, linkDown() {} });
    return gateway;
  },
});
