import { withSubject } from '@hustings/catalogue';
import {
  faultTypes,
  fit,
  judge,
  planWorkload,
  record,
  type Schedule,
  Simulation,
  type Subject,
  scheduleOfSeed,
} from '@hustings/simulator';

export interface SearchRate {
  /** Runs a second on one thread, as a search makes them. */
  readonly runsPerSecond: number;
  /** The same runs with nobody watching: what the checks cost is the difference. */
  readonly runsPerSecondUnwatched: number;
  /** The same runs as a replay makes them, with every event written down; and as the playground does. */
  readonly runsPerSecondTraced: number;
  readonly runsPerSecondRecorded: number;
}

const batchSize = 100;
const partitions: readonly string[] = ['isolate', 'split', 'one-way'];

/** Measures for about this long. Without partitions: a broken run ends early, and would flatter the checks. */
export function measureSearch(algorithm: string, durationMs = 2000): SearchRate {
  return withSubject(algorithm, 'default', (subject) => {
    // Until the compiler knows the loop, whatever comes first looks slow.
    measureInTurns(subject, durationMs / 2);
    return measureInTurns(subject, durationMs);
  });
}

/** In turns, so that all suffer alike from whatever else the machine does. */
function measureInTurns<State>(subject: Subject<State>, durationMs: number): SearchRate {
  const spentMs = { watched: 0, unwatched: 0, traced: 0, recorded: 0 };
  const startedAtMs = performance.now();
  let seed = 0;
  while (performance.now() - startedAtMs < durationMs) {
    spentMs.watched += timeBatch(subject, seed, (schedule) => judge(subject, schedule));
    spentMs.unwatched += timeBatch(subject, seed, (schedule) => runUnwatched(subject, schedule));
    spentMs.traced += timeBatch(subject, seed, (schedule) => judge(subject, schedule, { trace: true }));
    spentMs.recorded += timeBatch(subject, seed, (schedule) => record(subject, schedule));
    seed += batchSize;
  }
  const perSecond = (ms: number): number => Math.round((seed / ms) * 1000);
  return {
    runsPerSecond: perSecond(spentMs.watched),
    runsPerSecondUnwatched: perSecond(spentMs.unwatched),
    runsPerSecondTraced: perSecond(spentMs.traced),
    runsPerSecondRecorded: perSecond(spentMs.recorded),
  };
}

function timeBatch<State>(
  subject: Subject<State>,
  firstSeed: number,
  run: (schedule: Schedule) => void,
): number {
  const faults = faultTypes.filter((type) => !partitions.includes(type));
  const startedAtMs = performance.now();
  for (let seed = firstSeed; seed < firstSeed + batchSize; seed += 1) {
    run(scheduleOfSeed(subject, { nodes: [3, 7], faults }, seed));
  }
  return performance.now() - startedAtMs;
}

/** With the settings and the workload of the schedule, or it would be another run, and a shorter one. Returns its steps. */
export function runUnwatched<State>(subject: Subject<State>, schedule: Schedule): number {
  const fitted = fit(subject, schedule);
  const { protocol, services = [] } = fitted;
  const simulation = new Simulation({ ...schedule, protocol, services });
  for (const fault of schedule.faults) simulation.plan(fault);
  planWorkload(fitted, schedule, simulation);
  simulation.runUntil(schedule.durationMs);
  return simulation.steps;
}
