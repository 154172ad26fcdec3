/** Standing and waiting: when the lease is asked for, and when again. */

import { andThen, cancelTimer, setTimer } from '@hustings/elector/protocol';
import type { LeaseReply, LeaseView } from '../messages.js';
import { change, dueMs, type LeaseState, type OthersLease } from '../state.js';
import { tell } from '../tell.js';
import type { LeaseTransition } from '../transition.js';
import { ask, look, nextLook, suspect, watch } from './asking.js';
import { releaseDead } from './certificates.js';
import { rememberLeader } from './data-loss.js';
import { confirm, takeLead } from './leading.js';
import { found, giveBack, onLeaseFound } from './leaving.js';

export function start(state: LeaseState): LeaseTransition {
  return andThen(watch(state), look);
}

/** Asks for the lease, unless this node is at it already or must give something back first. */
export function stand(state: LeaseState, nowMs: number): LeaseTransition {
  if (state.phase !== 'following' || !state.standing || !state.healthy) return [state, []];
  return acquire(state, nowMs);
}

export function acquire(state: LeaseState, nowMs: number, over: string | null = null): LeaseTransition {
  return andThen(tell(change(state, { phase: 'acquiring', over })), (candidate) => ask(candidate, nowMs));
}

export function onAcquired(
  state: LeaseState,
  { id, holder, token, validForMs, sentMs }: Extract<LeaseReply, { type: 'acquired' }>,
  nowMs: number,
): LeaseTransition {
  // To an earlier process of this node, whose lease this one must not lead with.
  if (holder !== state.holder) return [state, []];
  const own = { token, validForMs, sentMs };
  switch (state.phase) {
    case 'acquiring':
      // One that was sent since may have been answered, or refused, already: its answer says how things stand.
      return id === state.request ? takeLead(state, own, nowMs) : [state, []];
    case 'waiting':
      return acquire(state, nowMs);
    case 'following':
    case 'leaving':
      return giveBack(state, own, nowMs);
    case 'leading':
    case 'refusing':
      return [state, []];
  }
}

export function onHeld(
  state: LeaseState,
  { id, type: _, ...lease }: Extract<LeaseReply, { type: 'held' }>,
  nowMs: number,
): LeaseTransition {
  if (state.phase !== 'acquiring' || id !== state.request) return [state, []];
  const waiting: LeaseState = change(state, { phase: 'waiting', request: null, own: null, over: null });
  return andThen(
    [waiting, [cancelTimer('request')]],
    (waiter) => onOthers(waiter, lease, nowMs),
    (waiter) => (state.hinted ? acquire(waiter, nowMs) : [waiter, []]),
  );
}

/** Somebody else has the lease: who, until when? */
function onOthers(state: LeaseState, lease: LeaseView, nowMs: number): LeaseTransition {
  const other = seen(state, lease, nowMs);
  const leftMs = dueMs(state, other) - nowMs;
  const known: LeaseState = change(state, { other: leftMs > 0 ? other : { ...other, isOver: true } });
  return andThen(rememberLeader(known, other), tell, releaseDead, (told) =>
    // Nobody but a candidate does anything about a lease that is over; the next look is soon enough.
    leftMs > 0 || told.phase === 'waiting' ? [told, [setTimer('due', Math.max(0, leftMs))]] : [told, []],
  );
}

/** Where the observer's clock rules, a version that was there before has stood still since. */
function seen({ settings, other }: LeaseState, lease: LeaseView, nowMs: number): OthersLease {
  const isOld = settings.store.clock === 'observer' && other !== null && other.version === lease.version;
  const { holder, token, expiresInMs, version } = lease;
  return { holder, token, expiresInMs, version, sinceMs: isOld ? other.sinceMs : nowMs, isOver: false };
}

export function onFound(
  state: LeaseState,
  { id, lease }: Extract<LeaseReply, { type: 'found' }>,
  nowMs: number,
): LeaseTransition {
  // A node that leaves waits for a read, to know what it has.
  if (state.phase === 'leaving' && id === state.request) return onLeaseFound(state, lease, nowMs);
  if (id !== state.look) return [state, []];
  const looked: LeaseState = change(state, { look: null });
  if (state.phase === 'leading') return confirm(looked, lease);
  if (lease === null) return onFree(looked, nowMs);
  return lease.holder === state.holder ? onOwnFound(looked, lease, nowMs) : onOthers(looked, lease, nowMs);
}

/** Nobody has it. */
function onFree(state: LeaseState, nowMs: number): LeaseTransition {
  const free: LeaseState = change(state, { other: null });
  if (state.phase === 'waiting') return acquire(free, nowMs);
  return andThen(tell(free), (told) => [told, [cancelTimer('due')]]);
}

/** An answer was lost, or is late: the lease is this process's after all. */
function onOwnFound(state: LeaseState, { token }: LeaseView, nowMs: number): LeaseTransition {
  if (state.phase === 'waiting') return acquire(change(state, { other: null }), nowMs);
  return token === null ? [state, []] : giveBack(state, found(token, nowMs), nowMs);
}

/** Another's lease has come to its end, unless it was renewed since the last look: the answer will say. */
export function onDue(state: LeaseState, nowMs: number): LeaseTransition {
  const { other, phase } = state;
  if (other === null) return [state, []];
  const leftMs = dueMs(state, other) - nowMs;
  if (leftMs > 0) return [state, [setTimer('due', leftMs)]];
  return phase === 'waiting' ? acquire(state, nowMs, other.version) : look(state);
}

/** No answer came. Whoever had the lease is believed for as long as it was known to last. */
export function doubt(state: LeaseState, nowMs: number): LeaseTransition {
  const { other } = state;
  const isOver = other !== null && dueMs(state, other) <= nowMs;
  return tell(suspect(isOver ? change(state, { other: { ...other, isOver } }) : state));
}

/** Something has happened to the lease, or may have. */
export function onHint(state: LeaseState, nowMs: number): LeaseTransition {
  switch (state.phase) {
    case 'waiting':
      return acquire(state, nowMs);
    case 'acquiring':
      return [change(state, { hinted: true }), []];
    case 'leading':
      return look(state);
    case 'following':
      return state.observed ? look(state) : [state, []];
    default:
      return [state, []];
  }
}

export function onLookDue(state: LeaseState): LeaseTransition {
  return state.phase === 'leading' ? [state, [nextLook(state)]] : andThen([state, [nextLook(state)]], look);
}
