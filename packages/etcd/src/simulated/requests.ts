/** What clients ask for: leases, transactions and watches. */

import type { NodeId } from '@hustings/elector';
import { send } from '@hustings/elector/protocol';
import type { Change, EtcdReply, EtcdRequest, KeyValue, TransactionResult } from '../messages.js';
import { endLeases, idOf, isHeld } from './leases.js';
import {
  change,
  type ServerEffect,
  type ServerTransition,
  type ServerWatch,
  type SimulatedEtcdState,
  save,
} from './state.js';
import { holds, placeOf, read, write } from './store.js';

export function onRequest(
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
      const granted = change(state, {
        nextLease: state.nextLease + 1,
        leases: [...state.leases, { id: lease, ttlMs, expiresMs: nowMs + ttlMs }],
      });
      const answer: EtcdReply = { type: 'granted', id, lease, ttlSeconds, sentMs: message.sentMs };
      return [granted, [save(granted), send(client, answer)]];
    }
    case 'keep-alive': {
      const { lease, sentMs } = message;
      const place = placeOf(lease, state.leases, idOf);
      const held = state.leases[place];
      if (held?.id !== lease) return reply(state, { type: 'kept-alive', id, lease, ttlSeconds: 0, sentMs });
      const { ttlMs } = held;
      const leases = state.leases.with(place, { id: lease, ttlMs, expiresMs: nowMs + ttlMs });
      return reply(change(state, { leases }), {
        type: 'kept-alive',
        id,
        lease,
        ttlSeconds: ttlMs / 1000,
        sentMs,
      });
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
      return reply(change(state, { watches }), { type: 'watch-cancelled', id });
    }
  }
}

/** It does not change when data are lost: a real one is made of names and addresses. */
const clusterId = '1';

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
  const unknownKey = operations.some(
    (operation) => operation.type === 'touch' && read(state, { ...operation, type: 'get' }).length === 0,
  );
  if (unknownKey) return [state, [send(client, keyNotFound(request.id))]];
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
  const [told, effects] = tellWatchers(state, written);
  return [told, [save(told), send(client, answer), ...effects]];
}

function watch(
  state: SimulatedEtcdState,
  client: NodeId,
  { id, key, prefix, fromRevision }: Extract<EtcdRequest, { type: 'watch' }>,
): ServerTransition {
  const watching = send(client, { type: 'watching', id });
  if (Number(fromRevision) <= state.compacted) {
    return [state, [watching, send(client, { type: 'watch-lost', id, reason: 'compacted' })]];
  }
  const added: ServerWatch = { client, id, key, prefix, told: 0 };
  const others = state.watches.filter((each) => each.client !== client || each.id !== id);
  const missed = state.history.filter(
    (change) => Number(change.revision) >= Number(fromRevision) && concerns(added, change),
  );
  if (missed.length === 0) return [change(state, { watches: [...others, added] }), [watching]];
  return [
    change(state, { watches: [...others, { ...added, told: 1 }] }),
    [watching, send(client, { type: 'changed', id, changes: missed, number: 1 })],
  ];
}

const concerns = ({ key, prefix }: ServerWatch, change: Change): boolean =>
  prefix ? change.key.startsWith(key) : change.key === key;

/** Each watch hears of all that one write changed in one message. */
export function tellWatchers(before: SimulatedEtcdState, after: SimulatedEtcdState): ServerTransition {
  const known = after.history.findLastIndex(({ revision }) => Number(revision) <= before.revision);
  const fresh = after.history.slice(known + 1);
  const effects: ServerEffect[] = [];
  const watches = after.watches.map((each) => {
    const changes = fresh.filter((change) => concerns(each, change));
    if (changes.length === 0) return each;
    const { client, id, key, prefix, told } = each;
    effects.push(send(client, { type: 'changed', id, changes, number: told + 1 }));
    return { client, id, key, prefix, told: told + 1 };
  });
  return [effects.length === 0 ? after : change(after, { watches }), effects];
}

const leaseNotFound = (id: number): EtcdReply => ({
  type: 'failed',
  id,
  reason: 'lease-not-found',
  detail: 'requested lease not found',
});

const keyNotFound = (id: number): EtcdReply => ({
  type: 'failed',
  id,
  reason: 'refused',
  detail: 'etcdserver: key not found',
});
