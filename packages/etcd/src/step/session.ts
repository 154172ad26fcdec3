/** The lease: how it is granted, kept, and lost. */

import { andThen } from '@hustings/elector/protocol';
import { noteLatency } from '../heirs/leader.js';
import { keyOf } from '../keys.js';
import type { EtcdReply } from '../messages.js';
import { change, type EtcdState, type Session } from '../state.js';
import { tell } from '../tell.js';
import type { EtcdTransition } from '../transition.js';
import { predecessorOf } from '../view.js';
import { ask, look, nextAudit, nextKeepAlive, revoke } from './asking.js';
import { forgetSession, stepDown } from './leaving.js';
import { renew } from './renewing.js';
import { onLeft, stand } from './standing.js';

export function start(state: EtcdState): EtcdTransition {
  return andThen([state, [nextAudit(state)]], look);
}

export function onGranted(
  state: EtcdState,
  { id, lease, ttlSeconds, sentMs }: Extract<EtcdReply, { type: 'granted' }>,
  nowMs: number,
): EtcdTransition {
  const isAwaited = state.phase === 'granting' && state.request === id && state.requestedMs === sentMs;
  if (!isAwaited) {
    // We have asked again, or given up, or an earlier process of this node had asked. Nobody will use this lease.
    return state.session?.lease === lease ? [state, []] : revoke(state, lease);
  }
  const session: Session = {
    lease,
    key: keyOf(state.settings, lease),
    ttlMs: 1000 * ttlSeconds,
    renewedMs: sentMs,
  };
  const member = change(state, { phase: 'joining', session });
  return andThen([member, [nextKeepAlive(state, session, nowMs)]], (joiner) => ask(joiner, nowMs));
}

export function onKeptAlive(
  state: EtcdState,
  { lease, ttlSeconds, sentMs }: Extract<EtcdReply, { type: 'kept-alive' }>,
  nowMs: number,
): EtcdTransition {
  const { session } = state;
  if (session === null || session.lease !== lease) return [state, []];
  if (state.phase === 'leaving') return ttlSeconds === 0 ? onLeft(state, nowMs) : [state, []];
  if (ttlSeconds === 0) return loseSession(state, nowMs);
  if (sentMs < session.renewedMs) return [state, []];
  const renewed: Session = { lease, key: session.key, ttlMs: 1000 * ttlSeconds, renewedMs: sentMs };
  const kept: EtcdTransition = [
    change(state, { session: renewed, renewing: false }),
    [nextKeepAlive(state, renewed, nowMs)],
  ];
  if (state.phase === 'leading') {
    return andThen(
      kept,
      (leader) => renew(leader, nowMs),
      (leader) => noteLatency(leader, sentMs, nowMs),
    );
  }
  const isFirst = state.ownRevision !== null && predecessorOf(state) === null;
  return isFirst && state.look === null ? andThen(kept, look) : kept;
}

/** The server has ended the lease, and deleted the key with it. */
export function loseSession(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.phase !== 'leading') return andThen(forgetSession(state), (former) => stand(former, nowMs));
  return andThen(stepDown(state, 'session-lost'), forgetSession, tell);
}
