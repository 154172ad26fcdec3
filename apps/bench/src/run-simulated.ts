import { type Progress, workInThreads } from '@hustings/command';
import { type Experiment, label, rowNames, trialNames } from './plan/rows.js';
import type { Circumstances } from './plan/settings.js';
import { formatTrialName, type TrialName } from './plan/trial-name.js';
import { aggregate } from './report/aggregate.js';
import type { Row } from './report/results.js';
import { runTrial, type SimulatedOutcome } from './trial/simulated.js';

export interface RunResult {
  readonly rows: readonly Row[];
  readonly complete: boolean;
  readonly simulatedMs: number;
  readonly events: number;
}

export interface RunOptions {
  /** Threads; 0 runs everything in the caller's own. The results are the same. */
  readonly workers: number;
  readonly circumstances?: Circumstances;
  readonly progress: Progress;
  /** Aborting it keeps the rows that are finished. */
  readonly signal: AbortSignal;
}

/** How many trials a thread is handed at a time: enough that handing them over costs nothing. */
const batchSize = 20;

/** What a thread is told to do. */
export interface Batch {
  readonly row: number;
  readonly first: number;
  readonly trials: readonly TrialName[];
}

export async function runSimulated(experiment: Experiment, options: RunOptions): Promise<RunResult> {
  const names = rowNames(experiment);
  const trials = names.map((name) => trialNames(name, experiment));
  const outcomes = trials.map((row) => new Array<SimulatedOutcome>(row.length));
  const missing = trials.map((row) => row.length);
  options.progress.begin(
    trials.flat().length,
    trials.flat().reduce((work, { nodes }) => work + workOf(nodes), 0),
  );

  await forEachBatch(batchesOf(trials), options, ({ row, first }, results) => {
    results.forEach((outcome, index) => {
      outcomes[row]![first + index] = outcome;
    });
    missing[row]! -= results.length;
    const name = names[row]!;
    options.progress.advance(results.length, label(name), results.length * workOf(name.nodes));
  });
  options.progress.end();

  const finished = names.flatMap((name, row) => (missing[row] === 0 ? [{ name, row }] : []));
  const kept = finished.flatMap(({ row }) => outcomes[row]!);
  return {
    rows: finished.map(({ name, row }) =>
      aggregate(name, experiment, outcomes[row]!, (trial) => formatTrialName(trials[row]![trial]!)),
    ),
    complete: finished.length === names.length,
    simulatedMs: kept.reduce((total, { simulatedMs }) => total + simulatedMs, 0),
    events: kept.reduce((total, { events }) => total + events, 0),
  };
}

/** What a trial costs, roughly, beside others: something for being a trial, and something for each node. */
const workOf = (nodes: number): number => 5 + nodes;

function batchesOf(trials: readonly (readonly TrialName[])[]): Batch[] {
  return trials.flatMap((names, row) => {
    const count = Math.ceil(names.length / batchSize);
    return Array.from({ length: count }, (_, index) => {
      const first = index * batchSize;
      return { row, first, trials: names.slice(first, first + batchSize) };
    });
  });
}

type OnBatch = (batch: Batch, outcomes: readonly SimulatedOutcome[]) => void;

async function forEachBatch(
  batches: readonly Batch[],
  { workers, signal, circumstances = {} }: RunOptions,
  onBatch: OnBatch,
): Promise<void> {
  if (workers > 0) {
    return workInThreads<Batch, readonly SimulatedOutcome[]>(batches, {
      file: new URL('./trial/simulated-worker.js', import.meta.url),
      workerData: circumstances,
      threads: Math.min(workers, batches.length),
      signal,
      onResult: onBatch,
    });
  }
  for (const batch of batches) {
    if (signal.aborted) return;
    const outcomes = batch.trials.map((trial) => runTrial(trial, circumstances));
    onBatch(batch, outcomes);
  }
}
