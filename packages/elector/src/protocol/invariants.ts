import type { Belief, NodeId } from '../elector.js';

/** One node as the oracle sees it: what it is, beside what it thinks. */
export interface NodeView<State> {
  readonly id: NodeId;
  /** Neither crashed nor paused. */
  readonly running: boolean;
  readonly state: State;
  readonly belief: Belief;
  /** Holds a Leadership that has neither been aborted nor run out. */
  readonly leading: boolean;
}

/** A sentence that says what is wrong, or null. */
export type Finding = string | null;

/**
 * What must be true of an algorithm, apart from the algorithm. Names are sentences that a person would say
 * aloud; a failure is reported by its name.
 */
export interface Invariants<State> {
  /** True of every node in every state. */
  readonly ofOneState?: Readonly<Record<string, (state: State) => Finding>>;
  /** True of a node's state before and after each of its steps, restarts included. */
  readonly ofTwoStates?: Readonly<Record<string, (before: State, after: State) => Finding>>;
  /** True of all nodes together at every moment. */
  readonly always?: Readonly<Record<string, (nodes: readonly NodeView<State>[]) => Finding>>;
  /** Whether a step that changed a node so could break what `always` asks. Left out: any step could. */
  readonly concernsAll?: (before: State, after: State) => boolean;
  /** True within a bound after the last fault has healed. */
  readonly eventually?: Readonly<Record<string, (nodes: readonly NodeView<State>[]) => Finding>>;
}
