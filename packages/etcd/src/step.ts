/**
 * Election on etcd. A candidate holds a lease and a key bound to it; of all keys the one that was created first
 * leads, and each candidate waits for the key just before its own to go.
 *
 * The keys, the order and the resignation are those of etcd's own client for Go (package
 * `client/v3/concurrency`, `Election`), so its candidates and ours take turns in one election.
 *
 * A look is one transaction, so what it finds was true at one moment, and whoever finds itself first in line knows
 * that its own key is still there. Events only say when to look.
 */

import type { NodeId } from '@hustings/elector';
import { andThen, announce, cancelTimer, setTimer } from '@hustings/elector/protocol';
import { onOffer, onWaited, readInheritance, volunteer } from './heirs/heir.js';
import { isGone, onBeat, onHeirLost, onPromise, onVolunteer, seeOwn } from './heirs/leader.js';
import {
  type EtcdMessage,
  type EtcdReply,
  type EtcdTimer,
  isDefiniteFailure,
  type TransactionResult,
} from './messages.js';
import { change, type EtcdState } from './state.js';
import { askAgain, look, lookUnlessAsked, nextAudit, sendKeepAlive, suspect } from './step/asking.js';
import { onPeerGone } from './step/certificates.js';
import { acceptLowerTokens } from './step/data-loss.js';
import { depose } from './step/leading.js';
import { forgetRequest, giveUp, leave, resign } from './step/leaving.js';
import { onProclaimed, proclaim, sendProclaim } from './step/proclaiming.js';
import { isOver } from './step/renewing.js';
import { loseSession, onGranted, onKeptAlive, start } from './step/session.js';
import { onChanges, onJoined, onLeft, onLook, onWatchLost, stand } from './step/standing.js';
import { tell } from './tell.js';
import type { EtcdInput, EtcdTransition } from './transition.js';

export function step(state: EtcdState, input: EtcdInput, nowMs: number): EtcdTransition {
  if (!isOver(state, nowMs)) return react(state, input, nowMs);
  return andThen(giveUp(state, 'lease-expired', nowMs), (former) => react(former, input, nowMs));
}

function react(state: EtcdState, input: EtcdInput, nowMs: number): EtcdTransition {
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
        ? onReply(state, input.message as EtcdReply, nowMs)
        : onPeer(state, input.from, input.message, nowMs);
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'lease-expired':
      return state.phase === 'leading' ? giveUp(state, 'lease-expired', nowMs) : [state, []];
    case 'health-changed':
      return onHealth(change(state, { healthy: input.healthy }), nowMs);
    case 'link-down':
      return input.peer === state.settings.coordinator ? [suspect(state), []] : onHeirLost(state, input.peer);
    case 'link-up':
      if (input.peer !== state.settings.coordinator) return volunteer(state);
      return state.suspicious ? tryEverything(state, nowMs) : [state, []];
    case 'peer-gone':
      return onPeerGone(state, input.incarnation);
    case 'observation-changed':
      // The look shows as much as is wanted from now on, and replaces the watch.
      return look(change(state, { observed: input.observed }));
    case 'requested':
      return input.request.type === 'proclaim'
        ? proclaim(state, input.request.value)
        : look(acceptLowerTokens(state));
  }
}

function onHealth(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.healthy) return stand(state, nowMs);
  switch (state.phase) {
    case 'leading':
      return giveUp(state, 'unhealthy', nowMs);
    case 'joining':
    case 'waiting':
      return andThen(leave(state, nowMs), tell);
    case 'granting':
      return andThen([forgetRequest(state), [cancelTimer('request')]], tell);
    case 'following':
    case 'leaving':
      return [state, []];
  }
}

/** Another node says something, which concerns heirs. */
function onPeer(state: EtcdState, from: NodeId, message: EtcdMessage, nowMs: number): EtcdTransition {
  switch (message.type) {
    case 'in-office':
      return state.phase === 'waiting' ? lookUnlessAsked(state) : [state, []];
    case 'volunteer':
      return onVolunteer(state, from, message, nowMs);
    case 'offer':
      return onOffer(state, from, message, nowMs);
    case 'promise':
      return onPromise(state, message, nowMs);
    default:
      return [state, []];
  }
}

function onReply(state: EtcdState, message: EtcdReply, nowMs: number): EtcdTransition {
  // etcd answers again. Events may have been lost while it did not.
  const lookIfSuspicious = (after: EtcdState): EtcdTransition =>
    after.suspicious && after.look === null && message.type !== 'failed' ? look(after) : [after, []];
  return andThen(readReply(state, message, nowMs), lookIfSuspicious);
}

function readReply(state: EtcdState, message: EtcdReply, nowMs: number): EtcdTransition {
  switch (message.type) {
    case 'granted':
      return onGranted(state, message, nowMs);
    case 'txn-done':
    case 'audited':
      return andThen(onTransaction(state, message.id, message, nowMs), (after) =>
        seeOwn(after, message, nowMs),
      );
    case 'kept-alive':
      return onKeptAlive(state, message, nowMs);
    case 'revoked':
      return state.phase === 'leaving' && state.request === message.id ? onLeft(state, nowMs) : [state, []];
    case 'changed':
      return state.watch?.id === message.id ? onChanges(state, message.changes, nowMs) : [state, []];
    case 'watch-lost':
      return onWatchLost(state, message.id);
    case 'failed':
      return onFailed(state, message, nowMs);
    default:
      return [state, []];
  }
}

/** An heir's look deletes the leader's key as well. */
function onLookAnswered(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  if (state.inheritance !== state.look) return onLook(state, result, nowMs);
  const [heir, looked] = readInheritance(state, result, nowMs);
  return onLook(heir, looked, nowMs);
}

function onTransaction(
  state: EtcdState,
  id: number,
  result: TransactionResult,
  nowMs: number,
): EtcdTransition {
  const { session } = state;
  if (id === state.look) return onLookAnswered(state, result, nowMs);
  if (session === null) return [state, []];
  if (id === state.proclaimRequest) return onProclaimed(state, session, result, nowMs) ?? depose(state);
  if (isGone(state, id, result)) return depose(state);
  if (id !== state.request || state.phase !== 'joining') return [state, []];
  return andThen([state, [cancelTimer('request')]], (joiner) => onJoined(joiner, session, result, nowMs));
}

function onFailed(
  state: EtcdState,
  { id, reason, detail }: Extract<EtcdReply, { type: 'failed' }>,
  nowMs: number,
): EtcdTransition {
  const { requestTimeoutMs, retryMs } = state.settings;
  if (reason === 'lease-not-found' && (id === state.request || id === state.proclaimRequest)) {
    return state.phase === 'leaving' ? onLeft(state, nowMs) : loseSession(state, nowMs);
  }
  const timer = timerOf(state, id);
  if (timer === null) return [state, []];
  // What etcd refused it will refuse again: let a person hear of it, and do not hurry.
  const isRefused = isDefiniteFailure(reason);
  return [
    suspect(state),
    [
      ...(isRefused ? [announce({ type: 'refused', reason, detail })] : []),
      setTimer(timer, isRefused ? requestTimeoutMs : retryMs),
    ],
  ];
}

function timerOf({ request, look: looked, proclaimRequest }: EtcdState, id: number): EtcdTimer | null {
  if (id === request) return 'request';
  if (id === looked) return 'look';
  return id === proclaimRequest ? 'proclaim' : null;
}

export function onTimer(state: EtcdState, timer: EtcdTimer, nowMs: number): EtcdTransition {
  const { session } = state;
  switch (timer) {
    case 'request':
      return askAgain(suspect(state), nowMs);
    case 'look':
      return look(state.look === null ? state : suspect(state));
    case 'proclaim':
      return sendProclaim(suspect(state));
    case 'keep-alive':
      return session === null
        ? [state, []]
        : sendKeepAlive(state.renewing ? suspect(state) : state, session, nowMs);
    case 'audit':
      return andThen([state, [nextAudit(state)]], (auditor) => lookUnlessAsked(auditor, 'audit'));
    case 'offer':
      return onBeat(state, nowMs);
    case 'inherit':
      return onWaited(state, nowMs);
  }
}

/** The way to etcd is open again: ask at once for all that went unanswered. */
function tryEverything(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(askAgain(state, nowMs), look, (asked) =>
    asked.session === null || asked.phase === 'leaving'
      ? [asked, []]
      : sendKeepAlive(asked, asked.session, nowMs),
  );
}
