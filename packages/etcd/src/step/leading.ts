/** Leading: what must be known before it begins, and what ends it. */

import { andThen } from '@hustings/elector/protocol';
import type { Revision } from '../messages.js';
import { change, deadlineMs, type EtcdState } from '../state.js';
import { tell } from '../tell.js';
import type { EtcdTransition } from '../transition.js';
import { sendKeepAlive } from './asking.js';
import { isUnseen, onDataLost } from './data-loss.js';
import { giveBackLease, stepDown } from './leaving.js';

/** First in line, and confirmed to be so. Leads if the lease is fresh enough; else renews it and looks again. */
export function takeLead(state: EtcdState, nowMs: number): EtcdTransition {
  const { session, ownRevision } = state;
  if (session === null || ownRevision === null) return [state, []];
  if (!isUnseen(state, ownRevision)) return refuse(state, ownRevision);
  if (deadlineMs(state, session) <= nowMs) return sendKeepAlive(state, session, nowMs);
  const leader = change(state, { phase: 'leading', told: 'leading', floor: ownRevision, dataLost: false });
  return renew(leader, nowMs);
}

/** The lease has been renewed, which gives the leader more time; or all that is left of it, where it begins. */
export function renew(state: EtcdState, nowMs: number): EtcdTransition {
  const { session, ownRevision } = state;
  if (session === null || ownRevision === null) return [state, []];
  const validForMs = deadlineMs(state, session) - nowMs;
  return [state, validForMs > 0 ? [{ type: 'lead', token: BigInt(ownRevision), validForMs }] : []];
}

/** Keeps its place, and so lets nobody else lead, until it is told that lower tokens do no harm. */
function refuse(state: EtcdState, token: Revision): EtcdTransition {
  return state.dataLost ? [state, []] : onDataLost(state, `it gives this node token ${token}`);
}

/** Somebody has deleted the leader's key. Its lease stands, but counts for nothing. */
export function depose(state: EtcdState): EtcdTransition {
  return andThen(stepDown(state, 'deposed'), giveBackLease, tell);
}
