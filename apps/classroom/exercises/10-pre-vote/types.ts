/** The Raft of exercise 09, and two messages more. Not yours to change. */

import type { NodeId } from '@hustings/elector';
import type { Effect, MachineTypes } from '@hustings/elector/protocol';

export interface PreVoteState {
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
  readonly stored: Readonly<Record<NodeId, number>>;
  readonly standing: boolean;
  /** Who has said that it would vote for this node, itself included. Empty while this node does not ask. */
  readonly preVotes: readonly NodeId[];
  /** When this node last heard of a leader, by its own clock; null before the first time. */
  readonly heardMs: number | null;
}

export interface PreVoteRequest {
  readonly type: 'pre-vote-request';
  /** The term that an election would have: one more than the sender's. */
  readonly term: number;
  /** How long the sender's log is, and the term of its last entry; both 0 when it is empty. */
  readonly lastIndex: number;
  readonly lastTerm: number;
}

export interface PreVoteReply {
  readonly type: 'pre-vote-reply';
  /** Granted: the term that was asked about. Refused: the term of the one who refuses. */
  readonly term: number;
  readonly granted: boolean;
}

/** What the rest of Raft says, you neither send nor receive. */
export type PreVoteMessage =
  | PreVoteRequest
  | PreVoteReply
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

export interface PreVoteRaft extends MachineTypes {
  readonly state: PreVoteState;
  readonly message: PreVoteMessage;
  readonly durable: Pick<PreVoteState, 'currentTerm' | 'votedFor' | 'log'>;
  readonly timer: 'election' | 'heartbeat';
  readonly request: never;
  readonly announcement: never;
}

export type PreVoteEffect = Effect<PreVoteRaft>;
export type PreVoteTransition = readonly [state: PreVoteState, effects: readonly PreVoteEffect[]];

/** Begins a real election: the next term, a vote for itself, and a vote-request to everyone. */
export type CallElection = (state: PreVoteState) => PreVoteTransition;

/** How long a follower lets the leader be silent: the delay of the timer 'election'. */
export const electionTimeoutMs = [150, 300] as const;
