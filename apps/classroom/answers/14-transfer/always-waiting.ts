// Always waits, if only for no time: the timer is set first, and one function decides whether it is time to go.
import { andThen, send, setTimer } from '@hustings/classroom';
import type { NodeId } from '@hustings/elector';
import {
  type CallElection,
  type StepDown,
  type TimeoutNow,
  type TransferState,
  type TransferTransition,
  transferTimeoutMs,
} from '../../exercises/14-transfer/types.js';

export function onResign(state: TransferState, to: NodeId | null, stepDown: StepDown): TransferTransition {
  let successor = to;
  for (const peer of state.peers) {
    if (to !== null) break;
    if (successor === null || (state.stored[peer] ?? 0) > (state.stored[successor] ?? 0)) successor = peer;
  }
  const waiting = { ...state, successor };
  return andThen<TransferState, TransferTransition[1][number]>(
    [waiting, [setTimer('transfer', transferTimeoutMs)]],
    (next) => onProgress(next, stepDown),
  );
}

export function onProgress(state: TransferState, stepDown: StepDown): TransferTransition {
  const { successor, stored, log, currentTerm } = state;
  if (successor === null || stored[successor] !== log.length) return [state, []];
  const [former, effects] = stepDown(state);
  return [former, [...effects, send(successor, { type: 'timeout-now', term: currentTerm })]];
}

export const onTransferTimeout = (state: TransferState, stepDown: StepDown): TransferTransition =>
  stepDown(state);

export function onTimeoutNow(
  state: TransferState,
  { term }: TimeoutNow,
  callElection: CallElection,
): TransferTransition {
  if (term !== state.currentTerm || state.role === 'leader') return [state, []];
  return callElection(state);
}
