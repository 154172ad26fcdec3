import { type Elector, type Leadership, lead, type NodeId } from '@hustings/elector';
import { type LeaseStore, lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { type RaftDurable, type RaftMessage, type RaftSettings, Replica, raft } from '@hustings/raft';
import { createElector, memoryStorage, type Storage } from '@hustings/runtime';
import { describeLeaseStore } from '@hustings/testkit';
import { until } from '@hustings/testkit/check';
import { type FaultyTransport, faulty } from '@hustings/transport';
import { MemoryNetwork } from '@hustings/transport/memory';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withoutClose } from '../src/lease.js';
import { CallLink, type CallMessage } from '../src/raft-session/calls.js';
import { GroupLedger } from '../src/raft-session/ledger.js';
import { GroupStore } from '../src/raft-session/store.js';

const ids = ['n1', 'n2', 'n3'];
const patienceMs = 20_000;

interface Node {
  readonly store: GroupStore;
  readonly replica: Replica;
  readonly transport: FaultyTransport<RaftMessage | CallMessage>;
}

/** Three nodes in one process, which keep leases together. */
class Group {
  readonly nodes = new Map<NodeId, Node>();
  readonly disks = new Map<NodeId, Storage<RaftDurable>>();
  readonly #network = new MemoryNetwork<RaftMessage | CallMessage>();
  readonly #settings: Partial<RaftSettings>;

  readonly #answerMs: number;

  constructor(settings: Partial<RaftSettings> = {}, answerMs = 500) {
    this.#answerMs = answerMs;
    this.#settings = { electionTimeoutMs: [300, 600], heartbeatMs: 50, ...settings };
    for (const id of ids) this.disks.set(id, memoryStorage());
  }

  async start(id: NodeId): Promise<void> {
    const peers = ids.filter((other) => other !== id);
    const transport = faulty(this.#network.transport(id, peers));
    const link: CallLink<RaftMessage> = new CallLink((calls) => store.serve(calls), this.#answerMs);
    const replica = new Replica((onAnnouncement) =>
      createElector({
        protocol: raft(this.#settings),
        transport: link.share(transport),
        peers,
        storage: this.disks.get(id)!,
        onAnnouncement,
      }),
    );
    const store = new GroupStore({
      replica,
      ask: (leaderId, calls) => link.ask(leaderId, calls),
      onFailed: () => {},
    });
    this.nodes.set(id, { store, replica, transport });
    await store.start();
  }

  async startAll(): Promise<void> {
    await Promise.all(ids.map((id) => this.start(id)));
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.nodes.values()].map(({ store }) => store.close()));
  }

  store(id: NodeId): GroupStore {
    return this.nodes.get(id)!.store;
  }

  /** Who leads the group, once one of these does. */
  async leader(among: readonly NodeId[] = ids): Promise<NodeId> {
    const leading = () => among.find((id) => this.nodes.get(id)?.replica.elector.belief().role === 'leader');
    await until('somebody leads the group', patienceMs, () => leading() !== undefined);
    return leading()!;
  }

  /** Lets nothing through to this node or from it. */
  cutOff(id: NodeId): void {
    this.nodes.get(id)?.transport.setRules([{ type: 'cut' }]);
  }

  heal(id: NodeId): void {
    this.nodes.get(id)?.transport.setRules([]);
  }
}

/** Somebody's lease, of which nobody is asked twice at once. */
const request = (name: string, node: string, ttlMs = 60_000) => ({ name, holder: `${node}#1`, ttlMs });

/** On a machine that stalls, the group may lose its leader at any moment: to ask again is to hold it still. */
async function take(store: LeaseStore, asked: ReturnType<typeof request>): Promise<bigint> {
  const answer = await answered(() => store.acquire(asked));
  expect(answer.type).toBe('acquired');
  return answer.type === 'acquired' ? answer.token : 0n;
}

/** Until an answer comes: a group that has just lost its leader has none for a while. */
async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const giveUpMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > giveUpMs) throw error;
    }
  }
}

/** Asks again and again until the lease is free. */
async function takenOver(store: LeaseStore, asked: ReturnType<typeof request>): Promise<bigint> {
  for (;;) {
    const answer = await answered(() => store.acquire(asked));
    if (answer.type === 'acquired') return answer.token;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('leases that a group keeps', () => {
  let group: Group;
  beforeAll(async () => {
    // A busy machine is no fault of the group: while nobody leads it, no lease ends, and a late answer is none.
    group = new Group({ electionTimeoutMs: [2000, 3000], heartbeatMs: 100 }, 10_000);
    await group.startAll();
    await group.leader();
  });
  afterAll(() => group.stopAll());

  let turn = 0;
  describeLeaseStore({
    name: 'a group of three',
    /** Each client is at another node, of which one leads. */
    connect() {
      turn += 1;
      const id = ids[turn % ids.length]!;
      const store = (): GroupStore => group.store(id);
      return {
        traits: store().traits,
        acquire: (request) => store().acquire(request),
        renew: (request) => store().renew(request),
        renewAll: (requests) => store().renewAll(requests),
        release: (request) => store().release(request),
        read: (name) => store().read(name),
        watch: (name, changed) => store().watch(name, changed),
      };
    },
    server: {
      async restart() {
        await group.stopAll();
        await group.startAll();
        await group.leader();
      },
    },
  });
});

describe('given a group whose leader is cut off', () => {
  let group: Group;
  afterEach(() => group.stopAll());

  it('then leases that the others hold live on under their tokens', { timeout: 30_000 }, async () => {
    group = new Group();
    await group.startAll();
    const former = await group.leader();
    const others = ids.filter((id) => id !== former);
    const [a = '', b = ''] = others;
    const token = await take(group.store(a), request('x', a, 5000));
    group.cutOff(former);
    await group.leader(others);
    expect(await answered(() => group.store(a).renew({ ...request('x', a, 5000), token }))).toMatchObject({
      type: 'renewed',
    });
    expect(await answered(() => group.store(b).acquire(request('x', b)))).toMatchObject({
      type: 'held',
      holder: `${a}#1`,
      token,
    });
  });

  it('then it renews nothing once another may lead, and what it held is another’s only after its full time', {
    timeout: 30_000,
  }, async () => {
    group = new Group();
    await group.startAll();
    const former = await group.leader();
    const others = ids.filter((id) => id !== former);
    const [other = ''] = others;
    const ttlMs = 1500;
    const own = request('x', former, ttlMs);
    const token = await take(group.store(former), own);
    group.cutOff(former);
    /** Until when its holder may think that it has the lease: counted from when it asked. */
    let heldUntilMs = 0;
    const renewing = (async () => {
      for (;;) {
        const askedMs = performance.now();
        try {
          const answer = await group.store(former).renew({ ...own, token });
          if (answer.type === 'lost') return;
          heldUntilMs = askedMs + answer.validForMs;
        } catch {
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    await group.leader(others);
    const theirs = await takenOver(group.store(other), request('x', other));
    const takenMs = performance.now();
    await renewing;
    expect(theirs).toBeGreaterThan(token);
    expect(takenMs).toBeGreaterThan(heldUntilMs);
    group.heal(former);
    expect(await answered(() => group.store(former).renew({ ...own, token }))).toEqual({ type: 'lost' });
  });
});

/** Stands in one election on a store of leases, again after each loss, and notes its terms. */
class Candidate {
  readonly terms: Leadership[] = [];
  readonly #elector: Elector;

  constructor(id: NodeId, election: string, store: LeaseStore) {
    this.#elector = createElector({
      protocol: lease(store.traits, { name: election, ttlMs: 800, requestTimeoutMs: 200 }),
      transport: leaseGateway({ id, store: withoutClose(store) }),
      storage: memoryStorage(),
    });
  }

  get leads(): boolean {
    const term = this.terms.at(-1);
    return term !== undefined && !term.signal.aborted && term.remainingMs > 0;
  }

  async stand(): Promise<void> {
    await this.#elector.start();
    void lead(this.#elector, async (leadership) => {
      this.terms.push(leadership);
      await new Promise((resolve) => leadership.signal.addEventListener('abort', resolve, { once: true }));
    }).catch(() => {});
  }

  stop(): Promise<void> {
    return this.#elector.stop();
  }
}

describe('given nodes of a group that are cut off one after the other', () => {
  it('then no election ever has two leaders, tokens grow, and all are led in the end', {
    timeout: 60_000,
  }, async () => {
    const group = new Group();
    await group.startAll();
    const elections = ['a', 'b', 'c'];
    const candidates = elections.map((election) =>
      ids.map((id) => new Candidate(id, election, group.store(id))),
    );
    await Promise.all(candidates.flat().map((candidate) => candidate.stand()));
    const isLed = () => candidates.every((rivals) => rivals.some(({ leads }) => leads));
    const overlaps: string[] = [];
    const look = () => {
      for (const [index, rivals] of candidates.entries()) {
        if (rivals.filter(({ leads }) => leads).length > 1) overlaps.push(elections[index]!);
      }
    };
    const watching = setInterval(look, 1);
    for (let round = 0; round < 6; round += 1) {
      await until('all are led', patienceMs, isLed);
      // The group's leader by turns with the others.
      const victim = round % 2 === 0 ? await group.leader() : ids[round % ids.length]!;
      group.cutOff(victim);
      await until('what it led ends', patienceMs, () =>
        candidates.every((rivals) => !rivals[ids.indexOf(victim)]!.leads),
      );
      await until('all are led again', patienceMs, isLed);
      group.heal(victim);
    }
    clearInterval(watching);
    expect(overlaps).toEqual([]);
    for (const rivals of candidates) {
      const tokens = rivals.flatMap(({ terms }) => terms.map(({ token }) => token));
      expect(new Set(tokens).size).toBe(tokens.length);
    }
    await Promise.all(candidates.flat().map((candidate) => candidate.stop()));
    await group.stopAll();
  });
});

describe('given many leases that are taken and given back', () => {
  it('then the log stays short, and a node that comes back knows what is held', {
    timeout: 60_000,
  }, async () => {
    const group = new Group({ snapshotThreshold: 20 });
    await group.startAll();
    const leader = await group.leader();
    const store = group.store(leader);
    const kept = await take(store, request('kept', 'a'));
    for (let round = 0; round < 60; round += 1) {
      const token = await take(store, request('x', 'a'));
      await answered(() => store.release({ ...request('x', 'a'), token }));
    }
    for (const [, disk] of group.disks) {
      const saved = await disk.load();
      expect(saved?.entries.length).toBeLessThan(60);
    }
    await group.stopAll();
    await group.startAll();
    const answer = await answered(() => group.store('n2').read('kept'));
    expect(answer).toMatchObject({ type: 'held', holder: 'a#1', token: kept });
    const next = await answered(() => group.store('n3').acquire(request('x', 'b')));
    expect(next).toMatchObject({ type: 'acquired', token: kept + 61n });
    await group.stopAll();
  });

  it('then what is taken at once is few entries, and renewing is none', { timeout: 60_000 }, async () => {
    const group = new Group();
    await group.startAll();
    const leader = await group.leader();
    const other = ids.find((id) => id !== leader)!;
    let entries = 0;
    group.nodes.get(leader)!.replica.onEvent(({ type }) => {
      if (type === 'committed') entries += 1;
    });
    const names = Array.from({ length: 200 }, (_, index) => `p${index}`);
    const tokens = await Promise.all(names.map((name) => take(group.store(other), request(name, other))));
    expect(new Set(tokens).size).toBe(names.length);
    expect(entries).toBeLessThan(names.length / 4);
    const before = entries;
    const renewed = await group
      .store(other)
      .renewAll(names.map((name, index) => ({ ...request(name, other), token: tokens[index]! })));
    expect(renewed.every(({ type }) => type === 'renewed')).toBe(true);
    expect(entries).toBe(before);
    await group.stopAll();
  });
});

describe('the ledger of a group', () => {
  it('gives a lease away only if it is free, or named', () => {
    const ledger = new GroupLedger();
    const taken = { type: 'take', name: 'x', ttlMs: 1000 } as const;
    expect(ledger.apply({ ...taken, holder: 'a', over: null })).toBe(true);
    expect(ledger.apply({ ...taken, holder: 'b', over: null })).toBe(false);
    expect(ledger.apply({ ...taken, holder: 'b', over: 7 })).toBe(false);
    expect(ledger.find('x')).toEqual({ holder: 'a', token: 1, ttlMs: 1000 });
    expect(ledger.apply({ ...taken, holder: 'b', over: 1 })).toBe(true);
    expect(ledger.find('x')).toEqual({ holder: 'b', token: 2, ttlMs: 1000 });
    expect(ledger.apply({ type: 'free', name: 'x', token: 1 })).toBe(false);
    expect(ledger.apply({ type: 'free', name: 'x', token: 2 })).toBe(true);
    expect(ledger.find('x')).toBeUndefined();
  });

  it('is the same after it was written down, and goes on counting', () => {
    const ledger = new GroupLedger();
    for (const name of ['__proto__', 'x', 'y']) {
      ledger.apply({ type: 'take', name, holder: 'a', ttlMs: 5, over: null });
    }
    ledger.apply({ type: 'free', name: 'y', token: 3 });
    const copy = new GroupLedger();
    copy.restore(JSON.parse(JSON.stringify(ledger.toJson())));
    expect([...copy.entries]).toEqual([...ledger.entries]);
    copy.apply({ type: 'take', name: 'y', holder: 'b', ttlMs: 5, over: null });
    expect(copy.find('y')?.token).toBe(4);
  });
});
