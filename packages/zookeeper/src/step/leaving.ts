/** Leaving: how leadership ends, and how a place in the queue is given up. */

import type { StepDownReason } from '@hustings/elector';
import { andThen } from '@hustings/elector/protocol';
import { change, changeSession, isLook, type ZooKeeperState } from '../state.js';
import { tell } from '../tell.js';
import type { ZooKeeperTransition } from '../transition.js';
import { list, remove } from './asking.js';

/** Nothing is forgotten until ZooKeeper has acknowledged that our znode is gone. */
export function resign(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  // A leader acts no more from here on, whoever drives it: the next may begin before the deletion is acknowledged.
  const left: ZooKeeperTransition = state.leading ? stepDown(state, 'deposed') : [state, []];
  return andThen(left, (former) => {
    const { own, session, awaited } = former;
    const resigning = change(former, { standing: false, owesStepDown: true });
    const isAbsent = own === null && session?.unsure !== true && awaited?.what !== 'delete';
    if (!isAbsent) return leave(resigning, nowMs);
    return andThen(completeResignation(resigning), (observer) =>
      isLook(observer.awaited) ? list(observer, nowMs) : [observer, []],
    );
  });
}

/** Stops leading at once, and makes way for the next. */
export function giveUp(state: ZooKeeperState, reason: StepDownReason, nowMs: number): ZooKeeperTransition {
  return andThen(stepDown(state, reason), (former) => leave(former, nowMs));
}

/** Takes the own znode out of the queue; if it is not known whether there is one, the list will tell. */
export function leave(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { own, awaited } = state;
  const left = abandon(state);
  if (!state.connected) return [left, []];
  if (own !== null) return remove(left, own.name, nowMs);
  return awaited?.what === 'create' || awaited?.what === 'delete' ? [left, []] : list(left, nowMs);
}

export function onDeleted(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return andThen(completeResignation(state), (former) => list(former, nowMs));
}

/** The znode, if there is one, is not to be led with any more: the next has another name. */
export function abandon(state: ZooKeeperState): ZooKeeperState {
  const { session, own, leader } = state;
  return change(state, {
    own: null,
    leader: leader !== null && leader.name === own?.name ? null : leader,
    session: session === null ? null : changeSession(session, { attempt: session.attempt + 1 }),
  });
}

export function completeResignation(state: ZooKeeperState): ZooKeeperTransition {
  if (!state.owesStepDown) return [state, []];
  const { standing } = state;
  // A request to campaign that came since then stands.
  return andThen(stepDown(change(state, { owesStepDown: false }), 'resigned'), (former) =>
    tell(change(former, { standing })),
  );
}

/** The only place where leadership ends and, with it, the candidacy. */
export function stepDown(state: ZooKeeperState, reason: StepDownReason): ZooKeeperTransition {
  const isKnown = state.told !== 'leading' && state.told !== 'candidate';
  const former = change(state, { leading: false, standing: false, told: isKnown ? state.told : 'nobody' });
  return [former, [{ type: 'step-down', reason }]];
}
