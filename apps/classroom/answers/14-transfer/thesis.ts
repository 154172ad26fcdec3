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
  const successor = to ?? mostEntries(state);
  if (isReady(state, successor)) return handOver(state, successor, stepDown);
  return [{ ...state, successor }, [{ type: 'set-timer', timer: 'transfer', delayMs: transferTimeoutMs }]];
}

const storedBy = ({ stored }: TransferState, node: NodeId): number => stored[node] ?? 0;

const isReady = (state: TransferState, node: NodeId): boolean => storedBy(state, node) >= state.log.length;

const mostEntries = (state: TransferState): NodeId =>
  [...state.peers].sort((a, b) => storedBy(state, b) - storedBy(state, a))[0] ?? state.id;

function handOver(state: TransferState, successor: NodeId, stepDown: StepDown): TransferTransition {
  const [former, effects] = stepDown(state);
  return [
    former,
    [...effects, { type: 'send', to: successor, message: { type: 'timeout-now', term: state.currentTerm } }],
  ];
}

export function onProgress(state: TransferState, stepDown: StepDown): TransferTransition {
  const { successor } = state;
  if (successor === null || !isReady(state, successor)) return [state, []];
  return handOver(state, successor, stepDown);
}

export function onTransferTimeout(state: TransferState, stepDown: StepDown): TransferTransition {
  return stepDown(state);
}

export function onTimeoutNow(
  state: TransferState,
  message: TimeoutNow,
  callElection: CallElection,
): TransferTransition {
  return message.term === state.currentTerm ? callElection(state) : [state, []];
}
