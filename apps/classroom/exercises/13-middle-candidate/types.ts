/** What a node and the queue say to each other. Not yours to change. */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input, MachineTypes } from '@hustings/elector/protocol';

export interface QueueState {
  readonly id: NodeId;
  /** This node's ticket in the queue; null while it has none. */
  readonly ticket: number | null;
}

/** Somebody who stands in the queue. */
export interface Place {
  readonly ticket: number;
  readonly node: NodeId;
}

export type QueueMessage =
  /** To the queue: give me a ticket. */
  | { readonly type: 'join' }
  /** From the queue: this one is yours, as long as your session lasts. Later tickets have higher numbers. */
  | { readonly type: 'joined'; readonly ticket: number }
  /** To the queue: who is there? */
  | { readonly type: 'list' }
  /** From the queue: these, **in no particular order**. */
  | { readonly type: 'listed'; readonly places: readonly Place[] }
  /** To the queue: tell me when this ticket is gone. */
  | { readonly type: 'watch'; readonly ticket: number }
  /** From the queue, once for each watch: it is gone. At once, if it had gone before you asked. */
  | { readonly type: 'gone'; readonly ticket: number }
  /** From the queue, as soon as it hears from you again: your session has ended, and this ticket with it. */
  | { readonly type: 'expired'; readonly ticket: number };

export interface Queue extends MachineTypes {
  readonly state: QueueState;
  readonly message: QueueMessage;
  readonly durable: never;
  readonly timer: 'unused';
  readonly request: never;
  readonly announcement: never;
}

/** What may happen to a node. */
export type QueueInput = Input<Queue>;
/** What a node may do about it. */
export type QueueEffect = Effect<Queue>;
export type QueueTransition = readonly [state: QueueState, effects: readonly QueueEffect[]];
