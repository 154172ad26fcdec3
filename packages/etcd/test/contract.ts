/**
 * What the elector relies on etcd for, as checks that a real and a simulated etcd must pass alike. They talk to
 * it in the messages of this package, so the gateway is under test as well.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Check, until } from '@hustings/testkit';
import type { Transport } from '@hustings/transport';
import type {
  Change,
  EtcdMessage,
  EtcdReply,
  EtcdRequest,
  KeyValue,
  Operation,
  Transaction,
} from '../src/index.js';

/** Some etcd. */
export interface EtcdSubject {
  readonly name: string;
  /** A new way to it. */
  connect(): Transport<EtcdMessage>;
  compact(revision: string): Promise<void>;
  /** All of it goes down, and comes back with what it had saved. */
  restart(): Promise<void>;
}

type Unnumbered<Request> = Request extends { readonly id: number } ? Omit<Request, 'id'> : never;
type Answer<Type extends EtcdReply['type']> = Extract<EtcdReply, { type: Type }>;

const patienceMs = 10_000;

/** One node's side of the conversation. */
class Client {
  readonly #transport: Transport<EtcdMessage>;
  readonly #replies: EtcdReply[] = [];
  #nextId = 1;

  constructor(transport: Transport<EtcdMessage>) {
    this.#transport = transport;
  }

  async start(): Promise<void> {
    await this.#transport.start({
      received: (_, message) => this.#replies.push(message as EtcdReply),
      linkUp: () => {},
      linkDown: () => {},
    });
  }

  stop(): Promise<void> {
    return this.#transport.stop();
  }

  send(request: Unnumbered<EtcdRequest>): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#transport.send('etcd', { ...request, id } as EtcdRequest);
    return id;
  }

  cancel(id: number): void {
    this.#transport.send('etcd', { type: 'cancel-watch', id });
  }

  async answer<Type extends EtcdReply['type']>(id: number, type: Type): Promise<Answer<Type>> {
    const find = () => this.#replies.find((reply) => reply.id === id && reply.type === type);
    await until(`'${type}' has answered request ${id}`, patienceMs, () => find() !== undefined);
    return find() as Answer<Type>;
  }

  types(id: number): string[] {
    return this.#replies.filter((reply) => reply.id === id).map(({ type }) => type);
  }

  /** By which the messages of a watch are numbered. */
  numbers(id: number): (number | undefined)[] {
    return this.#replies.flatMap((reply) =>
      reply.type === 'changed' && reply.id === id ? reply.number : [],
    );
  }

  changes(id: number): Change[] {
    return this.#replies.flatMap((reply) =>
      reply.type === 'changed' && reply.id === id ? reply.changes : [],
    );
  }

  // ---- Shorthands -----------------------------------------------------------------------------------

  async grant(ttlSeconds = 60): Promise<Answer<'granted'>> {
    return this.answer(this.send({ type: 'grant', ttlSeconds, sentMs: 7 }), 'granted');
  }

  async transact(transaction: Partial<Transaction>): Promise<Answer<'txn-done'>> {
    const empty = { compare: [], success: [], failure: [] };
    return this.answer(this.send({ type: 'txn', ...empty, ...transaction }), 'txn-done');
  }

  async put(key: string, lease: string, value = 'value'): Promise<string> {
    const { revision } = await this.transact({ success: [{ type: 'put', key, value, lease }] });
    return revision;
  }

  async delete(key: string): Promise<string> {
    const { revision } = await this.transact({ success: [{ type: 'delete', key }] });
    return revision;
  }

  async find(operation: Operation): Promise<readonly KeyValue[]> {
    const { found } = await this.transact({ success: [operation] });
    return found[0] ?? [];
  }

  get(key: string): Promise<readonly KeyValue[]> {
    return this.find({ type: 'get', key });
  }

  async keepAlive(lease: string): Promise<Answer<'kept-alive'>> {
    return this.answer(this.send({ type: 'keep-alive', lease, sentMs: 9 }), 'kept-alive');
  }

  async watch(key: string, fromRevision: string, prefix = false): Promise<number> {
    const id = this.send({ type: 'watch', key, prefix, fromRevision });
    await this.answer(id, 'watching');
    return id;
  }

  async hasChanged(id: number, count: number): Promise<Change[]> {
    await until(
      `watch ${id} has told of ${count} changes`,
      patienceMs,
      () => this.changes(id).length >= count,
    );
    return this.changes(id);
  }
}

function check(name: string, body: (client: Client, key: string, subject: EtcdSubject) => Promise<void>) {
  return {
    name,
    async run(subject: EtcdSubject) {
      const client = new Client(subject.connect());
      await client.start();
      try {
        // Keys of its own, for all checks share one store.
        await body(client, `contract/${randomUUID()}`, subject);
      } finally {
        await client.stop();
      }
    },
  } satisfies Check<EtcdSubject>;
}

const after = (revision: string, steps = 1): string => (BigInt(revision) + BigInt(steps)).toString();
const keysOf = (found: readonly KeyValue[]): string[] => found.map(({ key }) => key);

const oldestOf = (key: string): Operation => ({
  type: 'range',
  prefix: `${key}/`,
  order: 'oldest',
  limit: 1,
});

export const etcdChecks: readonly Check<EtcdSubject>[] = [
  // ---- Transactions -----------------------------------------------------------------------------------

  check('a write takes the next revision, and a read takes none', async (client, key) => {
    const { lease } = await client.grant();
    const first = await client.put(`${key}/a`, lease);
    const read = await client.transact({ success: [{ type: 'get', key }] });
    assert.equal(read.revision, first);
    assert.equal(await client.put(`${key}/b`, lease), after(first));
  }),

  check('a key that is there is not put again, and is found instead', async (client, key) => {
    const { lease } = await client.grant();
    const get: Operation = { type: 'get', key };
    const join = (value: string): Partial<Transaction> => ({
      compare: [{ key, target: 'create', revision: '0' }],
      success: [{ type: 'put', key, value, lease }, get],
      failure: [get],
    });
    const first = await client.transact(join('first'));
    const own: KeyValue = {
      key,
      value: 'first',
      lease,
      createRevision: first.revision,
      modRevision: first.revision,
    };
    // The get sees the put before it in the same transaction.
    assert.deepEqual([first.succeeded, first.found], [true, [[], [own]]]);
    const second = await client.transact(join('second'));
    assert.deepEqual([second.succeeded, second.found], [false, [[own]]]);
    assert.equal(second.revision, first.revision);
  }),

  check('a key that is touched keeps its value, its lease and its create revision', async (client, key) => {
    const { lease } = await client.grant();
    const created = await client.put(key, lease, 'kept');
    const touch: Partial<Transaction> = {
      compare: [
        { key, target: 'mod', revision: created },
        { key, target: 'create', revision: created },
      ],
      success: [
        { type: 'touch', key },
        { type: 'get', key },
      ],
      failure: [{ type: 'get', key }],
    };
    const touched = await client.transact(touch);
    const own = { key, value: 'kept', lease, createRevision: created, modRevision: after(created) };
    assert.deepEqual([touched.succeeded, touched.found], [true, [[], [own]]]);
    const again = await client.transact(touch);
    assert.deepEqual([again.succeeded, again.found], [false, [[own]]]);
    await client.answer(client.send({ type: 'revoke', lease }), 'revoked');
    assert.deepEqual(await client.get(key), []);
  }),

  check('a key that is not there cannot be touched', async (client, key) => {
    const id = client.send({ type: 'txn', compare: [], success: [{ type: 'touch', key }], failure: [] });
    const { reason } = await client.answer(id, 'failed');
    assert.equal(reason, 'refused');
  }),

  check('a key is deleted, and what is left listed, only while two others compare', async (client, key) => {
    const { lease } = await client.grant();
    const created = await client.put(`${key}/a`, lease);
    const modified = await client.put(`${key}/a`, lease);
    const heir = await client.put(`${key}/b`, lease);
    const inherit = (modRevision: string, heirRevision: string): Partial<Transaction> => ({
      compare: [
        { key: `${key}/a`, target: 'mod', revision: modRevision },
        { key: `${key}/b`, target: 'create', revision: heirRevision },
      ],
      success: [{ type: 'delete', key: `${key}/a` }, oldestOf(key)],
      failure: [oldestOf(key)],
    });
    for (const stale of [inherit(created, heir), inherit(modified, after(heir))]) {
      const { succeeded, found } = await client.transact(stale);
      assert.deepEqual([succeeded, found.map(keysOf)], [false, [[`${key}/a`]]]);
    }
    const { succeeded, found } = await client.transact(inherit(modified, heir));
    assert.deepEqual([succeeded, found.map(keysOf)], [true, [[], [`${key}/b`]]]);
  }),

  check('a key put again keeps its create revision, and is compared by either', async (client, key) => {
    const { lease } = await client.grant();
    const created = await client.put(key, lease, 'old');
    const modified = await client.put(key, lease, 'new');
    const [found] = await client.get(key);
    assert.deepEqual(found, { key, value: 'new', lease, createRevision: created, modRevision: modified });
    for (const [target, revision, holds] of [
      ['create', created, true],
      ['create', modified, false],
      ['mod', modified, true],
      ['mod', created, false],
    ] as const) {
      const { succeeded } = await client.transact({ compare: [{ key, target, revision }] });
      assert.equal(succeeded, holds);
    }
  }),

  check('every comparison must hold', async (client, key) => {
    const compare = [
      { key, target: 'create', revision: '0' },
      { key, target: 'mod', revision: '1' },
    ] as const;
    assert.equal((await client.transact({ compare })).succeeded, false);
  }),

  check('a key that was deleted is gone, and when put again it is a new one', async (client, key) => {
    const { lease } = await client.grant();
    const created = await client.put(key, lease);
    const deleted = await client.delete(key);
    assert.equal(deleted, after(created));
    assert.deepEqual(await client.get(key), []);
    const again = await client.put(key, lease);
    assert.equal((await client.get(key))[0]?.createRevision, again);
  }),

  check('deleting what is not there changes nothing', async (client, key) => {
    const { revision } = await client.transact({});
    assert.equal(await client.delete(key), revision);
  }),

  check('a range is ordered by create revision, whatever was put again since', async (client, key) => {
    const { lease } = await client.grant();
    const names = ['c', 'a', 'b'].map((name) => `${key}/${name}`);
    for (const name of names) await client.put(name, lease);
    await client.put(names[0]!, lease, 'again');
    const range = (order: 'oldest' | 'newest', limit: number): Operation => ({
      type: 'range',
      prefix: `${key}/`,
      order,
      limit,
    });
    assert.deepEqual(keysOf(await client.find(range('oldest', 0))), names);
    assert.deepEqual(keysOf(await client.find(range('newest', 2))), names.toReversed().slice(0, 2));
    assert.deepEqual(keysOf(await client.find(range('oldest', 1))), names.slice(0, 1));
  }),

  check('a range may be bound to what was created before a revision', async (client, key) => {
    const { lease } = await client.grant();
    const names = ['a', 'b', 'c'].map((name) => `${key}/${name}`);
    const revisions: string[] = [];
    for (const name of names) revisions.push(await client.put(name, lease));
    const before = (createdBefore: string): Operation => ({
      type: 'range',
      prefix: `${key}/`,
      order: 'newest',
      limit: 1,
      createdBefore,
    });
    assert.deepEqual(keysOf(await client.find(before(revisions[2]!))), [names[1]]);
    assert.deepEqual(await client.find(before(revisions[0]!)), []);
  }),

  check('a range takes in no key that merely resembles the prefix', async (client, key) => {
    const { lease } = await client.grant();
    for (const name of [key, `${key}-other`, `${key}/own`]) await client.put(name, lease);
    const found = await client.find({ type: 'range', prefix: `${key}/`, order: 'oldest', limit: 9 });
    assert.deepEqual(keysOf(found), [`${key}/own`]);
  }),

  check('an audit reads as a transaction does', async (client, key) => {
    const { lease } = await client.grant();
    const revision = await client.put(key, lease);
    const id = client.send({ type: 'audit', compare: [], success: [{ type: 'get', key }], failure: [] });
    const audited = await client.answer(id, 'audited');
    assert.equal(audited.revision, revision);
    assert.deepEqual(keysOf(audited.found.flat()), [key]);
  }),

  check('values and keys beyond ASCII come back as they were', async (client, key) => {
    const { lease } = await client.grant();
    const name = `${key}/é/選挙`;
    await client.put(name, lease, 'Zürich\n🗳️');
    assert.equal((await client.get(name))[0]?.value, 'Zürich\n🗳️');
  }),

  // ---- Leases -----------------------------------------------------------------------------------------

  check('a lease is granted for what was asked, and says when it was asked for', async (client) => {
    const { ttlSeconds, sentMs, lease } = await client.grant(60);
    assert.deepEqual([ttlSeconds, sentMs], [60, 7]);
    assert.match(lease, /^[1-9]\d*$/);
  }),

  check('a put under a lease that is not there is refused, and changes nothing', async (client, key) => {
    const { revision } = await client.transact({});
    const put: Operation = { type: 'put', key, value: 'value', lease: '12345' };
    const id = client.send({ type: 'txn', compare: [], success: [put], failure: [] });
    assert.equal((await client.answer(id, 'failed')).reason, 'lease-not-found');
    assert.equal((await client.transact({ success: [{ type: 'get', key }] })).revision, revision);
  }),

  check('a revoked lease takes its keys along, at one revision', async (client, key) => {
    const [own, other] = [await client.grant(), await client.grant()];
    await client.put(`${key}/a`, own.lease);
    await client.put(`${key}/b`, own.lease);
    const last = await client.put(`${key}/c`, other.lease);
    const watch = await client.watch(`${key}/`, after(last), true);
    await client.answer(client.send({ type: 'revoke', lease: own.lease }), 'revoked');
    const changes = await client.hasChanged(watch, 2);
    assert.deepEqual(changes.map(({ key: gone }) => gone).toSorted(), [`${key}/a`, `${key}/b`]);
    assert.deepEqual(
      changes.map(({ type, revision }) => [type, revision]),
      [
        ['delete', after(last)],
        ['delete', after(last)],
      ],
    );
    assert.equal((await client.get(`${key}/c`)).length, 1);
  }),

  check('a lease can be revoked once', async (client) => {
    const { lease } = await client.grant();
    await client.answer(client.send({ type: 'revoke', lease }), 'revoked');
    const again = await client.answer(client.send({ type: 'revoke', lease }), 'failed');
    assert.equal(again.reason, 'lease-not-found');
  }),

  check('a lease that is not renewed ends, and not before its time', async (client, key) => {
    const startedMs = performance.now();
    const { lease, ttlSeconds } = await client.grant(1);
    const put = await client.put(key, lease);
    const watch = await client.watch(key, after(put));
    const [change] = await client.hasChanged(watch, 1);
    assert.equal(change?.type, 'delete');
    assert.ok(performance.now() - startedMs >= 1000 * ttlSeconds);
    assert.equal((await client.keepAlive(lease)).ttlSeconds, 0);
  }),

  check('a lease that is renewed stands', async (client, key) => {
    const { lease, ttlSeconds } = await client.grant(1);
    await client.put(key, lease);
    const untilMs = performance.now() + 2500 * ttlSeconds;
    while (performance.now() < untilMs) {
      const renewed = await client.keepAlive(lease);
      assert.deepEqual([renewed.ttlSeconds, renewed.sentMs], [ttlSeconds, 9]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.equal((await client.get(key)).length, 1);
  }),

  check('renewing a lease that never was says that it is gone', async (client) => {
    assert.equal((await client.keepAlive('12345')).ttlSeconds, 0);
  }),

  // ---- Watches ----------------------------------------------------------------------------------------

  check('a watch tells what has happened since its revision, and what happens', async (client, key) => {
    const { lease } = await client.grant();
    const revisions = [await client.put(key, lease), await client.put(key, lease), await client.delete(key)];
    const watch = await client.watch(key, revisions[1]!);
    revisions.push(await client.put(key, lease));
    const changes = await client.hasChanged(watch, 3);
    const put = { type: 'put', key, value: 'value', lease } as const;
    assert.deepEqual(changes, [
      { ...put, revision: revisions[1], createRevision: revisions[0] },
      { type: 'delete', key, revision: revisions[2] },
      { ...put, revision: revisions[3], createRevision: revisions[3] },
    ]);
  }),

  check('a watch of a key tells of no other, and one of a prefix of all', async (client, key) => {
    const { lease } = await client.grant();
    const { revision } = await client.transact({});
    const one = await client.watch(`${key}/b`, after(revision));
    const all = await client.watch(`${key}/`, after(revision), true);
    for (const name of ['a', 'b', 'c']) await client.put(`${key}/${name}`, lease);
    await client.put(`${key}0`, lease);
    await client.put(`${key}/d`, lease);
    await client.hasChanged(all, 4);
    assert.deepEqual(
      client.changes(all).map(({ key: changed }) => changed.at(-1)),
      ['a', 'b', 'c', 'd'],
    );
    assert.deepEqual(
      client.changes(one).map(({ key: changed }) => changed),
      [`${key}/b`],
    );
  }),

  check('a cancelled watch says so, and then nothing', async (client, key) => {
    const { lease } = await client.grant();
    const { revision } = await client.transact({});
    const cancelled = await client.watch(key, after(revision));
    client.cancel(cancelled);
    await client.answer(cancelled, 'watch-cancelled');
    const other = await client.watch(key, after(revision));
    await client.put(key, lease);
    await client.hasChanged(other, 1);
    assert.deepEqual(client.types(cancelled), ['watching', 'watch-cancelled']);
  }),

  check('cancelling a watch that is not there says nothing', async (client, key) => {
    const { revision } = await client.transact({});
    await client.watch(key, after(revision));
    client.cancel(999_999);
    await client.transact({});
    assert.deepEqual(client.types(999_999), []);
  }),

  check('what a watch tells is numbered from one, so that nobody misses a message', async (client, key) => {
    const { lease } = await client.grant();
    const first = await client.put(key, lease);
    await client.put(key, lease);
    const watch = await client.watch(key, first);
    await client.hasChanged(watch, 2);
    for (let count = 3; count <= 5; count += 1) {
      await client.put(key, lease);
      await client.hasChanged(watch, count);
    }
    const numbers = client.numbers(watch);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  }),

  check('a watch from a compacted revision is lost at once', async (client, key, subject) => {
    const { lease } = await client.grant();
    const early = await client.put(key, lease);
    await client.put(key, lease);
    const late = await client.put(key, lease);
    await subject.compact(late);
    const lost = await client.watch(key, early);
    assert.equal((await client.answer(lost, 'watch-lost')).reason, 'compacted');
    // What has been compacted is only the past.
    const watch = await client.watch(key, after(late));
    await client.put(key, lease);
    assert.equal((await client.hasChanged(watch, 1)).length, 1);
  }),

  // ---- Restart ----------------------------------------------------------------------------------------

  check(
    'after a restart keys, revisions and leases are as before, and leases have their full time',
    async (client, key, subject) => {
      const { lease, ttlSeconds } = await client.grant(2);
      const revision = await client.put(key, lease);
      await subject.restart();
      const restartedMs = performance.now();
      const again = new Client(subject.connect());
      await again.start();
      try {
        const [found] = await again.get(key);
        assert.deepEqual([found?.createRevision, found?.lease], [revision, lease]);
        const watch = await again.watch(key, after(revision));
        const [change] = await again.hasChanged(watch, 1);
        assert.equal(change?.type, 'delete');
        // The restart took part of the first second; a lease that went on counting would have ended sooner.
        assert.ok(performance.now() - restartedMs >= 1000 * (ttlSeconds - 1));
      } finally {
        await again.stop();
      }
    },
  ),
];
