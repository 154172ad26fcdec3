import type { Swarm } from '@hustings/simulator';

/** What the threads of a search say to one another. */

/** Given to a worker when it starts. */
export interface Assignment {
  readonly algorithm: string;
  readonly variant: string;
  readonly swarm: Swarm;
  /** Which of the algorithm's mutants to run in its place. */
  readonly mutant?: string;
}

/** Consecutive seeds to run next. */
export interface Batch {
  readonly firstSeed: number;
  readonly count: number;
}

/** A seed that broke a promise. */
export interface Find {
  readonly seed: number;
  readonly property: string;
}

export interface BatchResult {
  readonly runs: number;
  readonly finds: readonly Find[];
}
