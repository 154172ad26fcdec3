/** A leader and its heir, the heir's side: rules 7 to 9. `state.ts` has them all. */

import type { NodeId } from '@hustings/elector';
import { andThen, send, setTimer } from '@hustings/elector/protocol';
import { readValue } from '../keys.js';
import type { Operation, Transaction, TransactionResult } from '../messages.js';
import { isAfter } from '../revisions.js';
import { change, type EtcdState, leaseDeadlineMs, type Session } from '../state.js';
import { look, looking } from '../step/asking.js';
import type { EtcdTransition } from '../transition.js';
import { predecessorOf } from '../view.js';
import type { HeirMessage } from './messages.js';
import { beatMs, type HeirPromise } from './state.js';

/** Asks the leader for an offer, if only the leader is before this node, and again as long as none comes. */
export function volunteer(state: EtcdState): EtcdTransition {
  const { settings, session, ownRevision, members, peers } = state;
  const [leader] = members;
  const isNext = state.phase === 'waiting' && leader !== undefined && leader === predecessorOf(state);
  if (settings.heirWaitMs === 0 || !isNext || session === null || ownRevision === null) return [state, []];
  const { leaderId } = readValue(leader.value);
  if (state.promise?.leader.key === leader.key || !peers.includes(leaderId)) return [state, []];
  return [
    state,
    [
      send(leaderId, {
        type: 'volunteer',
        leader: { key: leader.key, revision: leader.createRevision },
        heir: { key: session.key, revision: ownRevision },
      }),
      setTimer('inherit', settings.heirWaitMs),
    ],
  ];
}

export function onOffer(
  state: EtcdState,
  from: NodeId,
  { id, leader, modRevision, heir, waitMs }: Extract<HeirMessage, { type: 'offer' }>,
  nowMs: number,
): EtcdTransition {
  const { phase, session, ownRevision, promise } = state;
  const isMeant = phase === 'waiting' && heir.key === session?.key && heir.revision === ownRevision;
  const offered: HeirPromise = { leader, modRevision, sinceMs: nowMs, waitMs };
  if (!isMeant || (promise !== null && isOlder(offered, promise))) return [state, []];
  return [
    change(state, { promise: offered }),
    [send(from, { type: 'promise', id, leader }), setTimer('inherit', waitMs)],
  ];
}

function isOlder(offered: HeirPromise, held: HeirPromise): boolean {
  return offered.leader.revision === held.leader.revision
    ? isAfter(held.modRevision, offered.modRevision)
    : isAfter(held.leader.revision, offered.leader.revision);
}

const isWaitOver = ({ sinceMs, waitMs }: HeirPromise, nowMs: number): boolean => nowMs >= sinceMs + waitMs;

export function onWaited(state: EtcdState, nowMs: number): EtcdTransition {
  const { phase, promise, session } = state;
  if (phase !== 'waiting' || session === null) return [state, []];
  if (promise === null) return volunteer(state);
  if (!isWaitOver(promise, nowMs)) {
    return [state, [setTimer('inherit', promise.sinceMs + promise.waitMs - nowMs)]];
  }
  return inherit(state, session, promise, nowMs);
}

/** Deletes the leader's key, if it is as it was promised, and looks; all in one, so that the answer is of one moment. */
function inherit(state: EtcdState, session: Session, promise: HeirPromise, nowMs: number): EtcdTransition {
  const { settings } = state;
  // A node whose own lease may have ended has no place in the queue.
  if (leaseDeadlineMs(state, session) <= nowMs) return [state, [setTimer('inherit', beatMs(settings))]];
  return andThen(look(state, 'txn', inheriting(state, session, promise)), (heir) => [
    change(heir, { inheritance: heir.look }),
    // No answer may come, and what was asked may have been done or not. It is safe to repeat.
    [setTimer('inherit', settings.requestTimeoutMs)],
  ]);
}

function inheriting(state: EtcdState, { key }: Session, { leader, modRevision }: HeirPromise): Transaction {
  const { compare, success } = looking(state);
  const own: Operation = { type: 'get', key };
  return {
    compare: [{ key: leader.key, target: 'mod', revision: modRevision }, ...compare],
    success: [{ type: 'delete', key: leader.key }, ...success],
    failure: [own, ...success],
  };
}

/** The answer as one to a look, which says by `succeeded` whether the own key is there. */
export function readInheritance(
  state: EtcdState,
  result: TransactionResult,
  nowMs: number,
): readonly [EtcdState, TransactionResult] {
  const { session, ownRevision, promise } = state;
  const isThere = result.found
    .flat()
    .some(({ key, createRevision }) => key === session?.key && createRevision === ownRevision);
  // Done, or in vain: the leader has written its key since. One that was given meanwhile stands.
  const isSpent = promise !== null && isWaitOver(promise, nowMs);
  const heir = change(state, { inheritance: null, ...(isSpent ? { promise: null } : {}) });
  return [heir, { ...result, succeeded: result.succeeded || isThere }];
}
