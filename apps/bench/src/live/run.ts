import type { Progress } from '../progress.js';
import type { Row } from '../results.js';
import { aggregate, type Experiment, type RowName, rowNames } from '../rows.js';
import { label, type RunResult, trialNames } from '../simulated/run.js';
import { Processes } from './processes.js';
import { type LiveOutcome, runTrial } from './trial.js';

export interface LiveOptions {
  readonly progress: Progress;
  /** Aborting it ends every process and keeps the rows that are finished. */
  readonly signal: AbortSignal;
}

/** One trial after the other, each with a cluster of its own: two at once would disturb each other's times. */
export async function runLive(experiment: Experiment, { progress, signal }: LiveOptions): Promise<RunResult> {
  const names = rowNames(experiment);
  const rows: Row[] = [];
  let events = 0;
  progress.begin(names.length * experiment.trials);
  const processes = await Processes.open();
  try {
    for (const name of names) {
      const outcomes = await runRow(processes, name);
      rows.push(aggregate(name, experiment, outcomes, () => null));
      events += outcomes.reduce((total, { sightings }) => total + sightings, 0);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    progress.end();
    await processes.close();
  }
  return { rows, complete: rows.length === names.length, simulatedMs: 0, events };

  async function runRow(running: Processes, name: RowName): Promise<LiveOutcome[]> {
    const outcomes: LiveOutcome[] = [];
    for (const trial of trialNames(name, experiment)) {
      outcomes.push(await runTrial(running, trial, signal));
      progress.advance(1, label(name));
    }
    return outcomes;
  }
}
