/**
 * Leases that a Raft group keeps: a store whose server is the group itself.
 *
 * - **State.** Who has which lease is in the log, so whoever leads the group next knows it. When leases run out is known
 *   to the group's leader alone, by its own clock.
 * - **Messages.** Nodes ask the leader. Taking and freeing a lease is an entry; many at once are one. Renewing is none:
 *   the leader moves a date in its memory.
 * - **Invariants.** The leader answers only while its Leadership lasts. A new one begins when all that was committed
 *   before is known to it, and gives every lease its full time again from then on: whatever its predecessor has
 *   answered, it answered earlier, so no lease ends before its holder thinks it does. A lease is replaced only by an
 *   entry that names it.
 */

import { type FencingToken, type Leadership, lead } from '@hustings/elector';
import type {
  Acquired,
  AcquireRequest,
  Free,
  Held,
  LeaseStore,
  Lost,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreTraits,
} from '@hustings/lease';
import type { Answer, Call } from '@hustings/lease/gateway';
import { type Json, type LogEvent, ProposalRefusedError, type Replica } from '@hustings/raft';
import { aborted } from '../aborted.js';
import { NotServedError } from './calls.js';
import { type GroupLease, GroupLedger, type Operation } from './ledger.js';

export const traits: StoreTraits = {
  name: 'raft',
  clock: 'store',
  // A leader of the group that begins meanwhile gives every lease its full time again.
  expiryFactor: 2,
  minTtlMs: 1,
  granularityMs: 1,
  survives: 'majority',
  releasedBy: 'anybody',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    'a majority of the group runs, and its nodes reach each other',
    "no clock, the group leader's included, is off by more than driftBound",
    'what a node of the group has saved is never lost',
  ],
};

export interface GroupStoreOptions {
  readonly replica: Replica;
  /** Asks another node, which leads. */
  ask(leaderId: string, calls: readonly Call[]): Promise<readonly Answer[]>;
  /** This node of the group has failed, as its elector reports, and will never answer again. */
  onFailed(): void;
}

/** From the moment when all that was committed before is known, to the end of the Leadership. */
interface Reign {
  readonly leadership: Leadership;
  readonly beganMs: number;
  /** By token: until when the lease lasts, where it was taken or renewed in this reign. */
  readonly untilMs: Map<number, number>;
}

/** How long a call waits for somebody to lead, and how often that is looked at. */
const patienceMs = 900;
const lookAgainMs = 20;
/** How many operations are one entry of the log, at most. */
const longestEntry = 256;
/** How often leases that ran out and that nobody took are freed, so that names that are used once are forgotten. */
const tidyMs = 10_000;

export class GroupStore implements LeaseStore {
  readonly traits = traits;
  readonly #replica: Replica;
  readonly #askAnother: GroupStoreOptions['ask'];
  readonly #onFailed: GroupStoreOptions['onFailed'];
  readonly #ledger = new GroupLedger();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #stopped = new AbortController();
  readonly #log: GroupLog;
  #reign: Reign | null = null;
  #running: Promise<void> | null = null;

  constructor({ replica, ask, onFailed }: GroupStoreOptions) {
    this.#replica = replica;
    this.#askAnother = ask;
    this.#onFailed = onFailed;
    this.#log = new GroupLog(replica);
    replica.onEvent((event) => this.#apply(event));
  }

  // ---- A store ----------------------------------------------------------------------------------------

  acquire({ name, holder, ttlMs }: AcquireRequest): Promise<Acquired | Held> {
    return this.#ask({ type: 'acquire', name, holder, ttlMs }) as Promise<Acquired | Held>;
  }

  renew(request: RenewRequest): Promise<Renewed | Lost> {
    return this.#ask({ type: 'renew', ...request }) as Promise<Renewed | Lost>;
  }

  renewAll(requests: readonly RenewRequest[]): Promise<readonly (Renewed | Lost)[]> {
    return this.#askAll(requests.map((request) => ({ type: 'renew', ...request }))) as Promise<
      readonly (Renewed | Lost)[]
    >;
  }

  async release(request: ReleaseRequest): Promise<void> {
    await this.#ask({ type: 'release', ...request });
  }

  read(name: string): Promise<Held | Free> {
    return this.#ask({ type: 'read', name }) as Promise<Held | Free>;
  }

  /** Every node applies the log, so each tells its own. */
  async watch(name: string, changed: () => void): Promise<() => void> {
    const watchers = this.#watchers.get(name) ?? new Set();
    this.#watchers.set(name, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(name);
    };
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await this.#replica.stop();
  }

  // ---- Asking -----------------------------------------------------------------------------------------

  async #ask(call: Call): Promise<Answer> {
    const [answer] = await this.#askAll([call]);
    return answer!;
  }

  /** Of whoever leads; again, where that one says that it cannot. */
  async #askAll(calls: readonly Call[]): Promise<readonly Answer[]> {
    await this.start();
    const giveUpMs = performance.now() + patienceMs;
    for (;;) {
      try {
        const { leaderId } = this.#replica.elector.belief();
        if (leaderId === null) throw new NotServedError('Nobody leads the group.');
        return await (leaderId === this.#replica.elector.id
          ? this.serve(calls)
          : this.#askAnother(leaderId, calls));
      } catch (error) {
        if (!(error instanceof NotServedError) || performance.now() > giveUpMs) throw error;
        await sleep(lookAgainMs);
      }
    }
  }

  // ---- Leading the group ------------------------------------------------------------------------------

  /** Joins the group, and leads it when it is this node's turn. */
  async start(): Promise<void> {
    await this.#replica.elector.start();
    const { signal } = this.#stopped;
    this.#running ??= lead(this.#replica.elector, (leadership) => this.#lead(leadership), { signal }).catch(
      () => this.#onFailed(),
    );
  }

  async #lead(leadership: Leadership): Promise<void> {
    const { signal } = leadership;
    while (!signal.aborted && !(await this.#log.isKnown(signal))) await sleep(lookAgainMs);
    this.#reign = { leadership, beganMs: performance.now(), untilMs: new Map() };
    const tidying = setInterval(() => this.#tidy(), tidyMs);
    await aborted(signal);
    clearInterval(tidying);
    this.#reign = null;
  }

  /**
   * What the leader answers. Rejects with `NotServedError` where this node cannot: whoever leads may be asked the same
   * again, for what was done already is not done twice.
   */
  async serve(calls: readonly Call[]): Promise<readonly Answer[]> {
    const reign = this.#present();
    if (reign === null) throw new NotServedError('This node does not lead the group.');
    return Promise.all(calls.map((call) => this.#answer(reign, call)));
  }

  /** Asked in the turn in which it answers, so that nothing can happen between. */
  #present(): Reign | null {
    const reign = this.#reign;
    const isOver = reign === null || reign.leadership.signal.aborted || reign.leadership.remainingMs <= 0;
    return isOver ? null : reign;
  }

  #answer(reign: Reign, call: Call): Answer | Promise<Answer> {
    switch (call.type) {
      case 'acquire':
        return this.#acquire(reign, call);
      case 'renew':
        return this.#renew(reign, call);
      case 'release':
        return this.#release(call);
      case 'read': {
        const lease = this.#ledger.find(call.name);
        const leftMs = lease === undefined ? 0 : this.#leftMs(reign, lease);
        return lease === undefined || leftMs <= 0 ? { type: 'free' } : show(lease, leftMs);
      }
    }
  }

  async #acquire(reign: Reign, { name, holder, ttlMs }: AcquireRequest): Promise<Answer> {
    const before = this.#ledger.find(name);
    const leftMs = before === undefined ? 0 : this.#leftMs(reign, before);
    if (before !== undefined && leftMs > 0) {
      if (before.holder !== holder) return show(before, leftMs);
      const token = BigInt(before.token);
      return { type: 'acquired', token, validForMs: this.#extend(reign, before, ttlMs) };
    }
    await this.#log.propose([{ type: 'take', name, holder, ttlMs, over: before?.token ?? null }]);
    return this.#outcome(reign, name, holder);
  }

  /** What has become of the lease that was asked for. Another may have been before us. */
  #outcome(reign: Reign, name: string, holder: string): Answer {
    const lease = this.#ledger.find(name);
    if (this.#present() !== reign || lease === undefined)
      throw new Error('It is not known who has the lease.');
    const leftMs = this.#leftMs(reign, lease);
    return lease.holder === holder
      ? { type: 'acquired', token: BigInt(lease.token), validForMs: Math.max(0, leftMs) }
      : show(lease, leftMs);
  }

  #renew(reign: Reign, { name, holder, token, ttlMs }: RenewRequest): Answer {
    const lease = this.#ledger.find(name);
    if (lease === undefined || !isOf(lease, holder, token)) return { type: 'lost' };
    // It may be given to another at any moment.
    if (this.#leftMs(reign, lease) <= 0) return { type: 'lost' };
    return { type: 'renewed', validForMs: this.#extend(reign, lease, ttlMs) };
  }

  async #release({ name, holder, token }: ReleaseRequest): Promise<Answer> {
    const lease = this.#ledger.find(name);
    if (lease !== undefined && isOf(lease, holder, token)) {
      await this.#log.propose([{ type: 'free', name, token: lease.token }]);
    }
    return { type: 'released' };
  }

  /** No longer than is in the log: the next leader of the group knows of no more. */
  #extend(reign: Reign, lease: GroupLease, ttlMs: number): number {
    const validForMs = Math.min(ttlMs, lease.ttlMs);
    const untilMs = performance.now() + validForMs;
    reign.untilMs.set(lease.token, Math.max(untilMs, this.#untilMs(reign, lease)));
    return validForMs;
  }

  /** A lease of an earlier reign has its full time from the beginning of this one. */
  #untilMs = ({ untilMs, beganMs }: Reign, { token, ttlMs }: GroupLease): number =>
    untilMs.get(token) ?? beganMs + ttlMs;

  #leftMs = (reign: Reign, lease: GroupLease): number => this.#untilMs(reign, lease) - performance.now();

  #tidy(): void {
    const reign = this.#present();
    if (reign === null) return;
    const over = [...this.#ledger.entries].filter(([, lease]) => this.#leftMs(reign, lease) < -tidyMs);
    const operations = over.map(([name, { token }]): Operation => ({ type: 'free', name, token }));
    if (operations.length > 0) this.#log.propose(operations).catch(() => {});
  }

  // ---- What is committed ------------------------------------------------------------------------------

  #apply(event: LogEvent): void {
    if (event.type === 'restored') {
      this.#ledger.restore(event.data);
      for (const name of this.#watchers.keys()) this.#hint(name);
    }
    if (event.type !== 'committed') return;
    for (const operation of readOperations(event.data)) this.#carryOut(operation);
    if (this.#replica.wantsSnapshotAt !== null) this.#replica.snapshot(event.index, this.#ledger.toJson());
  }

  #carryOut(operation: Operation): void {
    const { name } = operation;
    const before = this.#ledger.find(name);
    if (!this.#ledger.apply(operation)) return;
    if (before !== undefined) this.#reign?.untilMs.delete(before.token);
    const lease = this.#ledger.find(name);
    if (lease === undefined) this.#hint(name);
    else this.#reign?.untilMs.set(lease.token, performance.now() + lease.ttlMs);
  }

  #hint(name: string): void {
    for (const changed of this.#watchers.get(name) ?? []) queueMicrotask(changed);
  }
}

/** What is proposed while an entry is on its way is the next entry. */
class GroupLog {
  readonly #replica: Replica;
  #gathered: { readonly operations: Operation[]; readonly committed: Promise<void> } | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  /** Whether all that was committed before this node led is known here: an entry that comes after it is committed. */
  async isKnown(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#replica.propose(encode([]), { signal });
      return true;
    } catch {
      return false;
    }
  }

  /** Resolves once all of it is committed, and applied here. Rejects with `NotServedError` if it never will be. */
  async propose(operations: readonly Operation[]): Promise<void> {
    const gathered = this.#gather();
    gathered.operations.push(...operations);
    await gathered.committed;
  }

  #gather() {
    if (this.#gathered !== null && this.#gathered.operations.length < longestEntry) return this.#gathered;
    const operations: Operation[] = [];
    const committed = this.#last.then(async () => {
      if (this.#gathered?.operations === operations) this.#gathered = null;
      await this.#commit(operations);
    });
    this.#last = committed.catch(() => {});
    this.#gathered = { operations, committed };
    return this.#gathered;
  }

  async #commit(operations: readonly Operation[]): Promise<void> {
    try {
      await this.#replica.propose(encode(operations), { signal: AbortSignal.timeout(patienceMs) });
    } catch (error) {
      throw error instanceof ProposalRefusedError ? new NotServedError(error.message) : error;
    }
  }
}

const encode = (operations: readonly Operation[]): Json => ({
  leases: operations.map((each) => ({ ...each })),
});

const readOperations = (data: Json): readonly Operation[] =>
  (data as { readonly leases?: readonly Operation[] } | null)?.leases ?? [];

const isOf = (lease: GroupLease, holder: string, token: FencingToken): boolean =>
  lease.holder === holder && BigInt(lease.token) === token;

const show = ({ holder, token }: GroupLease, leftMs: number): Held => ({
  type: 'held',
  holder,
  token: BigInt(token),
  expiresInMs: Math.max(0, leftMs),
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
