/** Leaving: how leadership ends, and how a place in the queue is given up. */

import type { StepDownReason } from '@hustings/elector';
import { andThen, cancelTimer } from '@hustings/elector/protocol';
import { change, type EtcdState } from '../state.js';
import type { EtcdTransition } from '../transition.js';
import { ask, revoke } from './asking.js';
import { failProclaims } from './proclaiming.js';

/** Whoever leaves, or leads no more, offers nothing; and what it promised was for the sake of its place. */
const noHeir = { offer: null, promise: null, inheritance: null } as const;

export function resign(state: EtcdState, nowMs: number): EtcdTransition {
  const resigning = change(state, { standing: false, owesStepDown: true });
  // Nothing of ours can be in etcd but a lease, which is revoked when its grant arrives.
  if (state.session === null) return completeResignation(forgetRequest(resigning));
  return state.phase === 'leaving' ? [resigning, []] : leave(resigning, nowMs);
}

/** Stops leading at once, and makes way for the next. */
export function giveUp(state: EtcdState, reason: StepDownReason, nowMs: number): EtcdTransition {
  return andThen(stepDown(state, reason), (former) => leave(former, nowMs));
}

export function leave(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(
    [change(state, { phase: 'leaving', ...noHeir }), [cancelTimer('keep-alive')]],
    (leaver) => ask(leaver, nowMs),
    failProclaims,
  );
}

export function completeResignation(state: EtcdState): EtcdTransition {
  if (!state.owesStepDown) return [state, []];
  const { standing } = state;
  // A request to campaign that came since then stands.
  return andThen(stepDown(change(state, { owesStepDown: false }), 'resigned'), (former) => [
    change(former, { standing }),
    [],
  ]);
}

/** The only place where leadership ends and, with it, the candidacy. */
export function stepDown(state: EtcdState, reason: StepDownReason): EtcdTransition {
  const isKnown = state.told !== 'leading' && state.told !== 'candidate';
  const former = change(state, {
    standing: false,
    ...noHeir,
    told: isKnown ? state.told : 'nobody',
  });
  return andThen([former, [{ type: 'step-down', reason }]], failProclaims);
}

/** The lease is gone, and all that hung on it. */
export function forgetSession(state: EtcdState): EtcdTransition {
  const { session, members } = state;
  const former = change(forgetRequest(state), {
    members: members.filter(({ lease }) => lease !== session?.lease),
    session: null,
    ownRevision: null,
    ownModRevision: null,
    ...noHeir,
    renewing: false,
  });
  return [former, [cancelTimer('keep-alive'), cancelTimer('request')]];
}

/** Leases that nobody renews would pile up in etcd until they run out. */
export function giveBackLease(state: EtcdState): EtcdTransition {
  const { session } = state;
  return andThen(forgetSession(state), (former) =>
    session === null ? [former, []] : revoke(former, session.lease),
  );
}

export const forgetRequest = (state: EtcdState): EtcdState =>
  change(state, { phase: 'following', request: null });
