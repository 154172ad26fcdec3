#!/usr/bin/env node
import {
  checkOut,
  columnsOf,
  guarded,
  interruption,
  reportProgress,
  silentProgress,
  wrapped,
  writeOut,
} from '@hustings/command';
import { parseRequest } from './plan/flags.js';
import type { BenchRequest } from './plan/request.js';
import { runCompare } from './report/compare.js';
import { renderReport } from './report/report.js';
import { currentCommit, machine, type Results, type Row, serialise } from './report/results.js';
import { renderTable, wantsColour } from './report/table.js';
import { circumstancesOf, renderValidation, type ValidationReport, validate } from './report/validation.js';
import { type LiveResult, runLive } from './run-live.js';
import { type RunResult, runSimulated } from './run-simulated.js';
import { runScale } from './scale/command.js';
import { rounded } from './statistics.js';
import { calibrationKey } from './trial/live/calibration.js';

async function main(): Promise<void> {
  const [command, ...parameters] = process.argv.slice(2);
  if (command === 'compare') {
    process.stdout.write(await runCompare(parameters));
    return;
  }
  if (command === 'scale') return runScale(parameters);
  const request = parseRequest(process.argv.slice(2));
  if (request === null) return;
  checkOut(request.out);
  for (const note of request.notes) process.stderr.write(`${note}\n`);
  const { results, failure } = await measure(request, interruption());
  // What was finished before something failed is not lost with it.
  if (failure === null || results.rows.length > 0) report(request, results);
  if (failure !== null) throw failure;
}

interface Measured {
  readonly results: Results;
  /** What ended the run before its time, other than its user. */
  readonly failure: unknown;
}

async function measure(request: BenchRequest, signal: AbortSignal): Promise<Measured> {
  const { mode, experiment, workers, servers } = request;
  const { seed, profile, budgetMs } = experiment;
  const progress = reportProgress(process.stderr);
  const startedAtMs = performance.now();
  const head = { schema: 'hustings-bench/1', mode, seed, profile } as const;
  const finish = async ({ rows, complete, simulatedMs, events }: RunResult): Promise<Results> => ({
    ...head,
    budgetMs: profile === 'matched' ? budgetMs : null,
    commit: await currentCommit(),
    machine,
    complete,
    wallMs: rounded(performance.now() - startedAtMs),
    simulatedMs: rounded(simulatedMs),
    events,
    rows,
  });
  if (mode === 'simulated') {
    const run = await runSimulated(experiment, { progress, signal, workers });
    return { results: await finish(run), failure: null };
  }
  const run = await runLive(experiment, { progress, signal, servers, calibrates: request.validate });
  const results = await finish(run);
  const validation = request.validate ? await validateLive(request, run, signal) : {};
  return { results: { ...results, ...validation }, failure: run.failure };
}

/** As many simulated trials as usual: they cost nothing beside the live ones. */
const simulatedTrials = 200;

/** Each algorithm again, in the circumstances that were measured beside its live trials. */
async function validateLive(
  { experiment, workers }: BenchRequest,
  { rows: live, calibrations }: LiveResult,
  signal: AbortSignal,
): Promise<ValidationReport> {
  const simulated: Row[] = [];
  for (const algorithm of experiment.algorithms) {
    const calibration = calibrations[calibrationKey(algorithm)];
    if (calibration === undefined) continue;
    const { rows } = await runSimulated(
      { ...experiment, algorithms: [algorithm], rivals: false, trials: simulatedTrials },
      { progress: silentProgress, signal, workers, circumstances: circumstancesOf(calibration) },
    );
    simulated.push(...rows);
  }
  const ours = live.filter(({ peer }) => peer !== true);
  return { calibration: calibrations, validation: validate(simulated, ours, calibrations) };
}

/** Printed before it is written: whatever becomes of the files, nobody loses an hour's work. */
function report({ out, json }: BenchRequest, results: Results): void {
  const text = serialise(results);
  const columns = columnsOf(process.stdout);
  const colour = wantsColour(process.stdout, process.env);
  const table = () => renderTable(results, { colour, columns });
  const validation = () =>
    results.validation === undefined ? '' : `\n${wrapped(renderValidation(results), columns)}`;
  process.stdout.write(json ? text : `${table()}${validation()}`);
  writeOut(out, { 'results.json': text, 'report.html': renderReport(results) });
}

await guarded(main);
