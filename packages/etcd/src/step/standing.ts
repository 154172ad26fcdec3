/** Standing and waiting: how a node enters the queue, whom it watches, and when it looks again. */

import { andThen, cancelTimer, setTimer } from '@hustings/elector/protocol';
import { volunteer } from '../heirs/heir.js';
import { isCandidate } from '../keys.js';
import type { Change, TransactionResult } from '../messages.js';
import { isAfter } from '../revisions.js';
import { change, type EtcdState, type Session } from '../state.js';
import { announceBlockage, announceValue, tell } from '../tell.js';
import type { EtcdTransition } from '../transition.js';
import { applyChanges, findOwn, predecessorOf, readView } from '../view.js';
import { ask, look, lookUnlessAsked, watchAfter } from './asking.js';
import { deleteDead } from './certificates.js';
import { lossShownBy, onDataLost, remember, rememberLeader } from './data-loss.js';
import { depose, takeLead } from './leading.js';
import { completeResignation, forgetSession, giveBackLease } from './leaving.js';

/** Enters the election, unless this node is in it already or must leave it first. */
export function stand(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.phase !== 'following' || !state.standing || !state.healthy) return [state, []];
  return andThen(tell(change(state, { phase: 'granting' })), (granting) => ask(granting, nowMs));
}

export function onJoined(
  state: EtcdState,
  session: Session,
  result: TransactionResult,
  nowMs: number,
): EtcdTransition {
  const waiting = change(answered(state), { phase: 'waiting' });
  const own = findOwn(result, session);
  if (state.settings.succession === 'race') return onView(waiting, result, nowMs);
  // The key is named after our lease, so under another lease it cannot be.
  if (own === null) return rejoin(state, nowMs);
  return look(change(waiting, { ownRevision: own.createRevision, ownModRevision: own.modRevision }));
}

export const answered = (state: EtcdState): EtcdState => change(state, { request: null });

/** The key is gone, but not the wish: enter again, at the end of the queue. */
function rejoin(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(giveBackLease(state), (former) => stand(former, nowMs));
}

export function onLook(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  const { clusterId } = result;
  const loss = lossShownBy(state, result);
  const answered: EtcdTransition = [change(state, { look: null, clusterId }), [cancelTimer('look')]];
  const informed = loss === null ? answered : andThen(answered, (looked) => beginAgain(looked, loss));
  return andThen(informed, (looked) => onView(looked, result, nowMs));
}

/** Nothing that this node knew is of the etcd that answers now. */
function beginAgain(state: EtcdState, loss: string): EtcdTransition {
  return andThen(
    onDataLost(state, loss),
    (informed) => (informed.phase === 'leading' ? depose(informed) : [informed, []]),
    (former) => [change(former, { seen: '0', lookedAt: '0', heardUpTo: '0' }), []],
  );
}

/** The election as it was at `result.revision`: act on it, and watch for what comes after. */
function onView(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  const { revision } = result;
  // Something was quicker than this answer. A look that is sent now sees at least as much as it told.
  if (isAfter(state.heardUpTo, revision) || isAfter(state.lookedAt, revision)) return look(state);
  const { members, ownIsThere, hasStrangers } = readView(state, result);
  if (hasStrangers && !state.crowded && !state.observed) return look(change(state, { crowded: true }));
  const seen = change(state, { members, crowded: hasStrangers, lookedAt: revision });
  return andThen(
    rememberLeader(seen, members[0]),
    (viewer) => [remember(viewer, revision), []],
    (viewer) => (ownIsThere ? onOwnFound(viewer, result, nowMs) : onOwnMissing(viewer, nowMs)),
    tell,
    (told) => [told, [...announceValue(state, told), ...announceBlockage(state, told)]],
    (told) => watchAfter(told, revision),
    deleteDead,
    volunteer,
  );
}

function onOwnFound(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  const { phase, session } = state;
  if (phase !== 'waiting' || session === null) return [state, []];
  // In a race the own key is found by looking; in a queue it is known since joining, and need not be shown.
  const own = findOwn(result, session);
  const known: EtcdState =
    own === null
      ? state
      : change(state, { ownRevision: own.createRevision, ownModRevision: own.modRevision });
  return predecessorOf(known) === null ? takeLead(known, nowMs) : [known, []];
}

function onOwnMissing(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.phase === 'leading') return depose(state);
  if (state.phase !== 'waiting') return [state, []];
  if (state.settings.succession === 'queue') return rejoin(state, nowMs);
  return state.members.length === 0 ? run(state, nowMs) : [state, []];
}

/** The one key of a race is free: try to be the first to put it. */
export function run(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(tell(change(state, { phase: 'joining' })), (runner) => ask(runner, nowMs));
}

export function onChanges(state: EtcdState, reported: readonly Change[], nowMs: number): EtcdTransition {
  const changes = reported.filter(
    ({ key, revision }) => isAfter(revision, state.lookedAt) && isCandidate(state.settings, key),
  );
  const last = changes.at(-1);
  if (last === undefined) return [state, []];
  const [first = last] = changes;
  // Twice, or overtaken by a later one: this network is no TCP connection. Start from what is there.
  if (!isAfter(first.revision, state.heardUpTo)) return look(state);
  const heardUpTo = last.revision;
  const gone = new Set(changes.filter(({ type }) => type === 'delete').map(({ key }) => key));
  const waitsFor = predecessorOf(state)?.key;
  return andThen(
    tell(change(remember(state, heardUpTo), { heardUpTo, members: applyChanges(state, changes) })),
    (told) => onGone(told, gone, waitsFor, nowMs),
    (after) => [after, announceValue(state, after)],
    deleteDead,
  );
}

function onGone(
  state: EtcdState,
  gone: ReadonlySet<string | undefined>,
  waitsFor: string | undefined,
  nowMs: number,
): EtcdTransition {
  const { phase, session, settings } = state;
  if (phase === 'leading') return gone.has(session?.key) ? depose(state) : [state, []];
  if (phase !== 'waiting') return [state, []];
  if (settings.succession === 'race') return state.members.length === 0 ? run(state, nowMs) : [state, []];
  // The one in the middle may have died and not the leader, and our own key may have gone as well.
  return gone.has(session?.key) || gone.has(waitsFor) ? lookUnlessAsked(state) : [state, []];
}

/** The watch is over. Not at once, in case etcd refuses every watch. */
export function onWatchLost(state: EtcdState, id: number): EtcdTransition {
  if (state.watch?.id !== id) return [state, []];
  return [change(state, { watch: null }), [setTimer('look', state.settings.retryMs)]];
}

/** etcd has acknowledged that our key is gone. */
export function onLeft(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(completeResignation(state), forgetSession, tell, (former) => stand(former, nowMs));
}
