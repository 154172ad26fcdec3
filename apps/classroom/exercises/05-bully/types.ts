/** What nodes say to each other, what they remember, and what they wait for. Not yours to change. */

import type { NodeId } from '@hustings/elector';

export interface Bully {
  readonly state: BullyState;
  readonly message: BullyMessage;
  readonly timer: BullyTimer;
  /** What must survive a crash: a node that forgot the epoch would give out a token twice. */
  readonly saved: { readonly epoch: number };
}

export interface BullyState {
  /** Idle: nobody is asked. Asking: stronger nodes are asked. Answered: one of them takes over. */
  phase: 'idle' | 'asking' | 'answered';
  leader: NodeId | null;
  /** The highest epoch that this node knows of. */
  epoch: number;
}

export type BullyMessage =
  /** To every stronger node: is one of you there? */
  | { readonly type: 'election'; readonly epoch: number }
  /** To a weaker node that asked: yes. Stand back. */
  | { readonly type: 'answer'; readonly epoch: number }
  /** To everyone, once: I lead from now on. */
  | { readonly type: 'coordinator'; readonly epoch: number }
  /** To everyone, every `heartbeatMs`: I still lead. */
  | { readonly type: 'heartbeat'; readonly epoch: number };

export type BullyTimer =
  /** Follower: the leader has been silent for too long. */
  | 'leader'
  /** Asking: nobody stronger has answered in time. */
  | 'answer'
  /** Answered: the stronger node has announced nobody in time. */
  | 'coordinator'
  /** Leader: the next heartbeat is due. */
  | 'heartbeat';
