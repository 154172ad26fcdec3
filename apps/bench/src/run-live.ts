import type { Progress } from '@hustings/command';
import { Processes } from '@hustings/servers';
import { nodeNames } from '@hustings/simulator';
import type { LiveServers } from './plan/request.js';
import { rivalOf } from './plan/rivals.js';
import {
  coordinatorOf,
  type Experiment,
  label,
  parametersOf,
  type RowName,
  rowNames,
  trialNames,
} from './plan/rows.js';
import { aggregate } from './report/aggregate.js';
import type { Row } from './report/results.js';
import type { RunResult } from './run-simulated.js';
import { summarise } from './statistics.js';
import {
  type Calibration,
  type CalibrationKey,
  type CalibrationSamples,
  calibrate,
  calibrationKey,
  calibrationOf,
  joinSamples,
  noSamples,
} from './trial/live/calibration.js';
import { type Coordinator, foreignCoordinator, startCoordinator } from './trial/live/coordinators.js';
import { prepareRivals, type RivalPrograms, rivalSettings } from './trial/live/rival-settings.js';
import { type LiveOutcome, runTrial } from './trial/live/trial.js';

export interface LiveOptions {
  /** Whether the machine is measured before each trial, for a simulated twin of it. */
  readonly calibrates?: boolean;
  readonly servers: LiveServers;
  readonly progress: Progress;
  /** Aborting it ends every process and keeps the trials that are finished. */
  readonly signal: AbortSignal;
}

export interface LiveResult extends RunResult {
  /** What ended the run before its time, other than its signal; null if nothing did. */
  readonly failure: unknown;
  /** Empty unless it was asked for. */
  readonly calibrations: Readonly<Partial<Record<CalibrationKey, Calibration>>>;
}

/** One trial after the other, each with a cluster of its own: two at once would disturb each other's times. */
export async function runLive(experiment: Experiment, options: LiveOptions): Promise<LiveResult> {
  const { progress, signal } = options;
  const names = rowNames(experiment);
  const rows: Row[] = [];
  const samples = new Map<CalibrationKey, CalibrationSamples>();
  let events = 0;
  let complete = false;
  let failure: unknown = null;
  progress.begin(names.length * experiment.trials);
  const processes = await Processes.open('hustings-bench');
  const coordinators = new Coordinators(experiment, options.servers);
  try {
    const programs = await prepareRivals(names, processes.directory);
    for (const name of names) await runRow(name, await coordinators.of(name), programs);
    complete = true;
  } catch (error) {
    if (!signal.aborted) failure = error;
  } finally {
    progress.end();
    await processes.close();
    await coordinators.stop();
  }
  return {
    ...{ rows, complete, failure, simulatedMs: 0, events },
    calibrations: Object.fromEntries([...samples].map(([key, ofKey]) => [key, calibrationOf(ofKey)])),
  };

  /** Interrupted, it leaves a row of the trials that were finished. */
  async function runRow(
    name: RowName,
    coordinator: Coordinator | null,
    programs: RivalPrograms,
  ): Promise<void> {
    const outcomes: LiveOutcome[] = [];
    try {
      for (const trial of trialNames(name, experiment)) {
        const rival = rivalSettings(trial, programs);
        if (options.calibrates && rival === null) await calibrateFor(name, coordinator);
        outcomes.push(await runTrial(processes, trial, signal, coordinator, rival));
        progress.advance(1, label(name));
      }
    } finally {
      if (outcomes.length > 0) rows.push(rowOf(name, experiment, outcomes));
      events += outcomes.reduce((total, { sightings }) => total + sightings, 0);
    }
  }

  async function calibrateFor(name: RowName, coordinator: Coordinator | null): Promise<void> {
    const more = await calibrate(processes, name.algorithm, nodeNames(name.nodes), coordinator, signal);
    const key = calibrationKey(name.algorithm);
    samples.set(key, joinSamples(samples.get(key) ?? noSamples, more));
  }
}

function rowOf(name: RowName, experiment: Experiment, outcomes: readonly LiveOutcome[]): Row {
  const row = aggregate(name, experiment, outcomes, () => null);
  const samples = (pick: (wire: LiveOutcome['wire']) => number | null) =>
    summarise(outcomes.map(({ wire }) => pick(wire)).filter((sample) => sample !== null));
  const wire =
    coordinatorOf(name.algorithm) === null
      ? null
      : {
          failover: samples(({ failover }) => failover),
          steadyPerSecond: samples(({ steadyPerSecond }) => steadyPerSecond)?.mean ?? null,
        };
  if (rivalOf(name.algorithm) === null) return { ...row, messages: { ...row.messages, wire } };
  return {
    ...row,
    peer: true,
    // When its candidates notice, and in whom they believe, is not to be seen from outside.
    detectionMs: null,
    convergenceMs: null,
    messages: { failover: null, election: null, total: null, byType: {}, steadyPerSecond: null, wire },
  };
}

/** Servers are started when the first row needs them, and run while rows of one algorithm do: idle ones cost time. */
class Coordinators {
  readonly #experiment: Experiment;
  readonly #servers: LiveServers;
  #running: Coordinator | null = null;

  constructor(experiment: Experiment, servers: LiveServers) {
    this.#experiment = experiment;
    this.#servers = servers;
  }

  async of(name: RowName): Promise<Coordinator | null> {
    const kind = coordinatorOf(name.algorithm);
    if (this.#running !== null && this.#running.kind === kind) return this.#running;
    await this.stop();
    if (kind === null) return null;
    const named = this.#servers.named[kind];
    const { profile, budgetMs } = this.#experiment;
    const { tickMs } = parametersOf(name, profile, budgetMs);
    this.#running =
      named === undefined
        ? await startCoordinator(kind, {
            members: this.#servers.members,
            tickMs: typeof tickMs === 'number' ? tickMs : 200,
          })
        : await foreignCoordinator(kind, named);
    return this.#running;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = null;
  }
}
