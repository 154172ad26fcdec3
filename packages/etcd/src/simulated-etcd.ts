/**
 * An etcd that runs in the simulator, the model checker and the browser: a service in the shape of a protocol,
 * which answers the messages of this package as a real etcd behind the gateway does. The same contract tests
 * run against both.
 *
 * It stands for a whole cluster. Its members are not simulated, only what a client can notice of them: that
 * nothing is answered between the failure of their leader and the next one, and that leases start afresh then.
 *
 * @packageDocumentation
 */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs, Effect, Input, Machine, Transition } from '@hustings/elector/protocol';
import { isAfter } from './election.js';
import type {
  Change,
  Comparison,
  EtcdMessage,
  EtcdReply,
  EtcdRequest,
  KeyValue,
  LeaseId,
  Operation,
  Revision,
  TransactionResult,
} from './messages.js';

export interface SimulatedEtcdSettings {
  /** The server looks for expired leases this often, so one ends up to this much late: 500 in etcd. */
  readonly expiryCheckMs: number;
  /** The shortest lease that it grants: with etcd's default timing 2. */
  readonly minTtlSeconds: number;
  /** How long the members take to elect a leader, when theirs has failed. */
  readonly electionMs: DelayRangeMs;
  /** How often the members' leader fails by itself; null for never. */
  readonly leaderFailsEveryMs: DelayRangeMs | null;
  /** Older events are compacted away when there are more than this. */
  readonly historyLength: number;
  /** Whether it comes back from a restart as an etcd whose data directories were lost. */
  readonly losesDataOnRestart: boolean;
}

export const defaultSimulatedEtcd: SimulatedEtcdSettings = {
  expiryCheckMs: 500,
  minTtlSeconds: 1,
  electionMs: [500, 1000],
  leaderFailsEveryMs: null,
  historyLength: 1000,
  losesDataOnRestart: false,
};

/** What can be done to the cluster itself, as an input of type `requested`. */
export type SimulatedEtcdRequest =
  /** Its leader dies, and the members elect another. */
  | { readonly type: 'fail-leader' }
  /** Forgets all events up to and including this revision. */
  | { readonly type: 'compact'; readonly revision: Revision };

export type SimulatedEtcdTimer = 'expiry' | 'election' | 'failure';

interface Lease {
  readonly id: LeaseId;
  readonly ttlMs: number;
  /** By the server's clock. */
  readonly expiresMs: number;
}

interface ServerWatch {
  readonly client: NodeId;
  readonly id: number;
  readonly key: string;
  readonly prefix: boolean;
}

/** What the members have agreed upon; it survives them. */
export interface SimulatedEtcdDurable {
  readonly revision: number;
  readonly compacted: number;
  /** In the order in which they were created, so that the oldest is at hand. */
  readonly keys: readonly KeyValue[];
  readonly history: readonly Change[];
  /** In the order in which they were granted, which is that of their ids. */
  readonly leases: readonly Lease[];
  readonly nextLease: number;
}

export interface SimulatedEtcdState extends SimulatedEtcdDurable {
  readonly settings: SimulatedEtcdSettings;
  /** False while the members elect a leader: nothing is answered, and no lease ends. */
  readonly available: boolean;
  readonly watches: readonly ServerWatch[];
}

interface SimulatedEtcdTypes {
  readonly state: SimulatedEtcdState;
  readonly message: EtcdMessage;
  readonly durable: SimulatedEtcdDurable;
  readonly timer: SimulatedEtcdTimer;
  readonly request: SimulatedEtcdRequest;
  readonly announcement: never;
}

type ServerInput = Input<SimulatedEtcdTypes>;
type ServerEffect = Effect<SimulatedEtcdTypes>;
type ServerTransition = Transition<SimulatedEtcdTypes>;

export type SimulatedEtcd = Machine<SimulatedEtcdTypes>;

/** It does not change when data are lost: a real one is made of names and addresses. */
const clusterId = '1';

/** Give it to a simulation as the service `etcd`. */
export function simulatedEtcd(settings: Partial<SimulatedEtcdSettings> = {}): SimulatedEtcd {
  const complete = { ...defaultSimulatedEtcd, ...settings };
  return { initialState: () => initialState(complete), step };
}

function initialState(settings: SimulatedEtcdSettings): SimulatedEtcdState {
  return {
    settings,
    available: true,
    // A real store is at 1 before anything was written.
    revision: 1,
    compacted: 0,
    keys: [],
    history: [],
    leases: [],
    nextLease: 0x1001,
    watches: [],
  };
}

function step(state: SimulatedEtcdState, input: ServerInput, nowMs: number): ServerTransition {
  switch (input.type) {
    case 'started':
      return [state, startTimers(state)];
    case 'restarted':
      return restart(state, input.durable, nowMs);
    case 'received':
      return state.available
        ? onRequest(state, input.from, input.message as EtcdRequest, nowMs)
        : [state, []];
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'link-down':
      return [{ ...state, watches: state.watches.filter(({ client }) => client !== input.peer) }, []];
    case 'requested':
      return input.request.type === 'fail-leader'
        ? failLeader(state)
        : [compact(state, Number(input.request.revision)), []];
    default:
      return [state, []];
  }
}

function onRequest(
  state: SimulatedEtcdState,
  client: NodeId,
  message: EtcdRequest,
  nowMs: number,
): ServerTransition {
  const reply = (to: SimulatedEtcdState, answer: EtcdReply): ServerTransition => [to, [send(client, answer)]];
  const { id } = message;
  switch (message.type) {
    case 'grant': {
      const ttlSeconds = Math.max(message.ttlSeconds, state.settings.minTtlSeconds);
      const lease = state.nextLease.toString();
      const ttlMs = 1000 * ttlSeconds;
      const granted: SimulatedEtcdState = {
        ...state,
        nextLease: state.nextLease + 1,
        leases: [...state.leases, { id: lease, ttlMs, expiresMs: nowMs + ttlMs }],
      };
      const answer: EtcdReply = { type: 'granted', id, lease, ttlSeconds, sentMs: message.sentMs };
      return [granted, [save(granted), send(client, answer)]];
    }
    case 'keep-alive': {
      const { lease, sentMs } = message;
      const place = placeOf(lease, state.leases, idOf);
      const held = state.leases[place];
      if (held?.id !== lease) return reply(state, { type: 'kept-alive', id, lease, ttlSeconds: 0, sentMs });
      const leases = state.leases.with(place, { ...held, expiresMs: nowMs + held.ttlMs });
      return reply(
        { ...state, leases },
        { type: 'kept-alive', id, lease, ttlSeconds: held.ttlMs / 1000, sentMs },
      );
    }
    case 'revoke': {
      if (!isHeld(state, message.lease)) return reply(state, leaseNotFound(id));
      const [revoked, effects] = endLeases(state, [message.lease]);
      return [revoked, [...effects, send(client, { type: 'revoked', id })]];
    }
    case 'txn':
    case 'audit':
      return transact(state, client, message);
    case 'watch':
      return watch(state, client, message);
    case 'cancel-watch': {
      const watches = state.watches.filter((each) => each.client !== client || each.id !== id);
      // A real server says nothing about a watch that it does not have.
      if (watches.length === state.watches.length) return [state, []];
      return reply({ ...state, watches }, { type: 'watch-cancelled', id });
    }
  }
}

// ---- Transactions -------------------------------------------------------------------------------------

function transact(
  state: SimulatedEtcdState,
  client: NodeId,
  request: Extract<EtcdRequest, { type: 'txn' | 'audit' }>,
): ServerTransition {
  const succeeded = request.compare.every((comparison) => holds(state, comparison));
  const operations = succeeded ? request.success : request.failure;
  const unknownLease = operations.some(
    (operation) => operation.type === 'put' && operation.lease !== '0' && !isHeld(state, operation.lease),
  );
  if (unknownLease) return [state, [send(client, leaseNotFound(request.id))]];
  let written = state;
  const found: (readonly KeyValue[])[] = [];
  for (const operation of operations) {
    found.push(read(written, operation));
    // All writes of a transaction have one revision, and those after them in it see them.
    written = write(written, operation, state.revision + 1);
  }
  const revision = written.revision.toString();
  const result: TransactionResult = { succeeded, revision, clusterId, found };
  const answer: EtcdReply = {
    type: request.type === 'audit' ? 'audited' : 'txn-done',
    id: request.id,
    ...result,
  };
  if (written === state) return [state, [send(client, answer)]];
  return [written, [save(written), send(client, answer), ...tellWatchers(state, written)]];
}

function holds(state: SimulatedEtcdState, { key, target, revision }: Comparison): boolean {
  const present = find(state, key);
  const actual = target === 'create' ? present?.createRevision : present?.modRevision;
  return (actual ?? '0') === revision;
}

function read(state: SimulatedEtcdState, operation: Operation): readonly KeyValue[] {
  if (operation.type === 'get') {
    const found = find(state, operation.key);
    return found === undefined ? [] : [found];
  }
  return operation.type === 'range' ? readRange(state.keys, operation) : [];
}

/** From one end, and no further than asked. */
function readRange(
  keys: readonly KeyValue[],
  { prefix, order, limit, createdBefore }: Extract<Operation, { type: 'range' }>,
): readonly KeyValue[] {
  const end = createdBefore === undefined ? keys.length : placeOf(createdBefore, keys, createdAt);
  const found: KeyValue[] = [];
  for (let passed = 0; passed < end && (limit === 0 || found.length < limit); passed += 1) {
    const each = keys[order === 'oldest' ? passed : end - 1 - passed]!;
    if (each.key.startsWith(prefix)) found.push(each);
  }
  return found;
}

function write(state: SimulatedEtcdState, operation: Operation, at: number): SimulatedEtcdState {
  if (operation.type !== 'put' && operation.type !== 'delete') return state;
  const { key } = operation;
  const place = state.keys.findIndex((each) => each.key === key);
  const revision = at.toString();
  if (operation.type === 'put') {
    const { value, lease } = operation;
    const createRevision = state.keys[place]?.createRevision ?? revision;
    const put: KeyValue = { key, value, lease, createRevision, modRevision: revision };
    const keys = place === -1 ? [...state.keys, put] : state.keys.with(place, put);
    return remember({ ...state, keys }, { type: 'put', key, revision, value, createRevision, lease }, at);
  }
  if (place === -1) return state;
  return remember({ ...state, keys: state.keys.toSpliced(place, 1) }, { type: 'delete', key, revision }, at);
}

function remember(state: SimulatedEtcdState, change: Change, revision: number): SimulatedEtcdState {
  const remembering: SimulatedEtcdState = { ...state, revision, history: [...state.history, change] };
  const excess = remembering.history.length - state.settings.historyLength;
  return excess <= 0 ? remembering : compact(remembering, Number(remembering.history[excess - 1]?.revision));
}

function compact(state: SimulatedEtcdState, revision: number): SimulatedEtcdState {
  const compacted = Math.max(state.compacted, revision);
  return {
    ...state,
    compacted,
    history: state.history.filter((change) => Number(change.revision) > compacted),
  };
}

// ---- Watches ------------------------------------------------------------------------------------------

function watch(
  state: SimulatedEtcdState,
  client: NodeId,
  { id, key, prefix, fromRevision }: Extract<EtcdRequest, { type: 'watch' }>,
): ServerTransition {
  const watching = send(client, { type: 'watching', id });
  if (Number(fromRevision) <= state.compacted) {
    return [state, [watching, send(client, { type: 'watch-lost', id, reason: 'compacted' })]];
  }
  const added: ServerWatch = { client, id, key, prefix };
  const others = state.watches.filter((each) => each.client !== client || each.id !== id);
  const missed = state.history.filter(
    (change) => Number(change.revision) >= Number(fromRevision) && concerns(added, change),
  );
  return [
    { ...state, watches: [...others, added] },
    missed.length === 0 ? [watching] : [watching, send(client, { type: 'changed', id, changes: missed })],
  ];
}

const concerns = ({ key, prefix }: ServerWatch, change: Change): boolean =>
  prefix ? change.key.startsWith(key) : change.key === key;

/** Each watch hears of all that one write changed in one message. */
function tellWatchers(before: SimulatedEtcdState, after: SimulatedEtcdState): ServerEffect[] {
  const known = after.history.findLastIndex(({ revision }) => Number(revision) <= before.revision);
  const fresh = after.history.slice(known + 1);
  return after.watches.flatMap((each) => {
    const changes = fresh.filter((change) => concerns(each, change));
    return changes.length === 0 ? [] : [send(each.client, { type: 'changed', id: each.id, changes })];
  });
}

// ---- Leases and time ----------------------------------------------------------------------------------

/** A revocation is a write of its own: each lease's keys go at one revision. */
function endLeases(state: SimulatedEtcdState, ended: readonly LeaseId[]): ServerTransition {
  let after = state;
  for (const lease of ended) {
    const at = after.revision + 1;
    const bound = after.keys.filter((each) => each.lease === lease);
    after = { ...after, leases: after.leases.filter(({ id }) => id !== lease) };
    for (const { key } of bound) after = write(after, { type: 'delete', key }, at);
  }
  return [after, [save(after), ...tellWatchers(state, after)]];
}

function onTimer(state: SimulatedEtcdState, timer: SimulatedEtcdTimer, nowMs: number): ServerTransition {
  const { expiryCheckMs } = state.settings;
  switch (timer) {
    case 'expiry': {
      const again: ServerEffect = {
        type: 'set-timer',
        timer,
        delayMs: [expiryCheckMs, expiryCheckMs],
      };
      const expired = state.leases.flatMap(({ id, expiresMs }) => (expiresMs <= nowMs ? [id] : []));
      if (expired.length === 0 || !state.available) return [state, [again]];
      const [after, effects] = endLeases(state, expired);
      return [after, [again, ...effects]];
    }
    case 'failure':
      return failLeader(state);
    case 'election':
      return takeOver(state, nowMs);
  }
}

function failLeader(state: SimulatedEtcdState): ServerTransition {
  return [
    { ...state, available: false },
    [
      { type: 'set-timer', timer: 'election', delayMs: state.settings.electionMs },
      { type: 'cancel-timer', timer: 'failure' },
    ],
  ];
}

function restart(state: SimulatedEtcdState, durable: SimulatedEtcdDurable, nowMs: number): ServerTransition {
  if (!state.settings.losesDataOnRestart) return takeOver({ ...state, ...durable, watches: [] }, nowMs);
  // Lease ids are chosen at random, so none comes twice.
  const empty: SimulatedEtcdState = { ...initialState(state.settings), nextLease: durable.nextLease };
  const [begun, effects] = takeOver(empty, nowMs);
  return [begun, [save(begun), ...effects]];
}

/** A new leader does not know when leases were renewed last, and gives each its full time again. */
function takeOver(state: SimulatedEtcdState, nowMs: number): ServerTransition {
  const leases = state.leases.map((lease) => ({ ...lease, expiresMs: nowMs + lease.ttlMs }));
  return [{ ...state, available: true, leases }, startTimers(state)];
}

function startTimers({ settings }: SimulatedEtcdState): ServerEffect[] {
  const { expiryCheckMs, leaderFailsEveryMs } = settings;
  const expiry: ServerEffect = { type: 'set-timer', timer: 'expiry', delayMs: [0, expiryCheckMs] };
  return leaderFailsEveryMs === null
    ? [expiry]
    : [expiry, { type: 'set-timer', timer: 'failure', delayMs: leaderFailsEveryMs }];
}

// ---- Small words --------------------------------------------------------------------------------------

const idOf = ({ id }: Lease): LeaseId => id;
const createdAt = ({ createRevision }: KeyValue): Revision => createRevision;

/** Where the first item stands whose number is not below this one, of items in the order of their numbers. */
function placeOf<Item>(number: string, items: readonly Item[], numberOf: (item: Item) => string): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(number, numberOf(items[middle]!))) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isHeld = ({ leases }: SimulatedEtcdState, lease: LeaseId): boolean =>
  leases[placeOf(lease, leases, idOf)]?.id === lease;

const find = ({ keys }: SimulatedEtcdState, key: string): KeyValue | undefined =>
  keys.find((each) => each.key === key);

const leaseNotFound = (id: number): EtcdReply => ({
  type: 'failed',
  id,
  reason: 'lease-not-found',
  detail: 'requested lease not found',
});

function save({ revision, compacted, keys, history, leases, nextLease }: SimulatedEtcdState): ServerEffect {
  return { type: 'save', durable: { revision, compacted, keys, history, leases, nextLease } };
}

const send = (to: NodeId, message: EtcdReply): ServerEffect => ({ type: 'send', to, message });
