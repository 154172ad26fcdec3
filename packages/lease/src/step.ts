/**
 * Election by a lease. Whoever has the lease leads until the lease may be over by anybody's clock, and renews it in
 * time; everybody else asks for it when it is due, or when a hint says that it is free.
 *
 * The store decides who has it, in one atomic step. This node decides nothing but when to ask, and that it stops in
 * time: its deadline counts from when the successful request was sent, and ends a guard early.
 */

import { andThen, announce, setTimer } from '@hustings/elector/protocol';
import { isDefiniteFailure, type LeaseReply, type LeaseTimer } from './messages.js';
import { change, type LeaseState } from './state.js';
import { askAgain, look, renew, suspect, watch } from './step/asking.js';
import { onPeerGone } from './step/certificates.js';
import { acceptLowerTokens } from './step/data-loss.js';
import { onLost, onRenewalDue, onRenewed, takeLead } from './step/leading.js';
import { giveUp, leave, onReleased, resign } from './step/leaving.js';
import {
  doubt,
  onAcquired,
  onDue,
  onFound,
  onHeld,
  onHint,
  onLookDue,
  stand,
  start,
} from './step/standing.js';
import { tell } from './tell.js';
import type { LeaseInput, LeaseTransition } from './transition.js';

export function step(state: LeaseState, input: LeaseInput, nowMs: number): LeaseTransition {
  switch (input.type) {
    case 'started':
    case 'restarted':
      return start(state);
    case 'campaign-requested':
      return stand(change(state, { standing: true }), nowMs);
    case 'resign-requested':
      return resign(state, nowMs);
    case 'received':
      return input.from === state.settings.coordinator
        ? onReply(state, input.message as LeaseReply, nowMs)
        : [state, []];
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'lease-expired':
      return state.phase === 'leading' ? giveUp(state, 'lease-expired', nowMs) : [state, []];
    case 'health-changed':
      return onHealth(change(state, { healthy: input.healthy }), nowMs);
    case 'link-down':
      return input.peer === state.settings.coordinator ? [suspect(state), []] : [state, []];
    case 'link-up':
      return input.peer === state.settings.coordinator && state.suspicious
        ? tryEverything(state, nowMs)
        : [state, []];
    case 'peer-gone':
      return onPeerGone(state, input.peer, input.incarnation);
    case 'observation-changed':
      return look(change(state, { observed: input.observed }));
    case 'requested':
      return onAccepted(acceptLowerTokens(state), nowMs);
  }
}

function onHealth(state: LeaseState, nowMs: number): LeaseTransition {
  if (state.healthy) return stand(state, nowMs);
  switch (state.phase) {
    case 'leading':
      return giveUp(state, 'unhealthy', nowMs);
    case 'acquiring':
    case 'refusing':
      return andThen(leave(state, nowMs), tell);
    case 'waiting':
      return tell(change(state, { phase: 'following' }));
    case 'following':
    case 'leaving':
      return [state, []];
  }
}

/** Lower tokens do no harm any more: whoever refused leads, and whoever was not believed is. */
function onAccepted(state: LeaseState, nowMs: number): LeaseTransition {
  return state.phase === 'refusing' && state.own !== null ? takeLead(state, state.own, nowMs) : look(state);
}

function onReply(state: LeaseState, message: LeaseReply, nowMs: number): LeaseTransition {
  // The store answers again. Hints may have been lost while it did not.
  const watchIfSuspicious = (after: LeaseState): LeaseTransition =>
    after.suspicious && message.type !== 'failed' ? andThen(watch(after), lookUnlessAsked) : [after, []];
  return andThen(readReply(state, message, nowMs), watchIfSuspicious);
}

const lookUnlessAsked = (state: LeaseState): LeaseTransition =>
  state.look === null ? look(state) : [state, []];

function readReply(state: LeaseState, message: LeaseReply, nowMs: number): LeaseTransition {
  switch (message.type) {
    case 'acquired':
      return onAcquired(state, message, nowMs);
    case 'held':
      return onHeld(state, message, nowMs);
    case 'renewed':
      return onRenewed(state, message, nowMs);
    case 'lost':
      return onLost(state, message.token, nowMs);
    case 'released':
      return message.id === state.eviction ? onHint(state, nowMs) : onReleased(state, message, nowMs);
    case 'found':
      return onFound(state, message, nowMs);
    case 'changed':
      return state.watch === message.id ? onHint(state, nowMs) : [state, []];
    case 'watching':
      return [state, []];
    case 'failed':
      return onFailed(state, message, nowMs);
  }
}

function onFailed(
  state: LeaseState,
  { id, reason, detail }: Extract<LeaseReply, { type: 'failed' }>,
  nowMs: number,
): LeaseTransition {
  const timer = timerOf(state, id);
  if (timer === null) return [state, []];
  const { requestTimeoutMs, retryMs } = state.settings;
  // What the store refused it will refuse again: let a person hear of it, and do not hurry.
  const isRefused = isDefiniteFailure(reason);
  const again = setTimer(timer, isRefused ? requestTimeoutMs : retryMs);
  const announced = isRefused ? [announce({ type: 'refused', reason, detail })] : [];
  return andThen(doubt(state, nowMs), (doubtful) => [doubtful, [...announced, again]]);
}

function timerOf({ request, look: looked, renewal }: LeaseState, id: number): LeaseTimer | null {
  if (id === request) return 'request';
  if (id === looked) return 'look';
  return id === renewal ? 'renew' : null;
}

function onTimer(state: LeaseState, timer: LeaseTimer, nowMs: number): LeaseTransition {
  switch (timer) {
    case 'request':
      return andThen(doubt(state, nowMs), (doubtful) => askAgain(doubtful, nowMs));
    case 'look':
      return andThen(state.look === null ? [state, []] : doubt(state, nowMs), onLookDue);
    case 'due':
      return onDue(state, nowMs);
    case 'renew':
      return onRenewalDue(state, nowMs);
  }
}

/** The way to the store is open again: ask at once for all that went unanswered. */
function tryEverything(state: LeaseState, nowMs: number): LeaseTransition {
  return andThen(askAgain(state, nowMs), watch, look, (asked) =>
    asked.phase === 'leading' || asked.phase === 'refusing' ? renew(asked, nowMs) : [asked, []],
  );
}
