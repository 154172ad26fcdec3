import { type Progress, workInThreads } from '@hustings/command';
import { deriveSeed } from '@hustings/simulator';
import { labelOf, type ScaleName, servicesOf } from './plan.js';
import { type ScaleRow, simulatedRow } from './rows.js';
import {
  runAggregators,
  runService,
  type ServiceOutcome,
  type ServiceTask,
  sumOf,
  times,
} from './simulated.js';

interface SimulatedScale {
  readonly rows: readonly ScaleRow[];
  readonly complete: boolean;
  readonly simulatedMs: number;
  readonly events: number;
}

interface SimulateOptions {
  readonly seed: string;
  /** A row has at least this many dead processes. */
  readonly trials: number;
  /** At most so many services of a row are simulated. What more of them ask is reckoned from these. */
  readonly mostServices: number;
  /** Threads; 0 runs everything in the caller's own. The results are the same. */
  readonly workers: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

interface Job {
  readonly row: number;
  readonly trial: number;
  readonly task: ServiceTask;
}

export async function simulateScale(
  names: readonly ScaleName[],
  options: SimulateOptions,
): Promise<SimulatedScale> {
  const jobs = names.flatMap((name, row) => jobsOf(name, row, options));
  const outcomes = new Map<Job, ServiceOutcome>();
  options.progress.begin(
    jobs.length,
    jobs.reduce((sum, { task }) => sum + task.elections, 0),
  );
  await forEachJob(jobs, options, (job, outcome) => {
    outcomes.set(job, outcome);
    options.progress.advance(1, labelOf(names[job.row]!), job.task.elections);
  });
  options.progress.end();
  const finished = names.flatMap((name, row) => {
    const own = jobs.filter((job) => job.row === row);
    return own.every((job) => outcomes.has(job))
      ? [{ name, trials: trialsOf(name, own, outcomes, options) }]
      : [];
  });
  const all = finished.flatMap(({ trials }) => trials);
  return {
    rows: finished.map(({ name, trials }) => simulatedRow(name, trials, options.mostServices)),
    complete: finished.length === names.length,
    simulatedMs: all.reduce((sum, { simulatedMs }) => sum + simulatedMs, 0),
    events: all.reduce((sum, { events }) => sum + events, 0),
  };
}

/** In each service one process dies, so many services need no repetition. */
function jobsOf({ way, elections }: ScaleName, row: number, options: SimulateOptions): Job[] {
  const { seed, trials, mostServices } = options;
  const services = servicesOf(elections).slice(0, mostServices);
  const repetitions = Math.ceil(trials / services.length);
  return Array.from({ length: repetitions }, (_, trial) =>
    services.map((size, service) => ({
      ...{ row, trial },
      task: { way, elections: size, seed: deriveSeed(seed, way, elections, trial, service) },
    })),
  ).flat();
}

/** What the services of each trial come to together. */
function trialsOf(
  { way, elections }: ScaleName,
  jobs: readonly Job[],
  outcomes: ReadonlyMap<Job, ServiceOutcome>,
  { seed }: SimulateOptions,
): ServiceOutcome[] {
  const count = Math.max(...jobs.map(({ trial }) => trial)) + 1;
  return Array.from({ length: count }, (_, trial) => {
    const own = jobs.filter((job) => job.trial === trial);
    const simulated = own.reduce((sum, { task }) => sum + task.elections, 0);
    const services = times(sumOf(own.map((job) => outcomes.get(job)!)), elections / simulated);
    if (way !== 'aggregator') return services;
    // The failover of the aggregators themselves is another matter.
    const ofAggregators = runAggregators(deriveSeed(seed, way, elections, trial));
    return sumOf([services, { ...ofAggregators, failoverMs: [], unresolved: 0 }]);
  });
}

async function forEachJob(
  jobs: readonly Job[],
  { workers, signal }: SimulateOptions,
  onResult: (job: Job, outcome: ServiceOutcome) => void,
): Promise<void> {
  if (workers > 0) {
    return workInThreads<Job, ServiceOutcome>(jobs, {
      file: new URL('./worker.js', import.meta.url),
      threads: Math.min(workers, jobs.length),
      ...{ signal, onResult },
    });
  }
  for (const job of jobs) {
    if (signal.aborted) return;
    onResult(job, runService(job.task));
  }
}
