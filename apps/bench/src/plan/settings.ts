import type { DelayRangeMs } from '@hustings/elector/protocol';
import type { NetworkModel } from '@hustings/simulator';

/**
 * Every constant of the benchmark that shapes a number in its table. The README explains them.
 */

export const defaultSeed = 'hustings';

/** The simulated network while nothing is wrong: one data centre, connections as over TCP. */
export const network: NetworkModel = {
  latencyMs: [0.5, 2],
  lossProbability: 0,
  duplicateProbability: 0,
  reorders: false,
  tellsLivesApart: true,
  closesLinksOnCrash: true,
};

/** How a simulated run differs from the usual one: its network, and how long disks take. */
export interface Circumstances extends Partial<NetworkModel> {
  /** A node's save. Usually no time. */
  readonly saveMs?: DelayRangeMs;
  /** The coordinator's commit of a write. Usually no time. */
  readonly commitMs?: DelayRangeMs;
}

/** How often each leader writes to the store. */
export const writeIntervalMs = 10;

/** The times of a trial, as multiples of the detection time that the algorithm was configured for. */
export interface Timing {
  /** A cluster that has no leader by then is reported as unresolved. */
  readonly start: number;
  /** From the first leader on: what the first election still has under way would pass for steady state. */
  readonly calm: number;
  /** Then, to the fault: drawn from this range, so that no two trials hit one phase of the heartbeats. */
  readonly quiet: readonly [min: number, max: number];
  /** How long after the fault a new leader counts. */
  readonly limit: number;
  /** The same where the old leader may rightly stay: how long it is watched staying. */
  readonly watch: number;
  /**
   * From convergence until the fault heals: the time in which a leader that does not know better does damage.
   * Drawn from a range, too: a whole number of heartbeats would heal every trial in one phase of them.
   */
  readonly hold: readonly [min: number, max: number];
  /** How long a healed cluster is watched at least, and at most while it has not settled. */
  readonly aftermath: readonly [least: number, most: number];
}

const timing: Timing = {
  start: 20,
  calm: 0.5,
  quiet: [1, 2],
  limit: 5,
  watch: 5,
  hold: [1, 1.5],
  aftermath: [1, 3],
};

/** In a large cluster even an idle second is thousands of events: what only fills time is cut short. */
const timingOfLargeClusters: Timing = {
  ...timing,
  calm: 0.25,
  quiet: [0.35, 0.7],
  watch: 1.5,
  hold: [0.25, 0.5],
  aftermath: [0.25, 3],
};

const mostNodesOfSmallClusters = 9;

export function timingOf(nodes: number): Timing {
  return nodes > mostNodesOfSmallClusters ? timingOfLargeClusters : timing;
}
