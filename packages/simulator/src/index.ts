/**
 * Runs election protocols on a virtual clock from one seed, breaks them on purpose, and says which promise was
 * broken and when. The same seed gives the same trace, byte for byte.
 *
 * @packageDocumentation
 */
export { Causes } from './causes.js';
export { type DiagramOptions, drawDiagram } from './diagram.js';
export { type Divergence, findDivergence } from './divergence.js';
export { EventQueue, type Timed } from './event-queue.js';
export { explain, pastOf, type Question, type Statement, tellStatements } from './explain.js';
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
export {
  fit,
  type JudgeOptions,
  judge,
  type Plan,
  planWorkload,
  type Subject,
  scheduleOfSeed,
  type Workload,
} from './judge.js';
export { defaultNetwork, type NetworkModel } from './network.js';
export { type AnyMachine, type AnyProtocol, type AnyTypes, SimulatedNode } from './node.js';
export {
  agreement,
  atMostOneLeader,
  beyondClocks,
  legalEffects,
  Oracle,
  type Promises,
  tokensDiffer,
  tokensGrow,
  type Violation,
  type World,
} from './oracle.js';
export { deriveSeed, Random } from './random.js';
export { Recorder, type RecordOptions, record } from './recorder.js';
export {
  type Flight,
  type FlightEnd,
  type Holding,
  type LossReason,
  type Moment,
  type RecordedFault,
  type RecordedTenure,
  Recording,
  type Reign,
} from './recording.js';
export { type ReportOptions, writeReport, writeScenario } from './report.js';
export { comesToAnEnd, type Historian, type RunOptions, type RunResult, run } from './run.js';
export {
  checkBounds,
  formatRunName,
  parseRunName,
  type RunName,
  runBounds,
  runNameVersion,
  scheduleOf,
  sealName,
  unsealName,
} from './run-name.js';
export { playScenario } from './scenario.js';
export {
  type DrawnWorkload,
  formatFault,
  formatSchedule,
  parseSchedule,
  type Schedule,
  type Setting,
  type Settings,
} from './schedule.js';
export { formatShiviz, shivizParser } from './shiviz.js';
export { type Shrunk, shrink } from './shrink.js';
export {
  type AnyEffect,
  type AnyInput,
  type Observer,
  type Service,
  Simulation,
  type SimulationOptions,
  type WorldEvent,
} from './simulation.js';
export { type DrawingOptions, drawText, type TextOptions } from './space-time.js';
export { isWorthTelling, tellEvent, tellFault, tellStory } from './story.js';
export {
  defaultSwarm,
  drawSchedule,
  type FaultType,
  nodeNames,
  type Swarm,
  type SwarmSubject,
  type Timing,
} from './swarm.js';
export { formatTrace, happenedBefore, type TraceEvent, TraceRecorder, type VectorClock } from './trace.js';
export { causalPast, findWitnesses } from './witnesses.js';
export type { Write, WriterOptions } from './writes.js';
