/**
 * What the protocol relies on, as named checks. They run against the simulated ensemble and against real ones, and
 * must come out alike: that is what makes the simulated one worth simulating with.
 */

import assert from 'node:assert/strict';
import { until } from '@hustings/testkit';
import type { Transport } from '@hustings/transport';
import type { ZooKeeperMessage, ZooKeeperReply, ZooKeeperRequest } from '../src/index.js';

/** An ensemble, simulated or real. Its tick is 200 ms, and it looks for empty containers every 300 ms. */
export interface Coordinator {
  readonly tickMs: number;
  /** A server alone elects nobody and counts no epochs. */
  readonly hasEpochs: boolean;
  /** A transport whose peer `zookeeper` is the ensemble, started by the check. */
  transport(id: string): Transport<ZooKeeperMessage>;
  /** Its leader dies; another is elected, or the same one comes back. */
  failLeader(): Promise<void>;
}

type WithoutId<Message> = Message extends unknown ? Omit<Message, 'id' | 'session'> : never;
type Request = WithoutId<Exclude<ZooKeeperRequest, { type: 'connect' }>>;
type Answer = Extract<ZooKeeperReply, { id: number | null }>;

const patienceMs = 10_000;
let nextId = 1;

export class Client {
  readonly heard: ZooKeeperReply[] = [];
  readonly #transport: Transport<ZooKeeperMessage>;
  session = '';
  sessionTimeoutMs = 0;

  constructor(transport: Transport<ZooKeeperMessage>) {
    this.#transport = transport;
  }

  static async open(coordinator: Coordinator, id: string, sessionTimeoutMs = 2000): Promise<Client> {
    const client = new Client(coordinator.transport(id));
    await client.start();
    await client.connect(sessionTimeoutMs);
    return client;
  }

  async start(): Promise<void> {
    await this.#transport.start({
      received: (_, message) => this.heard.push(message as ZooKeeperReply),
      linkUp() {},
      linkDown() {},
    });
  }

  /** Opens a session, or finds the way back into the one that there is. */
  async connect(sessionTimeoutMs = 2000): Promise<void> {
    const session = this.session === '' ? null : this.session;
    let answer: ZooKeeperReply | undefined;
    // An ensemble without a leader may not answer, so it is asked until it does.
    while (answer === undefined) {
      const id = this.send({ type: 'connect', session, sessionTimeoutMs });
      const isAnswer = (each: ZooKeeperReply) =>
        (each.type === 'connected' && each.id === id) ||
        (each.type === 'expired' && each.session === session);
      await until('connected', 500, () => this.heard.some(isAnswer)).catch(() => {});
      answer = this.heard.find(isAnswer);
    }
    assert.equal(answer.type, 'connected');
    if (answer.type !== 'connected') return;
    this.session = answer.session;
    this.sessionTimeoutMs = answer.sessionTimeoutMs;
  }

  /** Connects and asks; several times if need be, for a member that has only just come up may hang up again. */
  async reconnected<Answered>(ask: () => Promise<Answered>): Promise<Answered> {
    const giveUpMs = performance.now() + patienceMs;
    for (;;) {
      await this.connect();
      try {
        return await ask();
      } catch (error) {
        if (performance.now() > giveUpMs) throw error;
      }
    }
  }

  send(request: WithoutId<ZooKeeperRequest> & { session?: string | null }): number {
    const id = nextId;
    nextId += 1;
    this.#transport.send('zookeeper', { session: this.session, ...request, id } as ZooKeeperMessage);
    return id;
  }

  async ask(request: Request): Promise<Answer> {
    const id = this.send(request);
    const isAnswer = (each: ZooKeeperReply): each is Answer => 'id' in each && each.id === id;
    await until(`${request.type} is answered`, patienceMs, () => this.heard.some(isAnswer));
    return this.heard.find(isAnswer)!;
  }

  async ensure(path: string): Promise<void> {
    assert.equal((await this.ask({ type: 'ensure', path })).type, 'done');
  }

  async create(path: string, data = ''): Promise<{ path: string; czxid: number }> {
    const answer = await this.ask({ type: 'create', path, data });
    assert.equal(answer.type, 'created', JSON.stringify(answer));
    return answer as Extract<Answer, { type: 'created' }>;
  }

  async children(path: string, watch = false): Promise<string[]> {
    const answer = await this.ask({ type: 'children', path, watch });
    assert.equal(answer.type, 'listed', JSON.stringify(answer));
    return [...(answer as Extract<Answer, { type: 'listed' }>).names].sort();
  }

  async delete(path: string): Promise<void> {
    assert.equal((await this.ask({ type: 'delete', path })).type, 'done');
  }

  events(): ZooKeeperReply[] {
    return this.heard.filter(({ type }) => type === 'node-deleted' || type === 'children-changed');
  }

  async close(): Promise<void> {
    await this.#transport.stop();
  }
}

interface Room {
  readonly coordinator: Coordinator;
  /** A path of this check's own, which does not exist yet. */
  readonly path: string;
  readonly a: Client;
  readonly b: Client;
}

export interface ContractCheck {
  readonly name: string;
  run(coordinator: Coordinator): Promise<void>;
}

let rooms = 0;

function check(name: string, body: (room: Room) => Promise<void>): ContractCheck {
  return {
    name,
    async run(coordinator) {
      rooms += 1;
      const a = await Client.open(coordinator, `a${rooms}`);
      const b = await Client.open(coordinator, `b${rooms}`);
      try {
        await body({ coordinator, path: `/contract/room-${rooms}`, a, b });
      } finally {
        await Promise.all([a.close(), b.close()]);
      }
    },
  };
}

const failure = (answer: Answer): string => (answer.type === 'failed' ? answer.reason : answer.type);
const numberOf = (path: string): number => Number(path.slice(-10));

export const contractChecks: readonly ContractCheck[] = [
  check('grants a session of no less than 2 ticks and no more than 20', async ({ coordinator }) => {
    const { tickMs } = coordinator;
    const short = await Client.open(coordinator, `short${rooms}`, 300);
    const long = await Client.open(coordinator, `long${rooms}`, 1_000_000);
    assert.deepEqual([short.sessionTimeoutMs, long.sessionTimeoutMs], [2 * tickMs, 20 * tickMs]);
    await Promise.all([short.close(), long.close()]);
  }),

  check('gives every session an id of its own', async ({ a, b }) => {
    assert.match(a.session, /^[0-9a-f]{1,16}$/);
    assert.notEqual(a.session, b.session);
  }),

  check('leads back into a session that lives', async ({ a }) => {
    const { session } = a;
    await a.connect();
    assert.equal(a.session, session);
  }),

  check('says of a session that it does not know that it has expired', async ({ a }) => {
    a.send({ type: 'ping', path: '/', session: 'badc0de' });
    await until('it says so', patienceMs, () =>
      a.heard.some((each) => each.type === 'expired' && each.session === 'badc0de'),
    );
  }),

  check('creates what is missing of a path, and is content when nothing is', async ({ a, path }) => {
    await a.ensure(`${path}/x/y`);
    await a.ensure(`${path}/x/y`);
    assert.deepEqual(await a.children(`${path}/x`), ['y']);
  }),

  check('creates nothing under a znode that is not there', async ({ a, path }) => {
    assert.equal(failure(await a.ask({ type: 'create', path: `${path}/n-`, data: '' })), 'no-node');
  }),

  check('creates nothing under an ephemeral znode', async ({ a, path }) => {
    await a.ensure(path);
    const parent = await a.create(`${path}/n-`);
    assert.equal(failure(await a.ask({ type: 'create', path: `${parent.path}/n-`, data: '' })), 'refused');
  }),

  check('numbers sequential znodes one after the other, also after deletions', async ({ a, b, path }) => {
    await a.ensure(path);
    const first = await a.create(`${path}/x-`);
    const second = await b.create(`${path}/another-`);
    await a.delete(first.path);
    const third = await a.create(`${path}/x-`);
    assert.match(first.path, /\/x-\d{10}$/);
    assert.deepEqual(
      [first, second, third].map((each) => numberOf(each.path)),
      [0, 1, 2],
    );
  }),

  check('gives a znode that is created later a greater zxid', async ({ a, b, path }) => {
    await a.ensure(path);
    const zxids = [await a.create(`${path}/n-`), await b.create(`${path}/n-`), await a.create(`${path}/n-`)];
    const [first, second, third] = zxids.map(({ czxid }) => czxid);
    assert.ok(first! < second! && second! < third!);
  }),

  check('tells the data, the zxid and the owner of a znode', async ({ a, b, path }) => {
    await a.ensure(path);
    const created = await a.create(`${path}/n-`, 'nödé 1');
    await b.ensure(path); // A write, after which the member that serves b knows as much as a's.
    const got = await b.ask({ type: 'get', path: created.path, watch: false });
    assert.deepEqual(got, {
      type: 'got',
      id: got.id,
      data: 'nödé 1',
      czxid: created.czxid,
      owner: a.session,
    });
  }),

  check('shows a session what it has written itself', async ({ a, path }) => {
    await a.ensure(path);
    for (let count = 1; count <= 5; count += 1) {
      await a.create(`${path}/n-`);
      assert.equal((await a.children(path)).length, count);
    }
  }),

  check('shows whoever creates a znode all that were created before it', async ({ a, b, path }) => {
    await a.ensure(path);
    for (let count = 1; count <= 5; count += 1) {
      await a.create(`${path}/n-`);
      await b.create(`${path}/n-`);
      assert.equal((await b.children(path)).length, 2 * count);
    }
  }),

  check('fails to read and to delete what is not there', async ({ a, path }) => {
    await a.ensure(path);
    const missing = `${path}/missing`;
    assert.equal(failure(await a.ask({ type: 'get', path: missing, watch: false })), 'no-node');
    assert.equal(failure(await a.ask({ type: 'children', path: missing, watch: false })), 'no-node');
    assert.equal(failure(await a.ask({ type: 'delete', path: missing })), 'no-node');
  }),

  check('does not delete a znode that has children', async ({ a, path }) => {
    await a.ensure(path);
    await a.create(`${path}/n-`);
    assert.equal(failure(await a.ask({ type: 'delete', path })), 'refused');
  }),

  check('tells a watcher once when the znode is deleted, and of no other', async ({ a, b, path }) => {
    await a.ensure(path);
    const watched = await a.create(`${path}/n-`);
    const other = await a.create(`${path}/n-`);
    await b.ensure(path);
    await b.ask({ type: 'get', path: watched.path, watch: true });
    await a.delete(other.path);
    await a.delete(watched.path);
    await until('b is told', patienceMs, () => b.events().length > 0);
    await b.ensure(path);
    assert.deepEqual(b.events(), [{ type: 'node-deleted', session: b.session, path: watched.path }]);
  }),

  check('tells each watcher, and whoever did not ask nothing', async ({ a, b, path }) => {
    await a.ensure(path);
    const watched = await a.create(`${path}/n-`);
    await a.ask({ type: 'get', path: watched.path, watch: true });
    await b.ensure(path);
    await b.ask({ type: 'get', path: watched.path, watch: false });
    await a.delete(watched.path);
    await until('a is told', patienceMs, () => a.events().length > 0);
    await b.ensure(path);
    assert.deepEqual(b.events(), []);
  }),

  check('tells whoever watches children of the next change, once', async ({ a, b, path }) => {
    await a.ensure(path);
    await b.ensure(path);
    assert.deepEqual(await b.children(path, true), []);
    await a.create(`${path}/n-`);
    await a.create(`${path}/n-`);
    await until('b is told', patienceMs, () => b.events().length > 0);
    await b.ensure(path);
    assert.deepEqual(b.events(), [{ type: 'children-changed', session: b.session, path }]);
  }),

  check('tells of a deletion that came before the watch by answering no-node', async ({ a, b, path }) => {
    await a.ensure(path);
    const gone = await a.create(`${path}/n-`);
    await a.delete(gone.path);
    await b.ensure(path);
    assert.equal(failure(await b.ask({ type: 'get', path: gone.path, watch: true })), 'no-node');
    assert.deepEqual(b.events(), []);
  }),

  check('watches what is there by now, although it was not when it was first asked', async (room) => {
    const { a, b, path } = room;
    assert.equal(failure(await b.ask({ type: 'children', path, watch: true })), 'no-node');
    await b.ensure(path);
    assert.deepEqual(await b.children(path, true), []);
    await a.ensure(path);
    await a.create(`${path}/n-`);
    await until('b is told', patienceMs, () => b.events().length > 0);
    assert.deepEqual(b.events(), [{ type: 'children-changed', session: b.session, path }]);
  }),

  check('answers pings and proofs with whether the znode is there', async ({ a, path }) => {
    await a.ensure(path);
    const { path: own } = await a.create(`${path}/n-`);
    const answers = async () => {
      const types = ['ping', 'confirm', 'prove'] as const;
      const replies = await Promise.all(types.map((type) => a.ask({ type, path: own })));
      return replies.map((reply) => ('exists' in reply ? `${reply.type} ${reply.exists}` : reply.type));
    };
    assert.deepEqual(await answers(), ['pong true', 'confirmed true', 'proven true']);
    await a.delete(own);
    assert.deepEqual(await answers(), ['pong false', 'confirmed false', 'proven false']);
  }),

  check('changes nothing and wakes nobody by a proof', async ({ a, b, path }) => {
    await a.ensure(path);
    const own = await a.create(`${path}/n-`, 'as it was');
    await b.ensure(path);
    const before = await b.ask({ type: 'get', path: own.path, watch: true });
    await a.ask({ type: 'prove', path: own.path });
    await b.ensure(path);
    const after = await b.ask({ type: 'get', path: own.path, watch: false });
    assert.deepEqual({ ...after, id: 0 }, { ...before, id: 0 });
    assert.deepEqual(b.events(), []);
    await a.delete(own.path);
    await until('the watch is still there', patienceMs, () => b.events().length === 1);
  }),

  check('gives a proof a zxid of its own, for it is a write', async ({ a, path }) => {
    await a.ensure(path);
    const before = await a.create(`${path}/n-`);
    await a.ask({ type: 'prove', path: before.path });
    const after = await a.create(`${path}/n-`);
    assert.ok(after.czxid >= before.czxid + 2);
  }),

  check("deletes a session's znodes when it ends, and tells who watches them", async (room) => {
    const { coordinator, b, path } = room;
    const guest = await Client.open(coordinator, `guest${rooms}`, 400);
    await guest.ensure(path);
    const { path: left } = await guest.create(`${path}/n-`);
    const { path: kept } = await b.create(`${path}/n-`);
    await b.ask({ type: 'get', path: left, watch: true });
    await guest.close();
    await until('b is told', patienceMs, () => {
      b.send({ type: 'ping', path });
      return b.events().length > 0;
    });
    assert.deepEqual(await b.children(path), [kept.slice(path.length + 1)]);
  }),

  check('removes a container that has had children and has none', async ({ a, path }) => {
    await a.ensure(`${path}/used`);
    await a.ensure(`${path}/unused`);
    const { path: child } = await a.create(`${path}/used/n-`);
    await a.delete(child);
    await until('the container is gone', patienceMs, () => {
      a.send({ type: 'ping', path: `${path}/used` });
      return a.heard.some((each) => each.type === 'pong' && !each.exists);
    });
    assert.deepEqual(await a.children(path), ['unused']);
  }),

  check('keeps sessions and znodes when its leader fails, and zxids grow with its epoch', async (room) => {
    const { coordinator, path } = room;
    const patient = await Client.open(coordinator, `patient${rooms}`, 4000);
    await patient.ensure(path);
    const before = await patient.create(`${path}/n-`);
    await coordinator.failLeader();
    await until('the session has lost its member', patienceMs, () => {
      patient.send({ type: 'prove', path });
      return patient.heard.some(({ type }) => type === 'disconnected');
    });
    const [name] = await patient.reconnected(() => patient.children(path));
    assert.equal(`${path}/${name}`, before.path);
    const after = await patient.create(`${path}/n-`);
    const [newEpoch, oldEpoch] = [after, before].map(({ czxid }) => Math.floor(czxid / 2 ** 32));
    assert.ok(after.czxid > before.czxid, `${before.czxid} and then ${after.czxid}`);
    assert.equal(newEpoch! > oldEpoch!, coordinator.hasEpochs, `epoch ${oldEpoch} and then ${newEpoch}`);
    await patient.close();
  }),
];
