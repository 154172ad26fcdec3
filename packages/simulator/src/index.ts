/**
 * Runs election protocols on a virtual clock from one seed, breaks them on purpose, and says which promise was
 * broken and when. The same seed gives the same trace, byte for byte.
 *
 * @packageDocumentation
 */
export { EventQueue, type Timed } from './event-queue.js';
export {
  type Counterexample,
  defaultBounds,
  type Exploration,
  type ExploreBounds,
  type ExploreOptions,
  type ExploreProgress,
  explore,
  tellCounterexample,
} from './explore.js';
export { type Fault, type FaultKind, faultTypes, type Target } from './faults.js';
export { defaultNetwork, type NetworkModel } from './network.js';
export { type AnyProtocol, SimulatedNode } from './node.js';
export { agreement, atMostOneLeader, Oracle, tokensGrow, type Violation, type World } from './oracle.js';
export { deriveSeed, Random } from './random.js';
export { type RunOptions, type RunResult, run } from './run.js';
export { playScenario } from './scenario.js';
export { formatFault, formatSchedule, parseSchedule, type Schedule } from './schedule.js';
export {
  type AnyEffect,
  type AnyInput,
  type Observer,
  Simulation,
  type SimulationOptions,
  type WorldEvent,
} from './simulation.js';
export { tellFault, tellStory } from './story.js';
export { formatTrace, happenedBefore, type TraceEvent, TraceRecorder, type VectorClock } from './trace.js';
