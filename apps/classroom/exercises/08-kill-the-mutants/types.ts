/** A run of Raft, step by step. Not yours to change. */

import type { NodeId } from '@hustings/elector';
import type { RaftMessage } from '../09-raft-vote/types.js';

export type { RaftMessage };

export interface Run {
  readonly nodes: readonly NodeId[];
  /** In the order in which they happened. */
  readonly steps: readonly Step[];
}

/** One node does one thing. */
export interface Step {
  readonly atMs: number;
  readonly node: NodeId;
  /** The message that it heard; null when it was something else. */
  readonly heard: { readonly from: NodeId; readonly message: RaftMessage } | null;
  /** The node has just come back from a crash. */
  readonly isRestart: boolean;
  readonly sent: readonly { readonly to: NodeId; readonly message: RaftMessage }[];
  /** What the node is after the step. */
  readonly role: 'follower' | 'candidate' | 'leader';
  readonly currentTerm: number;
  readonly votedFor: NodeId | null;
  /** The term of each entry. */
  readonly log: readonly number[];
  /** How many entries of its log a leader knows to be committed. */
  readonly commitIndex: number;
}
