/** Leading: what must be known before it begins, how it goes on, and what ends it. */

import { andThen, cancelTimer } from '@hustings/elector/protocol';
import type { LeaseReply, LeaseView } from '../messages.js';
import { change, deadlineMs, type LeaseState, type OwnLease } from '../state.js';
import { tell } from '../tell.js';
import type { LeaseTransition } from '../transition.js';
import { ask, nextRenewal, renew, suspect } from './asking.js';
import { isOwnAgain, isUnseen, onDataLost } from './data-loss.js';
import { forgetLease, leave, onLeft, stepDown } from './leaving.js';
import { acquire } from './standing.js';

/**
 * This process has the lease. Leads if enough of it is left and its token is new; else asks for more time, for another
 * token, or refuses.
 */
export function takeLead(state: LeaseState, own: OwnLease, nowMs: number): LeaseTransition {
  const owner: LeaseState = change(state, { own, other: null, over: null });
  if (isOwnAgain(state, own.token)) return leave(change(owner, { formerOwn: '0' }), nowMs);
  if (!isUnseen(state, own.token)) return refuse(owner, own, nowMs);
  if (deadlineMs(state, own) <= nowMs) return ask(change(owner, { phase: 'acquiring' }), nowMs);
  const leader: LeaseState = change(owner, {
    phase: 'leading',
    told: 'leading',
    floor: own.token,
    formerOwn: own.token,
    dataLost: false,
    request: null,
  });
  return andThen([leader, [cancelTimer('request'), cancelTimer('due')]], (begun) =>
    extend(begun, own, nowMs),
  );
}

/** The time that is certain, and the next renewal. */
function extend(state: LeaseState, own: OwnLease, nowMs: number): LeaseTransition {
  const validForMs = deadlineMs(state, own) - nowMs;
  const renewal = nextRenewal(state, own, nowMs);
  return [
    state,
    validForMs > 0 ? [{ type: 'lead', token: BigInt(own.token), validForMs }, renewal] : [renewal],
  ];
}

/** Keeps the lease, and so lets nobody else lead. */
function refuse(state: LeaseState, own: OwnLease, nowMs: number): LeaseTransition {
  const refusing: LeaseState = change(state, { phase: 'refusing', request: null });
  return andThen(
    [refusing, [cancelTimer('request'), cancelTimer('due'), nextRenewal(state, own, nowMs)]],
    (refuser) => onDataLost(refuser, `it gives this node token ${own.token} after ${state.floor}`),
    tell,
  );
}

/** A clock passes every token in time, and so another may be high enough. For a counter a person has to decide. */
export function onRenewalDue(state: LeaseState, nowMs: number): LeaseTransition {
  const isCuredByTime = state.phase === 'refusing' && state.settings.store.tokens === 'clock';
  if (isCuredByTime) return leave(state, nowMs);
  return renew(state.renewal === null ? state : suspect(state), nowMs);
}

export function onRenewed(
  state: LeaseState,
  { token, validForMs, sentMs }: Extract<LeaseReply, { type: 'renewed' }>,
  nowMs: number,
): LeaseTransition {
  const { own, phase } = state;
  if (own?.token !== token || sentMs < own.sentMs) return [state, []];
  const renewed: OwnLease = { token, validForMs, sentMs };
  switch (phase) {
    case 'leading':
      return extend(change(state, { own: renewed, renewal: null }), renewed, nowMs);
    case 'acquiring':
    case 'refusing':
      return takeLead(change(state, { renewal: null }), renewed, nowMs);
    default:
      return [state, []];
  }
}

/** The store has given the lease to somebody else, or has forgotten it. Under this token it never comes back. */
export function onLost(state: LeaseState, token: string, nowMs: number): LeaseTransition {
  if (state.own?.token !== token) return [state, []];
  switch (state.phase) {
    case 'leading':
      return andThen(stepDown(state, 'session-lost'), forgetLease, tell);
    case 'leaving':
      return onLeft(state, nowMs);
    default:
      return andThen(forgetLease(state), (former) => acquire(former, nowMs));
  }
}

/** A leader has looked. What it had when it asked, and has no longer, it has lost. */
export function confirm(state: LeaseState, lease: LeaseView | null): LeaseTransition {
  const isOwn = lease !== null && lease.holder === state.holder && lease.token === state.own?.token;
  const isUnclear = lease !== null && lease.holder === null;
  return isOwn || isUnclear ? [state, []] : andThen(stepDown(state, 'deposed'), forgetLease, tell);
}
