import type { NodeId } from '@hustings/elector';
import type { CallElection, StepDown, TimeoutNow, TransferState, TransferTransition } from './types.js';

/** This node leads, and its application wants it to stop. `to` is the successor that it names, or null. */
export function onResign(state: TransferState, to: NodeId | null, stepDown: StepDown): TransferTransition {
  return [state, []];
}

/** `state.successor` is not null, and a follower has just said what it has: `state.stored` knows already. */
export function onProgress(state: TransferState, stepDown: StepDown): TransferTransition {
  return [state, []];
}

/** The timer 'transfer' has fired, and `state.successor` is still not null. */
export function onTransferTimeout(state: TransferState, stepDown: StepDown): TransferTransition {
  return [state, []];
}

/** The leader says that this node is to succeed it. */
export function onTimeoutNow(
  state: TransferState,
  message: TimeoutNow,
  callElection: CallElection,
): TransferTransition {
  return [state, []];
}
