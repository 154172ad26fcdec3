#!/usr/bin/env node
import { reportProgress, silentProgress, tolerateClosedPipes, UsageError } from '@hustings/command';
import { parseRequest, type Request } from './plan/flags.js';
import { coordinatorOf } from './plan/rows.js';
import { runCompare } from './report/compare.js';
import { renderReport } from './report/report.js';
import { currentCommit, machine, type Results, type Row, serialise, writeFiles } from './report/results.js';
import { renderTable, wantsColour } from './report/table.js';
import { circumstancesOf, renderValidation, type ValidationReport, validate } from './report/validation.js';
import { type LiveResult, runLive } from './run-live.js';
import { type RunResult, runSimulated } from './run-simulated.js';
import { rounded } from './statistics.js';

const usageExitCode = 2;
/** 128 and the number of the signal, as shells do. */
const signalExitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

async function main(): Promise<void> {
  const [command, ...parameters] = process.argv.slice(2);
  if (command === 'compare') {
    process.stdout.write(await runCompare(parameters));
    return;
  }
  const request = parseRequest(process.argv.slice(2));
  if (request === null) return;
  for (const note of request.notes) process.stderr.write(`${note}\n`);
  const interruption = new AbortController();
  for (const [signal, exitCode] of Object.entries(signalExitCodes)) {
    process.on(signal, () => {
      process.exitCode = exitCode;
      // Asked twice, a program should not finish its sentence. Children are ended by the exit itself.
      if (interruption.signal.aborted) process.exit();
      interruption.abort();
    });
  }
  await report(request, await measure(request, interruption.signal));
}

async function measure(request: Request, signal: AbortSignal): Promise<Results> {
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
  if (mode === 'simulated') return finish(await runSimulated(experiment, { progress, signal, workers }));
  const run = await runLive(experiment, { progress, signal, servers, calibrates: request.validate });
  const results = await finish(run);
  return request.validate ? { ...results, ...(await validateLive(request, run, signal)) } : results;
}

/** As many simulated trials as usual: they cost nothing beside the live ones. */
const simulatedTrials = 200;

/** Each algorithm again, in the circumstances that were measured beside its live trials. */
async function validateLive(
  { experiment, workers }: Request,
  { rows: live, calibrations }: LiveResult,
  signal: AbortSignal,
): Promise<ValidationReport> {
  const simulated: Row[] = [];
  for (const algorithm of experiment.algorithms) {
    const calibration = calibrations[coordinatorOf(algorithm) ?? 'none'];
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

async function report({ out, json }: Request, results: Results): Promise<void> {
  const text = serialise(results);
  try {
    await writeFiles(out, text, renderReport(results));
  } catch (error) {
    throw new UsageError(
      `Could not write to ${out} (${error instanceof Error ? error.message : error}); choose another directory with --out.`,
    );
  }
  const colour = wantsColour(process.stdout, process.env);
  const table = renderTable(results, { colour, columns: process.stdout.columns ?? 120 });
  const validation = results.validation === undefined ? '' : `\n${renderValidation(results)}`;
  process.stdout.write(json ? text : `${table}${validation}`);
  if (!json) process.stderr.write(`Written to ${out}/results.json and ${out}/report.html.\n`);
}

tolerateClosedPipes();
try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = usageExitCode;
}
