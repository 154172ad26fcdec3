import { type ExploreRequest, exploreAlgorithm } from './exploration.js';

export interface ExploreSpeed {
  readonly statesPerSecond: number;
  /** The same states without any check: what remains is the cost of exploring. */
  readonly statesPerSecondUnchecked: number;
}

/** Enough states for the cost of each to settle. */
const enoughStates = 300_000;

const rounds = 3;

/**
 * Explores the same states with and without the checks. The best of several rounds counts, taken in turn: other
 * work on the machine only ever slows a round down.
 */
export function measureExplore(algorithm: string, maxStates = enoughStates): ExploreSpeed {
  const task: ExploreRequest = {
    algorithm,
    variant: 'default',
    nodes: 3,
    undeclared: false,
    bounds: { depth: 1000, maxStates },
  };
  let statesPerSecond = 0;
  let statesPerSecondUnchecked = 0;
  for (let round = 0; round < rounds; round += 1) {
    const unchecked = exploreAlgorithm({ ...task, checks: false });
    const checked = exploreAlgorithm(task);
    statesPerSecondUnchecked = Math.max(statesPerSecondUnchecked, unchecked.statesPerSecond);
    statesPerSecond = Math.max(statesPerSecond, checked.statesPerSecond);
  }
  return { statesPerSecond, statesPerSecondUnchecked };
}
