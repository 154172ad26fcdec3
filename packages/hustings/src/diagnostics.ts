/** What an operator would want to know, from every part of an elector in one form. */

import type { NodeId, StepDownReason } from '@hustings/elector';

export type Level = 'info' | 'warn' | 'error';

/** Stable: alerts may rely on it. */
export type DiagnosticType =
  /** This node leads, or leads no more. */
  | 'leads'
  | 'lost-leadership'
  /** It stands, and has heard of nobody who leads. */
  | 'no-leader'
  /** etcd or ZooKeeper answers; or does not, and why; or answers and says no. */
  | 'connected'
  | 'unreachable'
  | 'denied'
  | 'not-connected-in-time'
  /** The server knows less than it did. */
  | 'data-lost'
  /** A key that belongs to no candidate stands in the way. */
  | 'blocked'
  /** Another node cannot be reached, or can be again; or one of the two refuses the other. */
  | 'peer-unreachable'
  | 'peer-connected'
  | 'peer-refused'
  /** The death of its process could not be certified: a leader that dies there is replaced when its lease is over. */
  | 'peer-uncertifiable'
  /** A bug: a message could not be sent, or not be handled. */
  | 'message-lost'
  /** What is measured exceeds, or nears, what the timings bear. */
  | 'stalled'
  | 'slow-round-trips'
  | 'lease-lapsed'
  | 'heirs-strained'
  /** The configuration is not what it seems to be. */
  | 'even-cluster'
  | 'membership-differs'
  /** This node has left the election. */
  | 'storage-failed'
  | 'transport-failed'
  | 'protocol-failed'
  | 'stop-timed-out';

/** None of them needs an answer: the elector has acted already. */
export interface Diagnostic {
  readonly type: DiagnosticType;
  readonly level: Level;
  /** One sentence for people: what happened, and what to do about it. */
  readonly message: string;
  readonly id: NodeId;
  /** Null where the election has no name. */
  readonly election: string | null;
  /** The node or the server that it is about. */
  readonly about?: string;
  readonly error?: Error;
  /** With `lost-leadership`: why. */
  readonly reason?: StepDownReason;
  /** The address of the page that says what it means and what to do. */
  readonly help: string;
}

/** What a part of an elector reports; the elector adds who it is. */
export type Report = Omit<Diagnostic, 'id' | 'election' | 'help'>;

export type Reporter = (report: Report) => void;
