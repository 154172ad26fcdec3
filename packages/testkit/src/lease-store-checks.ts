import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Acquired, Held, LeaseStore, ReleaseRequest, StoreTraits } from '@hustings/lease';
import { type Check, until } from './check.js';

/** Some store of leases, and the server behind it where there is one. */
export interface LeaseStoreSubject {
  readonly name: string;
  /** A client of its own for each caller, of one and the same store. The suite closes it. */
  connect(): LeaseStore | Promise<LeaseStore>;
  readonly server?: LeaseStoreServer;
  /** How long a check waits for something that must happen. Default 10 s. */
  readonly patienceMs?: number;
}

/** What can be done to the server of a store. What is left out is not checked. */
export interface LeaseStoreServer {
  /** It is killed, all of it, and comes back with what it has kept. Resolves when it answers again. */
  restart?(): Promise<void>;
  /** It stops answering, without closing a connection. Resolves with what ends that. */
  pause?(): Promise<() => Promise<void>>;
  /** Its wall clock jumps. Resolves when it answers again. */
  stepClock?(byMs: number): Promise<void>;
}

const defaultTtlMs = 400;
/** Long enough to tell a clock from a counter. */
const waitMs = 20;
/** Longer than any server takes to restart. */
const longTtlMs = 60_000;

/** One client. It knows when it sent what, for nothing else can be known about another's clock. */
class Client {
  readonly store: LeaseStore;
  readonly name: string;
  readonly holder: string;

  constructor(store: LeaseStore, name: string, holder: string) {
    this.store = store;
    this.name = name;
    this.holder = holder;
  }

  acquire(ttlMs = longTtlMs, over?: string): Promise<Acquired | Held> {
    const { name, holder } = this;
    return this.store.acquire({ name, holder, ttlMs, ...(over === undefined ? {} : { over }) });
  }

  async take(ttlMs = longTtlMs): Promise<Acquired> {
    const answer = await this.acquire(ttlMs);
    assert.equal(answer.type, 'acquired', `${this.holder} must get a lease that is free`);
    return answer as Acquired;
  }

  async isHeldOff(ttlMs = longTtlMs, over?: string): Promise<Held> {
    const answer = await this.acquire(ttlMs, over);
    assert.equal(answer.type, 'held', `${this.holder} must not get a lease that another has`);
    return answer as Held;
  }

  renew(token: bigint, ttlMs = longTtlMs) {
    return this.store.renew({ name: this.name, holder: this.holder, token, ttlMs });
  }

  release(token: bigint): Promise<void> {
    return this.store.release({ name: this.name, holder: this.holder, token });
  }

  read() {
    return this.store.read(this.name);
  }
}

/** Clients of one lease that nobody else uses. */
class Bench {
  readonly traits: StoreTraits;
  readonly patienceMs: number;
  readonly server: LeaseStoreServer;
  readonly name = `checks-${randomUUID()}`;
  readonly #stores: readonly LeaseStore[];

  constructor(subject: LeaseStoreSubject, stores: readonly LeaseStore[]) {
    this.#stores = stores;
    this.traits = stores[0]!.traits;
    this.patienceMs = subject.patienceMs ?? 10_000;
    this.server = subject.server ?? {};
  }

  /** Every client has a connection of its own, and is a process of its own. */
  clients(): [Client, Client, Client] {
    const [a, b, c] = this.#stores.map((store, index) => this.client(store, `node-${index + 1}#${index}`));
    return [a!, b!, c!];
  }

  client(store: LeaseStore, holder: string, name = this.name): Client {
    return new Client(store, name, holder);
  }

  get ttlMs(): number {
    return Math.max(this.traits.minTtlMs, defaultTtlMs);
  }

  async close(): Promise<void> {
    await Promise.all(this.#stores.map((store) => store.close?.()));
  }
}

function check(name: string, body: (bench: Bench) => Promise<void>): Check<LeaseStoreSubject> {
  return {
    name,
    async run(subject) {
      const stores = await Promise.all([1, 2, 3].map(() => subject.connect()));
      const bench = new Bench(subject, stores);
      try {
        await body(bench);
      } finally {
        await bench.close();
      }
    },
  };
}

export const leaseStoreChecks: readonly Check<LeaseStoreSubject>[] = [
  // ---- Taking ------------------------------------------------------------------------------------------

  check('a lease that nobody took is free, and reading it does not take it', async (bench) => {
    const [a] = bench.clients();
    assert.deepEqual(await a.read(), { type: 'free' });
    assert.deepEqual(await a.read(), { type: 'free' });
  }),

  check('whoever takes a free lease has it, and everybody is told', async (bench) => {
    const [a, b, c] = bench.clients();
    const { token, validForMs } = await a.take();
    assert.equal(typeof token, 'bigint');
    assert.ok(validForMs > longTtlMs / 2, `a lease of ${longTtlMs} ms was granted for ${validForMs}`);
    for (const told of [await b.isHeldOff(), await c.read()]) {
      assert.ok(told.type === 'held' && told.holder === a.holder && told.token === token);
    }
  }),

  check('of several that acquire at once, one gets it and the others are told who', async (bench) => {
    const clients = bench.clients();
    for (let round = 0; round < 10; round += 1) {
      const answers = await raceOf(clients);
      const winner = answers.findIndex(({ type }) => type === 'acquired');
      assert.equal(answers.filter(({ type }) => type === 'acquired').length, 1);
      const { token } = answers[winner] as Acquired;
      for (const answer of answers) {
        // A store of several servers may be asked in the middle of the race, before anybody has won.
        if (answer.type === 'held' && answer.holder !== null) {
          assert.equal(answer.holder, clients[winner]!.holder);
        }
      }
      await clients[winner]!.release(token);
    }
  }),

  check('another process of the same node is another holder', async (bench) => {
    const [a, b] = bench.clients();
    const former = bench.client(a.store, 'node-1#former');
    const latter = bench.client(b.store, 'node-1#latter');
    const { token } = await former.take();
    await latter.isHeldOff();
    assert.deepEqual(await latter.renew(token), { type: 'lost' });
    await latter.release(token);
    assert.equal((await former.renew(token)).type, 'renewed');
  }),

  check('leases of different names have nothing to do with each other', async (bench) => {
    const [a, b] = bench.clients();
    const other = bench.client(b.store, b.holder, `${bench.name}-other`);
    const mine = await a.take();
    const theirs = await other.take();
    await a.release(mine.token);
    assert.equal((await other.renew(theirs.token)).type, 'renewed');
    await other.release(theirs.token);
  }),

  check('names and holders may be any text', async (bench) => {
    const [a, b] = bench.clients();
    const names = [
      `it's "${bench.name}"`,
      `${bench.name}:{a}%_*?`,
      `${bench.name}/ä 選挙 🗳`,
      bench.name.repeat(3),
    ];
    for (const name of names) {
      const odd = bench.client(a.store, `n'1":{}# ü\\${name}`, name);
      const { token } = await odd.take();
      assert.equal((await bench.client(b.store, b.holder, name).isHeldOff()).holder, odd.holder);
      assert.equal((await odd.renew(token)).type, 'renewed');
      await odd.release(token);
      assert.equal((await odd.read()).type, 'free');
    }
  }),

  // ---- An answer that was lost -------------------------------------------------------------------------

  check('a repeated acquire keeps the token', async (bench) => {
    const [a, b] = bench.clients();
    const { token } = await a.take();
    assert.equal((await a.take()).token, token);
    assert.equal((await b.isHeldOff()).token, token);
  }),

  check('a repeated acquire extends the lease, or says what is left', async (bench) => {
    const [a, b] = bench.clients();
    await a.take(bench.ttlMs);
    await sleep(bench.ttlMs / 2);
    const sentMs = performance.now();
    const { validForMs } = await a.take(bench.ttlMs);
    await notTakenBefore(bench, b, sentMs, validForMs);
  }),

  check('two acquires of one holder at once give one token', async (bench) => {
    const [a] = bench.clients();
    const answers = await Promise.all([a.take(), a.take(), a.take()]);
    const last = await a.take();
    for (const { token } of answers) assert.equal(token, last.token);
  }),

  // ---- Renewing ----------------------------------------------------------------------------------------

  check('a renewal extends the lease and keeps the token', async (bench) => {
    const [a, b] = bench.clients();
    const { token } = await a.take(bench.ttlMs);
    await sleep(bench.ttlMs / 2);
    const sentMs = performance.now();
    const renewed = await a.renew(token, bench.ttlMs);
    assert.ok(renewed.type === 'renewed', 'a lease that has time left is renewed');
    const told = await a.read();
    assert.ok(told.type === 'held' && told.token === token);
    await notTakenBefore(bench, b, sentMs, renewed.validForMs);
  }),

  check("nobody renews another's lease, nor its own under another token", async (bench) => {
    const [a, b] = bench.clients();
    const { token } = await a.take();
    for (const wrong of [token, token + 1n]) assert.deepEqual(await b.renew(wrong), { type: 'lost' });
    assert.deepEqual(await a.renew(token + 1n), { type: 'lost' });
    assert.equal((await a.renew(token)).type, 'renewed');
  }),

  check('a renewal that comes late brings nothing back', async (bench) => {
    const [a, b] = bench.clients();
    const { token } = await a.take();
    await a.release(token);
    assert.deepEqual(await a.renew(token), { type: 'lost' });
    assert.equal((await b.take()).token > token, true);
    assert.deepEqual(await a.renew(token), { type: 'lost' });
  }),

  // ---- Releasing ---------------------------------------------------------------------------------------

  check('a lease that is released can be taken at once', async (bench) => {
    const [a, b] = bench.clients();
    const { token } = await a.take();
    await a.release(token);
    assert.equal((await a.read()).type, 'free');
    await b.take();
  }),

  check("nobody releases another's lease, not even with its token", async (bench) => {
    const [a, b, c] = bench.clients();
    const { token } = await a.take();
    await b.release(token);
    await b.release(token + 1n);
    assert.equal((await c.isHeldOff()).holder, a.holder);
  }),

  check('a release that comes late does not end a later lease of the same holder', async (bench) => {
    const [a, b] = bench.clients();
    const first = await a.take();
    await a.release(first.token);
    const second = await a.take();
    await a.release(first.token);
    assert.equal((await b.isHeldOff()).token, second.token);
    assert.equal((await a.renew(second.token)).type, 'renewed');
  }),

  check(
    'whoever names the holder and its token releases the lease; or nobody else, where that is declared',
    async (bench) => {
      const [a, b, c] = bench.clients();
      const { token } = await a.take();
      const release = (process: Partial<ReleaseRequest>) =>
        b.store.release({ name: bench.name, holder: a.holder, token, ...process });
      await release({ token: token + 1n });
      await release({ holder: 'node-1#former' });
      assert.equal((await c.isHeldOff()).token, token, 'no other lease is released');
      await release({});
      if (bench.traits.releasedBy !== 'anybody') {
        assert.equal((await c.isHeldOff()).token, token);
        return;
      }
      const next = await c.take();
      await release({});
      assert.equal((await c.renew(next.token)).type, 'renewed', 'a release that is repeated ends nothing');
    },
  ),

  check('a lease may be released any number of times', async (bench) => {
    const [a, b] = bench.clients();
    const { token } = await a.take();
    await Promise.all([a.release(token), a.release(token)]);
    await a.release(token);
    await b.take();
  }),

  // ---- Tokens and versions -----------------------------------------------------------------------------

  check('tokens grow from holder to holder', async (bench) => {
    const tokens: bigint[] = [];
    for (const client of [...bench.clients(), ...bench.clients()]) {
      const { token } = await client.take();
      tokens.push(token);
      await client.release(token);
    }
    assertGrowing(tokens);
  }),

  check('tokens grow when a lease is not released but taken over', async (bench) => {
    const [a, b] = bench.clients();
    const first = await a.take(bench.ttlMs);
    const second = await takenOver(bench, b, a);
    assertGrowing([first.token, second.token]);
    assert.deepEqual(await a.renew(first.token), { type: 'lost' });
    await a.release(first.token);
    assert.equal((await a.isHeldOff()).token, second.token);
  }),

  check(
    'a lease that was not released is taken over by another of the same connection, too',
    async (bench) => {
      // There, a holder is gone when its connection is closed.
      if (neverExpires(bench)) return;
      const [a] = bench.clients();
      const first = await a.take(bench.ttlMs);
      const second = await takenOver(bench, bench.client(a.store, 'node-1#next'), a);
      assertGrowing([first.token, second.token]);
      assert.deepEqual(await a.renew(first.token), { type: 'lost' });
    },
  ),

  check('whoever let its lease run out has none, and takes the next under a new token', async (bench) => {
    if (bench.traits.clock === 'observer' || neverExpires(bench)) return;
    const [a, b] = bench.clients();
    const first = await a.take(bench.ttlMs);
    const giveUpMs = performance.now() + bench.traits.expiryFactor * bench.ttlMs + bench.patienceMs;
    while ((await b.read()).type !== 'free') {
      assert.ok(performance.now() < giveUpMs, 'a lease that nobody renews must end');
      await sleep(5);
    }
    assertGrowing([first.token, (await a.take()).token]);
  }),

  check('tokens grow with the time, where they are declared to be of a clock', async (bench) => {
    if (bench.traits.tokens !== 'clock') return;
    const [a, b] = bench.clients();
    const first = await a.take();
    await a.release(first.token);
    await sleep(waitMs);
    const second = await b.take();
    const grown = Number(second.token - first.token);
    // The store's clock may be adjusted meanwhile, but not by that much.
    assert.ok(grown >= 500 * waitMs, `grown by ${grown} in ${waitMs} ms, which is no time in microseconds`);
  }),

  check('no version ever comes back, where versions are what is waited for', async (bench) => {
    if (bench.traits.clock === 'store') return;
    const [a, b] = bench.clients();
    const versions: (string | undefined)[] = [];
    const note = async () => versions.push((await b.isHeldOff()).version);
    for (let round = 0; round < 3; round += 1) {
      const { token } = await a.take();
      await note();
      await a.renew(token);
      await note();
      await a.release(token);
    }
    assert.ok(!versions.includes(undefined), "with clock 'observer' every answer 'held' has a version");
    assert.equal(new Set(versions).size, versions.length, `versions came back: ${versions.join(' ')}`);
    await a.take();
    for (const stale of versions) await b.isHeldOff(longTtlMs, stale);
  }),

  // ---- Time --------------------------------------------------------------------------------------------

  check(
    'a lease ends no sooner than it says, and about then; or never, where others decide',
    async (bench) => {
      const [a, b] = bench.clients();
      const sentMs = performance.now();
      const { validForMs } = await a.take(bench.ttlMs);
      const answeredMs = performance.now();
      if (bench.traits.clock === 'observer') await standsStill(bench, b);
      else if (neverExpires(bench)) await outlivesItsTime(bench, b);
      else await endsInTime(bench, b, { sentMs, answeredMs, validForMs });
    },
  ),

  check('the shortest lease that is declared is kept to', async (bench) => {
    const { minTtlMs, clock } = bench.traits;
    const [a, b] = bench.clients();
    const sentMs = performance.now();
    const { validForMs } = await a.take(minTtlMs);
    assert.ok(validForMs > 0, `a lease of ${minTtlMs} ms was granted for ${validForMs}`);
    if (clock === 'store') await notTakenBefore(bench, b, sentMs, validForMs);
  }),

  check('a lease that is held says when to ask again', async (bench) => {
    const { clock, expiryFactor, granularityMs } = bench.traits;
    const [a, b] = bench.clients();
    await a.take(longTtlMs);
    const answeredMs = performance.now();
    const askedMs = performance.now();
    const { expiresInMs } = await b.isHeldOff();
    const mostMs = expiryFactor * longTtlMs + granularityMs - (askedMs - answeredMs);
    assert.ok(expiresInMs > 0 && expiresInMs <= mostMs + 1, `${expiresInMs} ms of at most ${mostMs}`);
    if (clock === 'observer') assert.equal(expiresInMs, longTtlMs);
  }),

  check('the wall clock of whoever asks decides nothing', async (bench) => {
    const [a, b] = bench.clients();
    const { token } = await withWallClock(-hourMs, () => a.take());
    await withWallClock(hourMs, () => b.isHeldOff());
    assert.equal((await withWallClock(-hourMs, () => a.renew(token))).type, 'renewed');
    await withWallClock(2 * hourMs, () => b.isHeldOff());
  }),

  check("where the store's clock steps, tokens still grow, and observers are not deceived", async (bench) => {
    const { stepClock } = bench.server;
    if (stepClock === undefined) return;
    const [a, b] = bench.clients();
    const first = await a.take();
    await stepClock(hourMs);
    if (bench.traits.clock === 'observer') await b.isHeldOff();
    await a.release(first.token);
    const second = await b.take();
    await stepClock(-hourMs);
    await b.release(second.token);
    assertGrowing([first.token, second.token, (await a.take()).token]);
  }),

  // ---- When the store fails ----------------------------------------------------------------------------

  check(
    'a restart leaves what was declared to survive, and tokens grow where that is declared',
    async (bench) => {
      const { restart } = bench.server;
      if (restart === undefined) return;
      const { survives, guarantees } = bench.traits;
      const [a, b] = bench.clients();
      const { token } = await a.take();
      await restart();
      const answer = await answered(bench, () => b.acquire());
      if (survives !== 'nothing') {
        assert.ok(answer.type === 'held' && answer.holder === a.holder, 'the lease was forgotten');
        assert.equal((await answered(bench, () => a.renew(token))).type, 'renewed');
        await answered(bench, () => a.release(token));
      }
      const next = answer.type === 'acquired' ? answer : await answered(bench, () => b.take());
      if (guarantees.monotonicTokens) assertGrowing([token, next.token]);
    },
  ),

  check('a call that nobody answers is given up, and is carried out for nobody else', async (bench) => {
    const { pause } = bench.server;
    if (pause === undefined) return;
    const [a, b] = bench.clients();
    const resume = await pause();
    const late = settled(a.acquire());
    try {
      await until('a call to a silent store is given up', bench.patienceMs, () => late.isSettled);
    } finally {
      await resume();
    }
    // It may have been carried out, may not have been, and may be yet; in no case has anybody else the lease.
    const told = await answered(bench, () => b.read());
    if (told.type === 'held') assert.equal(told.holder, a.holder);
    const own = await answered(bench, () => a.take());
    assert.equal((await answered(bench, () => b.isHeldOff())).token, own.token);
    await a.release(own.token);
    await b.take();
  }),

  // ---- Hints -------------------------------------------------------------------------------------------

  check('whoever watches is told of a release, until it stops watching', async (bench) => {
    const [a, b] = bench.clients();
    if (b.store.watch === undefined) return;
    let hints = 0;
    const unwatch = await b.store.watch(bench.name, () => {
      hints += 1;
    });
    for (let round = 1; round <= 3; round += 1) {
      const { token } = await a.take();
      const before = hints;
      await a.release(token);
      await until('the release is told', bench.patienceMs, () => hints > before);
    }
    unwatch();
    unwatch();
  }),
];

// ---- Time ----------------------------------------------------------------------------------------------

/** Of several servers each may go to somebody else, so that nobody has enough of them: then all ask again. */
async function raceOf(clients: readonly Client[]): Promise<readonly (Acquired | Held)[]> {
  for (let attempt = 1; ; attempt += 1) {
    const answers = await Promise.all(clients.map((client) => client.acquire()));
    if (attempt === 10 || answers.some(({ type }) => type === 'acquired')) return answers;
    await sleep(waitMs);
  }
}

const hourMs = 3_600_000;

interface Grant {
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly validForMs: number;
}

/**
 * Asks for the lease again and again. The store began to count between `sentMs` and `answeredMs`, so a slow machine
 * can make a lease seem longer by no more than it was slow, and these bounds allow for that.
 */
async function endsInTime(
  bench: Bench,
  rival: Client,
  { sentMs, answeredMs, validForMs }: Grant,
): Promise<void> {
  const { expiryFactor, granularityMs } = bench.traits;
  const latestMs = expiryFactor * Math.max(validForMs, bench.ttlMs) + granularityMs;
  for (;;) {
    const askedMs = performance.now();
    const answer = await rival.acquire();
    const tookMs = performance.now() - sentMs;
    if (answer.type === 'acquired') {
      const earliestMs = validForMs - granularityMs;
      assert.ok(tookMs >= earliestMs, `a lease of ${validForMs} ms was taken over after ${tookMs}`);
      return;
    }
    const heldMs = askedMs - answeredMs;
    assert.ok(heldMs <= latestMs, `a lease is held after ${heldMs} ms that must end after ${latestMs}`);
    const leftMs = answeredMs + latestMs - askedMs;
    assert.ok(
      answer.expiresInMs <= leftMs + granularityMs + 1,
      `a lease has ${leftMs} ms left at most, and is said to have ${answer.expiresInMs}`,
    );
    await sleep(5);
  }
}

/** Fails if the rival gets the lease sooner than `validForMs` after `sentMs`. */
async function notTakenBefore(
  bench: Bench,
  rival: Client,
  sentMs: number,
  validForMs: number,
): Promise<void> {
  if (bench.traits.clock === 'observer') {
    await rival.isHeldOff();
    return;
  }
  const earliestMs = validForMs - bench.traits.granularityMs;
  while (performance.now() - sentMs < earliestMs) {
    const answer = await rival.acquire();
    const tookMs = performance.now() - sentMs;
    if (answer.type === 'acquired') {
      assert.ok(tookMs >= earliestMs, `a lease of ${validForMs} ms was taken over after ${tookMs}`);
      return;
    }
    await sleep(5);
  }
}

/** Where the observer's clock rules, time alone ends nothing: only whoever names the version that stood still. */
async function standsStill(bench: Bench, rival: Client): Promise<void> {
  await sleep(2 * bench.ttlMs);
  const { version } = await rival.isHeldOff();
  await rival.isHeldOff(longTtlMs, `${version}-not`);
  const answer = await rival.acquire(longTtlMs, version);
  assert.equal(answer.type, 'acquired', 'whoever names the version that has stood still gets the lease');
}

/** Where a lease ends with its process, time alone ends nothing either. */
async function outlivesItsTime(bench: Bench, rival: Client): Promise<void> {
  await sleep(2 * bench.ttlMs);
  await rival.isHeldOff();
}

const neverExpires = ({ traits }: Bench): boolean => traits.expiryFactor === Number.POSITIVE_INFINITY;

/** By time, by the version that stood still, or because the process that had it is no more. */
async function takenOver(bench: Bench, rival: Client, former: Client): Promise<Acquired> {
  if (neverExpires(bench)) await former.store.close?.();
  const giveUpMs = performance.now() + bench.traits.expiryFactor * bench.ttlMs + bench.patienceMs;
  for (;;) {
    const answer = await rival.acquire();
    if (answer.type === 'acquired') return answer;
    if (bench.traits.clock === 'observer') {
      const taken = await rival.acquire(longTtlMs, answer.version);
      assert.equal(taken.type, 'acquired', 'whoever names the version that has stood still gets the lease');
      return taken as Acquired;
    }
    assert.ok(performance.now() < giveUpMs, 'a lease that nobody renews must end');
    await sleep(5);
  }
}

/** Calls `work` in a process whose wall clock is off by this much. Monotonic clocks and timers are as ever. */
async function withWallClock<Value>(byMs: number, work: () => Promise<Value>): Promise<Value> {
  const { Date: Ordinary } = globalThis;
  const now = () => Ordinary.now() + byMs;
  class Shifted extends Ordinary {
    static override now = now;
    constructor(...parts: []) {
      if (parts.length === 0) super(now());
      else super(...parts);
    }
  }
  globalThis.Date = Shifted as DateConstructor;
  try {
    return await work();
  } finally {
    globalThis.Date = Ordinary;
  }
}

const sleep = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

// ---- A store that fails --------------------------------------------------------------------------------

/** Clients need a moment to find their way back to a server: asks until an answer comes. */
async function answered<Value>(bench: Bench, ask: () => Promise<Value>): Promise<Value> {
  const giveUpMs = performance.now() + bench.patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof assert.AssertionError || performance.now() > giveUpMs) throw error;
      await sleep(20);
    }
  }
}

function settled(promise: Promise<unknown>): { readonly isSettled: boolean } {
  const state = { isSettled: false };
  const settle = () => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  return state;
}

function assertGrowing(tokens: readonly bigint[]): void {
  const grows = tokens.every((token, index) => index === 0 || token > tokens[index - 1]!);
  assert.ok(grows, `Tokens must grow from holder to holder, but were ${tokens.join(', ')}.`);
}
