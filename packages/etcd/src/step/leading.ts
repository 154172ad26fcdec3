/** Leading: what must be known before it begins, and what ends it. */

import { andThen } from '@hustings/elector/protocol';
import type { Revision } from '../messages.js';
import { change, deadlineMs, type EtcdState } from '../state.js';
import { tell } from '../tell.js';
import { type EtcdTransition, toPeers } from '../transition.js';
import { sendKeepAlive } from './asking.js';
import { isUnseen, onDataLost } from './data-loss.js';
import { giveBackLease, stepDown } from './leaving.js';
import { renew } from './renewing.js';

/** First in line, and confirmed to be so. Leads if the lease is fresh enough; else renews it and looks again. */
export function takeLead(state: EtcdState, nowMs: number): EtcdTransition {
  const { session, ownRevision } = state;
  if (session === null || ownRevision === null) return [state, []];
  if (!isUnseen(state, ownRevision)) return refuse(state, ownRevision);
  if (deadlineMs(state, session) <= nowMs) return sendKeepAlive(state, session, nowMs);
  const leader = change(state, {
    phase: 'leading',
    told: 'leading',
    floor: ownRevision,
    dataLost: false,
    promise: null,
    inheritance: null,
  });
  return andThen(renew(leader, nowMs), (led) => [led, toPeers(led, { type: 'in-office' })]);
}

/** Keeps its place, and so lets nobody else lead, until it is told that lower tokens do no harm. */
function refuse(state: EtcdState, token: Revision): EtcdTransition {
  return state.dataLost ? [state, []] : onDataLost(state, `it gives this node token ${token}`);
}

/** Somebody has deleted the leader's key. Its lease stands, but counts for nothing. */
export function depose(state: EtcdState): EtcdTransition {
  return andThen(stepDown(state, 'deposed'), giveBackLease, tell);
}
