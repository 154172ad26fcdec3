/** The value that a leader may publish beside its id: one at a time, in the order of the requests. */

import { andThen, announce, cancelTimer, setTimer, sign } from '@hustings/elector/protocol';
import { seeModified } from '../heirs/leader.js';
import type { Revision, Transaction, TransactionResult } from '../messages.js';
import { change, type EtcdState, type Session } from '../state.js';
import { type EtcdTransition, toCoordinator } from '../transition.js';
import { findOwn } from '../view.js';

export function proclaim(state: EtcdState, value: string): EtcdTransition {
  if (state.phase !== 'leading') return [state, [announce({ type: 'proclaim-failed', value })]];
  const proclaims = [...state.proclaims, value];
  const queued = change(state, { proclaims });
  return proclaims.length === 1 ? sendProclaim(queued) : [queued, []];
}

export function sendProclaim(state: EtcdState): EtcdTransition {
  const { session, settings } = state;
  const [value] = state.proclaims;
  if (session === null || value === undefined) return [state, []];
  const id = state.nextId;
  return [
    change(state, { proclaimRequest: id, nextId: id + 1 }),
    [
      toCoordinator(state, { type: 'txn', id, ...proclaiming(state, session, value) }),
      setTimer('proclaim', settings.requestTimeoutMs),
    ],
  ];
}

/** Publishes a value over the one before it, so that an attempt that arrives late cannot undo a later one. */
function proclaiming(state: EtcdState, { key, lease }: Session, value: string): Transaction {
  return {
    compare: [{ key, target: 'mod', revision: state.ownModRevision ?? '0' }],
    success: [{ type: 'put', key, value: `${sign(state)}\n${value}`, lease }],
    failure: [{ type: 'get', key }],
  };
}

/** Null if it has come to light that this node's key is gone. */
export function onProclaimed(
  state: EtcdState,
  session: Session,
  result: TransactionResult,
  nowMs: number,
): EtcdTransition | null {
  const [value] = state.proclaims;
  if (result.succeeded) return published(state, result.revision, nowMs);
  const own = findOwn(result, session);
  if (own === null || own.createRevision !== state.ownRevision) return null;
  // An earlier attempt of ours had arrived after all.
  if (own.value === `${sign(state)}\n${value}`) return published(state, own.modRevision, nowMs);
  return andThen(seeModified(state, own.modRevision, nowMs), sendProclaim);
}

function published(state: EtcdState, modRevision: Revision, nowMs: number): EtcdTransition {
  const [value = '', ...proclaims] = state.proclaims;
  return andThen(
    [
      change(state, { proclaims, proclaimRequest: null }),
      [cancelTimer('proclaim'), announce({ type: 'proclaimed', value })],
    ],
    (leader) => seeModified(leader, modRevision, nowMs),
    sendProclaim,
  );
}

/** What was not published by the end of the leadership never will be. */
export function failProclaims(state: EtcdState): EtcdTransition {
  if (state.proclaims.length === 0) return [state, []];
  return [
    change(state, { proclaims: [], proclaimRequest: null }),
    [
      cancelTimer('proclaim'),
      ...state.proclaims.map((value) => announce({ type: 'proclaim-failed', value })),
    ],
  ];
}
