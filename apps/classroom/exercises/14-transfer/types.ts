/** The Raft of exercise 09, with one message and one field more. Not yours to change. */

import type { NodeId } from '@hustings/elector';
import type { Effect, MachineTypes } from '@hustings/elector/protocol';

export interface TransferState {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly role: 'follower' | 'candidate' | 'leader';
  readonly currentTerm: number;
  readonly votedFor: NodeId | null;
  /** The term of each entry, the oldest first. */
  readonly log: readonly number[];
  readonly leaderId: NodeId | null;
  readonly votes: readonly NodeId[];
  readonly commitIndex: number;
  /** Leader: how many entries each follower has, as far as it has said so. */
  readonly stored: Readonly<Record<NodeId, number>>;
  readonly standing: boolean;
  /** Leader: whom it waits for before it leaves; null while it does not want to leave. */
  readonly successor: NodeId | null;
}

export interface TimeoutNow {
  readonly type: 'timeout-now';
  /** The term in which its sender led. */
  readonly term: number;
}

/** What the rest of Raft says, you neither send nor receive. */
export type TransferMessage =
  | TimeoutNow
  | {
      readonly type: 'vote-request';
      readonly term: number;
      readonly lastIndex: number;
      readonly lastTerm: number;
    }
  | { readonly type: 'vote-reply'; readonly term: number; readonly granted: boolean }
  | {
      readonly type: 'append';
      readonly term: number;
      readonly log: readonly number[];
      readonly commitIndex: number;
    }
  | { readonly type: 'append-reply'; readonly term: number; readonly stored: number };

export interface TransferRaft extends MachineTypes {
  readonly state: TransferState;
  readonly message: TransferMessage;
  readonly durable: Pick<TransferState, 'currentTerm' | 'votedFor' | 'log'>;
  readonly timer: 'election' | 'heartbeat' | 'transfer';
  readonly request: never;
  readonly announcement: never;
}

export type TransferEffect = Effect<TransferRaft>;
export type TransferTransition = readonly [state: TransferState, effects: readonly TransferEffect[]];

/** Stops leading: the effect 'step-down', a follower's role, and no successor any more. */
export type StepDown = (state: TransferState) => TransferTransition;
/** Begins an election now: the next term, a vote for itself, and a vote-request to everyone. */
export type CallElection = (state: TransferState) => TransferTransition;

/** How long a leader that wants to leave waits for its successor: the delay of the timer 'transfer'. */
export const transferTimeoutMs = [150, 150] as const;
