/** Leaving: how leadership ends, and how a lease is given back. */

import type { StepDownReason } from '@hustings/elector';
import { andThen, cancelTimer } from '@hustings/elector/protocol';
import type { LeaseReply, LeaseView } from '../messages.js';
import { change, type LeaseState, type OwnLease } from '../state.js';
import { tell } from '../tell.js';
import { isAfter } from '../tokens.js';
import type { LeaseTransition } from '../transition.js';
import { ask } from './asking.js';
import { rememberOwn } from './data-loss.js';
import { stand } from './standing.js';

export function resign(state: LeaseState, nowMs: number): LeaseTransition {
  const resigning: LeaseState = change(state, { standing: false, owesStepDown: true });
  switch (state.phase) {
    case 'following':
    case 'waiting':
      return andThen(completeResignation(change(resigning, { phase: 'following' })), tell);
    case 'leaving':
      return [resigning, []];
    default:
      return leave(resigning, nowMs);
  }
}

/** Stops leading at once, and makes way for the next. */
export function giveUp(state: LeaseState, reason: StepDownReason, nowMs: number): LeaseTransition {
  return andThen(stepDown(state, reason), (former) => leave(former, nowMs));
}

/** Gives back what it has, and finds out first what that is where the answer is still to come. */
export function leave(state: LeaseState, nowMs: number): LeaseTransition {
  const left: LeaseState = change(state, { phase: 'leaving', over: null, renewal: null });
  return andThen([left, [cancelTimer('renew')]], (leaver) => ask(leaver, nowMs));
}

/** A lease that came when nobody waited for it any more: it would keep everybody from leading until it runs out. */
export function giveBack(state: LeaseState, own: OwnLease, nowMs: number): LeaseTransition {
  const isKnown = state.own !== null && !isAfter(own.token, state.own.token);
  return isKnown ? [state, []] : leave(change(state, { own }), nowMs);
}

/** What the lease looks like to one that leaves and does not know whether it was ever granted. */
export function onLeaseFound(state: LeaseState, lease: LeaseView | null, nowMs: number): LeaseTransition {
  const isOwn = lease !== null && lease.token !== null && lease.holder === state.holder;
  return isOwn ? giveBack(state, found(lease.token, nowMs), nowMs) : onLeft(state, nowMs);
}

/** Known only from a look, which renews nothing. */
export const found = (token: string, nowMs: number): OwnLease => ({ token, validForMs: 0, sentMs: nowMs });

export const onReleased = (
  state: LeaseState,
  { id }: Extract<LeaseReply, { type: 'released' }>,
  nowMs: number,
): LeaseTransition =>
  state.phase === 'leaving' && id === state.request ? onLeft(state, nowMs) : [state, []];

/** The store has acknowledged that this process has nothing. */
export function onLeft(state: LeaseState, nowMs: number): LeaseTransition {
  return andThen(forgetLease(state), completeResignation, tell, (former) => stand(former, nowMs));
}

export function completeResignation(state: LeaseState): LeaseTransition {
  if (!state.owesStepDown) return [state, []];
  const { standing } = state;
  // A request to campaign that came since then stands.
  return andThen(stepDown(change(state, { owesStepDown: false }), 'resigned'), (former) => [
    change(former, { standing }),
    [],
  ]);
}

/** The only place where leadership ends and, with it, the candidacy. */
export function stepDown(state: LeaseState, reason: StepDownReason): LeaseTransition {
  const isKnown = state.told !== 'leading' && state.told !== 'candidate';
  const former: LeaseState = change(state, {
    standing: false,
    told: isKnown ? state.told : 'nobody',
  });
  return [former, [{ type: 'step-down', reason }]];
}

export function forgetLease(state: LeaseState): LeaseTransition {
  return [
    change(rememberOwn(state), { phase: 'following', own: null, request: null, renewal: null }),
    [cancelTimer('renew'), cancelTimer('request')],
  ];
}
