/** A Raft that is small enough to learn from: its log holds terms and nothing else. Not yours to change. */

import type { NodeId } from '@hustings/elector';
import type { Effect, MachineTypes } from '@hustings/elector/protocol';

export interface RaftState {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly role: 'follower' | 'candidate' | 'leader';
  readonly currentTerm: number;
  /** Whom this node has given its vote in `currentTerm`. */
  readonly votedFor: NodeId | null;
  /** The term of each entry, the oldest first. */
  readonly log: readonly number[];
  readonly leaderId: NodeId | null;
  /** Candidate: who has voted for it, itself included. */
  readonly votes: readonly NodeId[];
  /** How many entries are known to be stored by a majority. */
  readonly commitIndex: number;
  /** Leader: how many entries each follower has. */
  readonly stored: Readonly<Record<NodeId, number>>;
  /** The application asks to lead. */
  readonly standing: boolean;
}

export interface VoteRequest {
  readonly type: 'vote-request';
  readonly term: number;
  /** How long the candidate's log is, and the term of its last entry; both 0 when it is empty. */
  readonly lastIndex: number;
  readonly lastTerm: number;
}

export type RaftMessage =
  | VoteRequest
  | { readonly type: 'vote-reply'; readonly term: number; readonly granted: boolean }
  /** The leader's whole log, again and again: also its heartbeat. */
  | {
      readonly type: 'append';
      readonly term: number;
      readonly log: readonly number[];
      readonly commitIndex: number;
    }
  | { readonly type: 'append-reply'; readonly term: number; readonly stored: number };

export type RaftTimer = 'election' | 'heartbeat';

/** What must survive a crash. */
export interface RaftDurable {
  readonly currentTerm: number;
  readonly votedFor: NodeId | null;
  readonly log: readonly number[];
}

export interface Raft extends MachineTypes {
  readonly state: RaftState;
  readonly message: RaftMessage;
  readonly durable: RaftDurable;
  readonly timer: RaftTimer;
  readonly request: never;
  readonly announcement: never;
}

export type RaftEffect = Effect<Raft>;
export type RaftTransition = readonly [state: RaftState, effects: readonly RaftEffect[]];

/** How long a follower lets the leader be silent: the delay of the timer 'election'. */
export const electionTimeoutMs = [150, 300] as const;
