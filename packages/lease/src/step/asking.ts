/** What a node asks of the store. No rule is in here: only who asks for what, and what is then awaited. */

import { setTimer } from '@hustings/elector/protocol';
import type { LeaseRequest } from '../messages.js';
import { change, type LeaseState, type OwnLease, type Phase, renewalMs } from '../state.js';
import { type LeaseEffect, type LeaseTransition, toStore } from '../transition.js';

/**
 * Sends what the phase waits for, and again when no answer comes. Each is safe to repeat. A look that is on its way may
 * find less than this does, and is no longer wanted.
 */
export function ask(state: LeaseState, nowMs: number): LeaseTransition {
  const id = state.nextId;
  return [
    change(state, { request: id, nextId: id + 1, hinted: false, look: null }),
    [toStore(state, requestOf(state, id, nowMs)), setTimer('request', state.settings.requestTimeoutMs)],
  ];
}

/** No answer came. */
export const askAgain = (state: LeaseState, nowMs: number): LeaseTransition =>
  state.request === null ? [state, []] : ask(state, nowMs);

function requestOf(state: LeaseState, id: number, sentMs: number): LeaseRequest {
  const { phase, settings, holder, own, over } = state;
  const { name, ttlMs } = settings;
  if (phase === 'acquiring') {
    return own === null
      ? { type: 'acquire', id, name, holder, ttlMs, over, sentMs }
      : { type: 'renew', id, name, holder, token: own.token, ttlMs, sentMs };
  }
  // A release names its token, so that one which arrives late cannot end a later lease. Where the answer with the
  // token is still to come, it is looked up.
  return own === null ? { type: 'read', id, name } : { type: 'release', id, name, holder, token: own.token };
}

const lookers: ReadonlySet<Phase> = new Set(['following', 'waiting', 'leading']);

/** Asks who has the lease; whoever is asking for it already, or has it without leading, hears of that soon enough. */
export function look(state: LeaseState): LeaseTransition {
  if (!lookers.has(state.phase)) return [state, []];
  const id = state.nextId;
  const { name } = state.settings;
  return [
    change(state, { look: id, nextId: id + 1 }),
    [toStore(state, { type: 'read', id, name }), nextLook(state)],
  ];
}

/** Who waits, or only watches, learns who leads as often as leases are renewed; so no hint that was lost does harm. */
export const nextLook = ({ settings }: LeaseState): LeaseEffect => setTimer('look', renewalMs(settings));

/** Asks for hints, in place of those that were asked for before. */
export function watch(state: LeaseState): LeaseTransition {
  const id = state.nextId;
  const { name } = state.settings;
  return [
    change(state, { watch: id, nextId: id + 1, suspicious: false }),
    [toStore(state, { type: 'watch', id, name })],
  ];
}

export function renew(state: LeaseState, nowMs: number): LeaseTransition {
  const { settings, holder, own, nextId: id } = state;
  if (own === null) return [state, []];
  const { name, ttlMs } = settings;
  return [
    change(state, { nextId: id + 1, renewal: id }),
    [
      toStore(state, { type: 'renew', id, name, holder, token: own.token, ttlMs, sentMs: nowMs }),
      // Several attempts fit into what is left of the lease.
      setTimer('renew', ttlMs / 10),
    ],
  ];
}

export const nextRenewal = (
  { settings }: LeaseState,
  { sentMs, validForMs }: OwnLease,
  nowMs: number,
): LeaseEffect => setTimer('renew', Math.max(0, sentMs + settings.renewAfter * validForMs - nowMs));

export const suspect = (state: LeaseState): LeaseState =>
  state.suspicious ? state : change(state, { suspicious: true });
