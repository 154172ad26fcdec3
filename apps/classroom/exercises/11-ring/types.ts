/** A ring in which each node speaks to the next one only. Not yours to change. */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input, MachineTypes } from '@hustings/elector/protocol';

export interface RingState {
  readonly id: NodeId;
  /** The only node that this one sends to. */
  readonly next: NodeId;
  /** An election is under way that this node knows of: it has called one, or passed one on. */
  readonly participant: boolean;
  readonly leaderId: NodeId | null;
}

export type RingMessage =
  /** This node should lead, unless there is a stronger one. */
  | { readonly type: 'election'; readonly candidate: NodeId }
  /** This node leads. */
  | { readonly type: 'coordinator'; readonly leader: NodeId };

/** Nobody has said who leads: time to call an election. */
export type RingTimer = 'leader';

export interface Ring extends MachineTypes {
  readonly state: RingState;
  readonly message: RingMessage;
  readonly durable: never;
  readonly timer: RingTimer;
  readonly request: never;
  readonly announcement: never;
}

/** What may happen to a node. */
export type RingInput = Input<Ring>;
/** What a node may do about it. */
export type RingEffect = Effect<Ring>;
export type RingTransition = readonly [state: RingState, effects: readonly RingEffect[]];

/** How long a node waits to be told who leads, before it asks: the delay of the timer 'leader'. */
export const leaderTimeoutMs = [500, 1000] as const;
