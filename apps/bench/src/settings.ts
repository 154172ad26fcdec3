import type { NetworkModel } from '@hustings/simulator';

/**
 * Every constant of the benchmark that shapes a number in its table. The README explains them.
 */

export type ProfileName = 'matched' | 'defaults';

export const profiles = ['matched', 'defaults'] as const satisfies readonly ProfileName[];

/** etcd leases and ZooKeeper sessions come in seconds, so a smaller budget could not be matched by all. */
export const defaultBudgetMs = 2000;

/** Below this, a heartbeat would be due more often than a timer of the operating system is exact. */
export const minBudgetMs = 100;

export const defaultSeed = 'hustings';

/** The simulated network while nothing is wrong: one data centre, connections as over TCP. */
export const network: NetworkModel = {
  latencyMs: [0.5, 2],
  lossProbability: 0,
  duplicateProbability: 0,
  reorders: false,
  closesLinksOnCrash: true,
};

/** How often each leader writes to the store. */
export const writeIntervalMs = 10;

/** The times of a trial, as multiples of the detection time that the algorithm was configured for. */
export const timing = {
  /** A cluster that has no leader by then is reported as unresolved. */
  start: 20,
  /** From the first leader on: what the first election still has under way would pass for steady state. */
  calm: 0.5,
  /** Then, to the fault: drawn from this range, so that no two trials hit one phase of the heartbeats. */
  quiet: [1, 2],
  /** How long after the fault a new leader counts. */
  limit: 5,
  /**
   * From convergence until the fault heals: the time in which a leader that does not know better does damage.
   * Drawn from a range, too: a whole number of heartbeats would heal every trial in one phase of them.
   */
  hold: [1, 1.5],
  /** How long a healed cluster is watched at least, and at most while it has not settled. */
  aftermath: [1, 3],
} as const;
