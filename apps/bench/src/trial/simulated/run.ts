import { Worker } from 'node:worker_threads';
import type { Progress } from '@hustings/command';
import { deriveSeed } from '@hustings/simulator';
import { aggregate, type Experiment, type RowName, rowNames } from '../../plan/rows.js';
import type { Circumstances } from '../../plan/settings.js';
import { encodeToken, type TrialName } from '../../plan/trial-name.js';
import type { Row } from '../../report/results.js';
import { runTrial, type SimulatedOutcome } from './trial.js';

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
export interface Task {
  readonly trials: readonly TrialName[];
  readonly circumstances: Circumstances;
}

interface Batch {
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
      aggregate(name, experiment, outcomes[row]!, (trial) => encodeToken(trials[row]![trial]!)),
    ),
    complete: finished.length === names.length,
    simulatedMs: kept.reduce((total, { simulatedMs }) => total + simulatedMs, 0),
    events: kept.reduce((total, { events }) => total + events, 0),
  };
}

/** What a trial costs, roughly, beside others: something for being a trial, and something for each node. */
const workOf = (nodes: number): number => 5 + nodes;

export function label({ algorithm, nodes, fault }: RowName): string {
  return `${algorithm}, ${nodes} nodes, ${fault}`;
}

/** A trial's seed depends on what it is, never on when or where it runs. */
export function trialNames(name: RowName, { profile, budgetMs, trials, seed }: Experiment): TrialName[] {
  const { algorithm, variant, nodes, fault } = name;
  return Array.from({ length: trials }, (_, trial) => ({
    ...name,
    profile,
    budgetMs,
    seed: deriveSeed(seed, algorithm, variant, nodes, fault, profile, trial),
  }));
}

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
  if (workers === 0) {
    for (const batch of batches)
      if (!signal.aborted)
        onBatch(
          batch,
          batch.trials.map((trial) => runTrial(trial, circumstances)),
        );
    return;
  }
  const waiting = batches.values();
  const threads = Array.from({ length: Math.min(workers, batches.length) }, () =>
    workOff(waiting, circumstances, signal, onBatch),
  );
  await Promise.all(threads);
}

/** One thread takes batches until there are none, or until the run is called off. */
function workOff(
  waiting: Iterator<Batch>,
  circumstances: Circumstances,
  signal: AbortSignal,
  onBatch: OnBatch,
): Promise<void> {
  const worker = new Worker(new URL('./worker.js', import.meta.url));
  const done = new Promise<void>((resolve, reject) => {
    let batch: Batch | undefined;
    const next = () => {
      const { value, done: empty } = waiting.next();
      if (empty || signal.aborted) return resolve();
      batch = value;
      const task: Task = { trials: batch.trials, circumstances };
      worker.postMessage(task);
    };
    worker.on('message', (outcomes: readonly SimulatedOutcome[]) => {
      if (signal.aborted) return;
      onBatch(batch!, outcomes);
      next();
    });
    worker.on('error', reject);
    signal.addEventListener('abort', () => resolve(), { once: true });
    next();
  });
  return done.finally(async () => {
    await worker.terminate();
  });
}
