/** The Raft of the exercises with leadership transfer, of which a student writes the rules. */

import type { NodeId } from '@hustings/elector';
import { andThen, cancelTimer, type Input, type Protocol } from '@hustings/elector/protocol';
import type {
  CallElection,
  StepDown,
  TimeoutNow,
  TransferRaft,
  TransferState,
  TransferTransition,
} from '../../exercises/14-transfer/types.js';
import { raftWith } from './raft.js';
import { intactRules } from './raft-mutants.js';

export interface TransferRules {
  onResign(state: TransferState, to: NodeId | null, stepDown: StepDown): TransferTransition;
  onProgress(state: TransferState, stepDown: StepDown): TransferTransition;
  onTransferTimeout(state: TransferState, stepDown: StepDown): TransferTransition;
  onTimeoutNow(state: TransferState, message: TimeoutNow, callElection: CallElection): TransferTransition;
}

/** It hands on whatever else a state holds. */
const raft = raftWith(intactRules) as unknown as Protocol<TransferRaft>;

export function raftWithTransfer(rules: TransferRules): Protocol<TransferRaft> {
  return {
    ...raft,
    algorithm: 'raft-sketch-transfer',
    guarantees: { ...raft.guarantees, targetedTransfer: true },
    initialState: (id, peers) => ({ ...raft.initialState(id, peers), successor: null }),
    step: (state, input, nowMs) => andThen(step(state, input, nowMs, rules), forgetSuccessor),
  };
}

const stepDown: StepDown = (state) =>
  andThen(raft.step(state, { type: 'resign-requested' }, 0), forgetSuccessor);

const callElection: CallElection = (state) => raft.step(state, { type: 'timer-fired', timer: 'election' }, 0);

/** Only a leader has one, also if a later term has ended its leading. */
const forgetSuccessor = (state: TransferState): TransferTransition =>
  state.role === 'leader' || state.successor === null
    ? [state, []]
    : [{ ...state, successor: null }, [cancelTimer('transfer')]];

function step(
  state: TransferState,
  input: Input<TransferRaft>,
  nowMs: number,
  rules: TransferRules,
): TransferTransition {
  const isLeaving = state.role === 'leader' && state.successor !== null;
  if (input.type === 'resign-requested' && state.role === 'leader') {
    return isLeaving ? [state, []] : rules.onResign(state, input.to ?? null, stepDown);
  }
  if (input.type === 'timer-fired' && input.timer === 'transfer') {
    return isLeaving ? rules.onTransferTimeout(state, stepDown) : [state, []];
  }
  if (input.type !== 'received') return raft.step(state, input, nowMs);
  if (input.message.type === 'timeout-now') return rules.onTimeoutNow(state, input.message, callElection);
  const isProgress = isLeaving && input.message.type === 'append-reply';
  return andThen(raft.step(state, input, nowMs), (next) =>
    isProgress && next.role === 'leader' ? rules.onProgress(next, stepDown) : [next, []],
  );
}
