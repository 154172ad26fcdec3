/** What elections write: a few at once, and answered when the copy shows it. */

import { andThen } from '@hustings/elector/protocol';
import { find, put, remove } from '@hustings/elector/sessions';
import {
  type EtcdReply,
  type EtcdRequest,
  isDefiniteFailure,
  type KeyValue,
  type LeaseId,
  type Operation,
  type Transaction,
} from '../messages.js';
import { setTopic } from './copy.js';
import { endShare, loseLease, withdraw } from './leases.js';
import {
  deliver,
  keyOf,
  type Local,
  leaseNamedBy,
  leaseOf,
  type SharedState,
  type SharedTransition,
  toServer,
  type Write,
} from './state.js';

const changes = ({ type }: Operation): boolean => type === 'put' || type === 'delete';

export const writesSomething = ({ success, failure }: Transaction): boolean =>
  success.some(changes) || failure.some(changes);

type Asked = Extract<EtcdRequest, { type: 'txn' | 'audit' }>;

export function write(
  state: SharedState,
  election: string,
  local: Local,
  { type, id, ...transaction }: Asked,
  nowMs: number,
): SharedTransition {
  const operations = [...transaction.success, ...transaction.failure];
  const puts = operations.filter((operation) => operation.type === 'put');
  if (puts.some(({ lease }) => lease !== '0' && lease !== local.share?.id)) {
    const detail = 'requested lease not found';
    return [state, [deliver(election, { type: 'failed', id, reason: 'lease-not-found', detail })]];
  }
  const bound = {
    compare: transaction.compare,
    success: transaction.success.map(bindToLease),
    failure: transaction.failure.map(bindToLease),
  };
  const share = local.share === null || puts.length === 0 ? local.share : { ...local.share, hasKey: true };
  return enqueue(state, election, { ...local, share }, { type, id, transaction: bound }, nowMs);
}

const bindToLease = (operation: Operation): Operation =>
  operation.type === 'put' && operation.lease !== '0'
    ? { ...operation, lease: leaseOf(operation.lease) }
    : operation;

/**
 * The election gives its share back: its key goes, and the lease stays. A put that is still on its way may arrive after
 * this, and is then deleted when it is seen: no other candidacy will ever have a key of this name.
 */
export function leave(
  state: SharedState,
  election: string,
  local: Local,
  { id, lease: share }: Extract<EtcdRequest, { type: 'revoke' }>,
  nowMs: number,
): SharedTransition {
  const isOwn = local.share?.id === share;
  const left = isOwn ? endShare(state, share) : state;
  const key = keyOf(state.settings, election, share);
  const writes = local.writes.filter((each) => each.sentAs !== null || !putsKey(each, key));
  const without: Local = { ...local, share: isOwn ? null : local.share, writes };
  if (isOwn && local.share?.hasKey === false) {
    return [
      { ...left, locals: put(left.locals, election, without) },
      [deliver(election, { type: 'revoked', id })],
    ];
  }
  return enqueue(left, election, without, { type: 'revoke', id, transaction: deletion(key) }, nowMs);
}

const putsKey = ({ transaction }: Write, key: string): boolean =>
  transaction.success.some((operation) => operation.type === 'put' && operation.key === key);

/** Succeeds without a change where there is nothing to delete. */
export const deletion = (key: string): Transaction => ({
  compare: [{ key, target: 'create', revision: '0' }],
  success: [],
  failure: [{ type: 'delete', key }],
});

/** The election is over here. Nobody waits for an answer. */
export function close(state: SharedState, election: string): SharedTransition {
  const local = find(state.locals, election);
  if (local === undefined) return [state, []];
  const { share } = local;
  const closed: SharedState = {
    ...withdraw(state, local),
    locals: remove(state.locals, election),
    queue: state.queue.filter((name) => name !== election),
  };
  if (share === null) return [closed, []];
  const after = endShare(closed, share.id);
  return share.hasKey ? deleteKey(after, keyOf(state.settings, election, share.id)) : [after, []];
}

export function deleteKey(state: SharedState, key: string): SharedTransition {
  const id = state.nextId;
  return [{ ...state, nextId: id + 1 }, [toServer({ type: 'txn', id, ...deletion(key) })]];
}

// ---- In turn -------------------------------------------------------------------------------------------

/** What is asked once more is not done twice, unless it has been on its way for too long. */
function enqueue(
  state: SharedState,
  election: string,
  local: Local,
  { type, id, transaction }: Pick<Write, 'type' | 'id' | 'transaction'>,
  nowMs: number,
): SharedTransition {
  const text = JSON.stringify(transaction);
  const place = local.writes.findIndex(
    (each) => each.type === type && JSON.stringify(each.transaction) === text,
  );
  const earlier = local.writes[place];
  const isOnItsWay =
    earlier !== undefined &&
    earlier.sentAs !== null &&
    nowMs - earlier.sentMs < state.settings.requestTimeoutMs &&
    state.sent.some((each) => each.id === earlier.sentAs);
  const again: Write = isOnItsWay ? { ...earlier, id } : { type, id, transaction, sentAs: null, sentMs: 0 };
  const writes = place === -1 ? [...local.writes, again] : local.writes.with(place, again);
  const isQueued = local.writes.some(({ sentAs }) => sentAs === null) && state.queue.includes(election);
  const queue = isOnItsWay || isQueued ? state.queue : [...state.queue, election];
  return sendNext({ ...state, locals: put(state.locals, election, { ...local, writes }), queue }, nowMs);
}

function sendNext(state: SharedState, nowMs: number): SharedTransition {
  const { requestTimeoutMs } = state.settings;
  // Whoever still waits for one of these has asked again.
  const sent = state.sent.filter(({ sentMs }) => nowMs - sentMs < 2 * requestTimeoutMs);
  const election = state.queue[0];
  if (election === undefined || sent.length >= state.window) return [{ ...state, sent }, []];
  return andThen(sendAllOf({ ...state, sent, queue: state.queue.slice(1) }, election, nowMs), (after) =>
    sendNext(after, nowMs),
  );
}

function sendAllOf(state: SharedState, election: string, nowMs: number): SharedTransition {
  const local = find(state.locals, election);
  if (local === undefined) return [state, []];
  let id = state.nextId;
  const unsent = new Map(
    local.writes.filter(({ sentAs }) => sentAs === null).map((each) => [each, id++] as const),
  );
  const writes = local.writes.map((each) => {
    const sentAs = unsent.get(each);
    return sentAs === undefined ? each : { ...each, sentAs, sentMs: nowMs };
  });
  const sent = [...unsent.values()].map((each) => ({ id: each, election, sentMs: nowMs }));
  return [
    {
      ...state,
      locals: put(state.locals, election, { ...local, writes }),
      sent: [...state.sent, ...sent],
      nextId: id,
    },
    [...unsent].map(([{ transaction }, each]) =>
      toServer({ type: 'txn', id: each, ...withElection(state, election, transaction) }),
    ),
  ];
}

// ---- Answers -------------------------------------------------------------------------------------------

/** The same, and in either case all keys of the election as they are then. */
function withElection(
  { settings }: SharedState,
  election: string,
  { compare, success, failure }: Transaction,
): Transaction {
  const prefix = `${settings.prefix}${election}/`;
  const all: Operation = { type: 'range', prefix, order: 'oldest', limit: 0 };
  return { compare, success: [...success, all], failure: [...failure, all] };
}

const widened = (state: SharedState): SharedState => ({
  ...state,
  window: Math.min(state.window + 1, state.settings.writesAtOnce),
});

/** An etcd that is too busy to answer in time would be busier still with all of it again. */
const narrowed = (state: SharedState, id: number): SharedState =>
  state.sent.some((each) => each.id === id)
    ? { ...state, window: Math.max(1, Math.floor(state.window / 2)) }
    : state;

type Done = Extract<EtcdReply, { type: 'txn-done' | 'audited' }>;

export function onWritten(state: SharedState, done: Done, nowMs: number): SharedTransition {
  const { taken, after } = takeWrite(widened(state), done.id);
  if (taken === null) return sendNext(after, nowMs);
  const { election, asked } = taken;
  const found = done.found.map((keys) => keys.map(named));
  const reply: EtcdReply =
    asked.type === 'revoke'
      ? { type: 'revoked', id: asked.id }
      : {
          ...done,
          type: asked.type === 'audit' ? 'audited' : 'txn-done',
          id: asked.id,
          found: found.slice(0, -1),
        };
  return andThen(
    setTopic(after, election, found.at(-1) ?? [], done.revision),
    (shown) => [shown, [deliver(election, reply)]],
    (told) => sendNext(told, nowMs),
  );
}

interface Taken {
  /** Null where nobody waits for it any more. */
  readonly taken: { readonly election: string; readonly asked: Write } | null;
  readonly after: SharedState;
}

function takeWrite(state: SharedState, id: number): Taken {
  const election = state.sent.find((each) => each.id === id)?.election;
  const local = election === undefined ? undefined : find(state.locals, election);
  const asked = local?.writes.find(({ sentAs }) => sentAs === id);
  const after = { ...state, sent: state.sent.filter((each) => each.id !== id) };
  if (election === undefined || local === undefined || asked === undefined) return { taken: null, after };
  const writes = local.writes.filter((each) => each !== asked);
  const locals = put(state.locals, election, { ...local, writes });
  return { taken: { election, asked }, after: { ...after, locals } };
}

export const named = (found: KeyValue): KeyValue => ({
  ...found,
  lease: leaseNamedBy(found.key, found.lease),
});

export function onWriteFailed(
  state: SharedState,
  { id, reason, detail }: Extract<EtcdReply, { type: 'failed' }>,
  nowMs: number,
): SharedTransition {
  const { taken, after } = takeWrite(isDefiniteFailure(reason) ? state : narrowed(state, id), id);
  if (taken === null) return sendNext(after, nowMs);
  const { election, asked } = taken;
  const failed = deliver(election, { type: 'failed', id: asked.id, reason, detail });
  const lease = reason === 'lease-not-found' ? leaseIn(asked) : null;
  return andThen(
    [after, [failed]],
    (told) => (lease === null ? [told, []] : loseLease(told, lease, nowMs)),
    (told) => sendNext(told, nowMs),
  );
}

function leaseIn({ transaction: { success, failure } }: Write): LeaseId | null {
  for (const operation of [...success, ...failure]) if (operation.type === 'put') return operation.lease;
  return null;
}
