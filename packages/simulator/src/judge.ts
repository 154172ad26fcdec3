import type { Invariants } from '@hustings/elector/protocol';
import type { AnyProtocol } from './node.js';
import { type RunResult, run } from './run.js';
import type { Schedule } from './schedule.js';
import type { Service } from './simulation.js';
import { drawSchedule, type Swarm, settledMs, type Timing } from './swarm.js';

/** An algorithm as the search, the shrinker and the replay take it. */
export interface Subject<State> {
  readonly protocol: AnyProtocol<State>;
  readonly invariants: Invariants<State>;
  readonly timing: Timing;
  /** The coordinators that the protocol talks to. */
  readonly services?: readonly Service[];
}

/**
 * Runs a schedule and holds it to all that can be asked of it: the algorithm's invariants, the promises that it
 * declares, and that no two nodes lead on two sides of a cut, which is asked even of those that cannot promise
 * it: it is what a search is for. What should come true is asked if the run is long enough after its faults.
 *
 * The verdict is a function of the subject and the schedule, so a shrunk schedule is judged as the first was.
 */
export function judge<State>(
  { protocol, invariants, timing, services = [] }: Subject<State>,
  schedule: Schedule,
  options: { readonly trace?: boolean } = {},
): RunResult {
  return run(protocol, schedule, {
    ...options,
    invariants,
    services,
    promised: { ...protocol.guarantees, noSplitBrain: true },
    settles: settlesInTime(schedule, timing),
  });
}

function settlesInTime({ network, faults, durationMs }: Schedule, timing: Timing): boolean {
  const keepsAssumptions = network.lossProbability === 0 && network.latencyMs[1] <= timing.maxDelayMs;
  return keepsAssumptions && durationMs >= settledMs(faults, timing);
}

/** The schedule that a seed stands for. */
export function scheduleOfSeed<State>(subject: Subject<State>, swarm: Swarm, seed: number): Schedule {
  return drawSchedule(seed, swarm, {
    timing: subject.timing,
    targetedTransfer: subject.protocol.guarantees.targetedTransfer,
    leased: subject.protocol.guarantees.leased,
    hasCoordinator: (subject.services ?? []).length > 0,
  });
}
