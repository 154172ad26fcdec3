/** Leaving office in good order (thesis §3.10): the successor is told, and need not wait for a timeout. */

import type { NodeId, StepDownReason } from '@hustings/elector';
import { andThen, byRank, send, setTimer } from '@hustings/elector/protocol';
import { lastIndex } from '../log.js';
import { isVoter } from '../membership.js';
import { change, isPresent, priorityOf, type RaftState } from '../state.js';
import type { RaftTransition } from '../transition.js';
import { becomeFollower } from './follower.js';

/** The application asks not to lead. A leader with an heir that lacks entries waits until it has them. */
export function resign(state: RaftState, to: NodeId | undefined, nowMs: number): RaftTransition {
  if (state.role !== 'leader') return withdraw(state);
  if (!state.standing) return [state, [{ type: 'step-down', reason: 'resigned' }]]; // A caretaker holds no office.
  if (state.successor !== null) return [state, []]; // One resignation answers both.
  const successor = chooseSuccessor(state, nowMs, to);
  if (successor === null) return becomeFollower(state, state.currentTerm, null, 'resigned');
  const [patienceMs] = state.settings.electionTimeoutMs;
  const resigning = change(state, { successor });
  return andThen([resigning, [setTimer('transfer', patienceMs)]], (leader) =>
    completeTransfer(leader, nowMs),
  );
}

/** Ends a candidacy, or the wish for one. */
function withdraw(state: RaftState): RaftTransition {
  const [follower, effects] =
    state.role === 'follower' ? [state, []] : becomeFollower(state, state.currentTerm, null);
  return [change(follower, { standing: false }), [{ type: 'step-down', reason: 'resigned' }, ...effects]];
}

/**
 * Hands over as soon as the successor has every entry; it could not win without them (§5.4.1). One that says
 * meanwhile that it would not take over is not waited for.
 */
export function completeTransfer(state: RaftState, nowMs: number): RaftTransition {
  const { successor, followers } = state;
  if (successor === null) return [state, []];
  if (followers[successor]!.available === false) return handOver(state, 'resigned', nowMs);
  return isCaughtUp(state, successor) ? handOverTo(state, successor, 'resigned') : [state, []];
}

/** Hands the term to whoever wants to lead, as soon as that has every entry. A follower has no heirs. */
export function relieveCaretaker(state: RaftState, nowMs: number): RaftTransition {
  if (state.standing) return [state, []];
  const successor = chooseSuccessor(state, nowMs);
  if (successor === null || !isCaughtUp(state, successor)) return [state, []];
  return handOverTo(change(state, { caretaker: false }), successor, 'resigned');
}

/** The successor did not catch up in time. Somebody will be elected. */
export function abandonTransfer(state: RaftState): RaftTransition {
  return becomeFollower(state, state.currentTerm, null, 'resigned');
}

/** Leaves office now, to the best successor if one is ready. */
export function handOver(state: RaftState, reason: StepDownReason, nowMs: number): RaftTransition {
  const successor = chooseSuccessor(state, nowMs);
  return successor !== null && isCaughtUp(state, successor)
    ? handOverTo(state, successor, reason)
    : becomeFollower(state, state.currentTerm, null, reason);
}

/** The Leadership ends before the successor hears that it may begin. */
function handOverTo(state: RaftState, successor: NodeId, reason: StepDownReason): RaftTransition {
  return andThen(becomeFollower(state, state.currentTerm, null, reason), (former) => [
    former,
    [send(successor, { type: 'timeout-now', term: state.currentTerm })],
  ]);
}

const isCaughtUp = ({ followers, log }: RaftState, id: NodeId): boolean =>
  followers[id]!.matchIndex === lastIndex(log);

/** The one that is named, if it is fit; otherwise, of those that answer and would take over, the most up to date. */
function chooseSuccessor(state: RaftState, nowMs: number, to?: NodeId): NodeId | null {
  const { membership, followers, settings } = state;
  if (to !== undefined && mayBeNamed(state, to, nowMs)) return to;
  const heirs = membership.voters.filter((voter) => {
    const progress = followers[voter];
    return progress?.available === true && isPresent(state, progress, nowMs);
  });
  const [best] = heirs.sort(
    (a, b) =>
      followers[b]!.matchIndex - followers[a]!.matchIndex ||
      priorityOf(settings, b) - priorityOf(settings, a) ||
      byRank(b, a),
  );
  return best ?? null;
}

/** A voter that has not said that it would not take over, nor been silent for long: there is time to find out. */
function mayBeNamed(state: RaftState, id: NodeId, nowMs: number): boolean {
  const progress = state.followers[id];
  if (progress === undefined || !isVoter(state.membership, id)) return false;
  return progress.available !== false && (progress.answeredMs === null || isPresent(state, progress, nowMs));
}
