/**
 * One simulated trial of the benchmark, for whoever replays it.
 *
 * @packageDocumentation
 */
export { formatTrialName, parseTrialName, type TrialName } from '../plan/trial-name.js';
export type { TrialOutcome } from './observation.js';
export { type Onlooker, runConfigured } from './simulated.js';
