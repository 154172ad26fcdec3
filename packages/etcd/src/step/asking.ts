/** What a node asks of etcd. No rule is in here: only who asks for what, and what is then awaited. */

import { setTimer, sign } from '@hustings/elector/protocol';
import { prefixOf } from '../keys.js';
import type { Comparison, EtcdRequest, Operation, Revision, Transaction } from '../messages.js';
import { next } from '../revisions.js';
import { change, type EtcdState, renewalMs, type Session } from '../state.js';
import { type EtcdEffect, type EtcdTransition, toCoordinator } from '../transition.js';
import { watchable } from '../view.js';

/** Sends what the phase waits for, and again when no answer comes. Each is safe to repeat. */
export function ask(state: EtcdState, nowMs: number): EtcdTransition {
  const id = state.nextId;
  return [
    change(state, { request: id, requestedMs: nowMs, nextId: id + 1 }),
    [toCoordinator(state, requestOf(state, id, nowMs)), setTimer('request', state.settings.requestTimeoutMs)],
  ];
}

/** No answer came. */
export const askAgain = (state: EtcdState, nowMs: number): EtcdTransition =>
  state.request === null ? [state, []] : ask(state, nowMs);

/** What is awaited in granting, which has no session yet, in joining and in leaving. */
function requestOf(state: EtcdState, id: number, nowMs: number): EtcdRequest {
  const { phase, settings, session } = state;
  if (session === null) return { type: 'grant', id, ttlSeconds: settings.ttlSeconds, sentMs: nowMs };
  if (phase === 'joining') return { type: 'txn', id, ...joining(state, session) };
  // With the lease the key goes as well, and an attempt to put it that is still on its way comes to nothing.
  return { type: 'revoke', id, lease: session.lease };
}

/** Puts the own key unless it is there. Safe to repeat: a put whose answer was lost is found by the next. */
export function joining(state: EtcdState, { key, lease }: Session): Transaction {
  const get: Operation = { type: 'get', key };
  return {
    compare: [{ key, target: 'create', revision: '0' }],
    success: [{ type: 'put', key, value: sign(state), lease }, get],
    failure: [get],
  };
}

/** Asks how the election stands. An answer to an earlier look is no longer wanted. */
export function look(
  state: EtcdState,
  type: 'txn' | 'audit' = 'txn',
  transaction: Transaction = looking(state),
): EtcdTransition {
  const id = state.nextId;
  return [
    change(state, { look: id, seenAtLook: state.seen, nextId: id + 1 }),
    [toCoordinator(state, { type, id, ...transaction }), setTimer('look', state.settings.requestTimeoutMs)],
  ];
}

/** An answer that is on its way will do, unless it turns out to be older than what made us ask: onView sees to that. */
export const lookUnlessAsked = (state: EtcdState, type: 'txn' | 'audit' = 'txn'): EtcdTransition =>
  state.look === null ? look(state, type) : [state, []];

/**
 * Asks who leads, who is before this node, and whether its own key is still there, in one transaction: what it
 * finds was true at one moment, so a node that finds itself first has been confirmed as well.
 */
export function looking({ settings, session, ownRevision, observed, crowded }: EtcdState): Transaction {
  if (settings.succession === 'race') {
    return { compare: [], success: [{ type: 'get', key: settings.name }], failure: [] };
  }
  const prefix = prefixOf(settings);
  const compare: Comparison[] =
    session === null || ownRevision === null
      ? []
      : [{ key: session.key, target: 'create', revision: ownRevision }];
  // Whoever is observed goes on from here by events, and must know all who may come to lead.
  const isWhole = observed || crowded;
  const first: Operation = { type: 'range', prefix, order: 'oldest', limit: isWhole ? 0 : 1 };
  if (isWhole || ownRevision === null) return { compare, success: [first], failure: [first] };
  const before: Operation = { type: 'range', prefix, order: 'newest', limit: 1, createdBefore: ownRevision };
  return { compare, success: [first, before], failure: [first] };
}

/** Watches what matters now, and that alone. The new watch is asked for first, so that nothing falls between. */
export function watchAfter(state: EtcdState, revision: Revision): EtcdTransition {
  const { watch: present, suspicious, nextId: id } = state;
  const wanted = watchable(state);
  // A prefix ends in a slash and no key does, so one name means one watch.
  if (!suspicious && present?.key === wanted?.key) return [state, []];
  const effects: EtcdEffect[] = [];
  if (wanted !== null) {
    const fromRevision = next(revision);
    effects.push(toCoordinator(state, { type: 'watch', id, ...wanted, fromRevision }));
  }
  if (present !== null) effects.push(toCoordinator(state, { type: 'cancel-watch', id: present.id }));
  const watch = wanted === null ? null : { id, ...wanted };
  return [change(state, { watch, nextId: id + 1, suspicious: false }), effects];
}

export function sendKeepAlive(state: EtcdState, { lease, ttlMs }: Session, nowMs: number): EtcdTransition {
  const id = state.nextId;
  return [
    change(state, { nextId: id + 1, renewing: true }),
    [
      toCoordinator(state, { type: 'keep-alive', id, lease, sentMs: nowMs }),
      // Several attempts fit into what is left of the lease.
      setTimer('keep-alive', ttlMs / 10),
    ],
  ];
}

export const nextKeepAlive = (state: EtcdState, session: Session, nowMs: number): EtcdEffect =>
  setTimer('keep-alive', Math.max(0, session.renewedMs + renewalMs(state, session) - nowMs));

/** Who waits learns who leads as often as it renews its lease; and an event that went missing does no more harm. */
export const nextAudit = (state: EtcdState): EtcdEffect => setTimer('audit', renewalMs(state, state.session));

/** Nobody waits for the answer. */
export function revoke(state: EtcdState, lease: string): EtcdTransition {
  const id = state.nextId;
  return [change(state, { nextId: id + 1 }), [toCoordinator(state, { type: 'revoke', id, lease })]];
}

export const suspect = (state: EtcdState): EtcdState =>
  state.suspicious ? state : change(state, { suspicious: true });
