#!/usr/bin/env node
import { parseRequest, type Request } from './cli.js';
import { tolerateClosedPipes } from './closed-pipe.js';
import { runCompare } from './compare.js';
import { runLive } from './live/run.js';
import { reportProgress } from './progress.js';
import { renderReport } from './report.js';
import { currentCommit, machine, type Results, type Row, serialise, writeFiles } from './results.js';
import { runSimulated } from './simulated/run.js';
import { rounded } from './statistics.js';
import { renderTable, wantsColour } from './table.js';
import { UsageError } from './usage-error.js';
import { loopbackNetwork, renderValidation, type Validation, validate } from './validation.js';

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
  const run = await (mode === 'live'
    ? runLive(experiment, { progress, signal, servers })
    : runSimulated(experiment, { progress, signal, workers }));
  return {
    schema: 'hustings-bench/1',
    mode,
    seed,
    profile,
    budgetMs: profile === 'matched' ? budgetMs : null,
    commit: await currentCommit(),
    machine,
    complete: run.complete,
    wallMs: rounded(performance.now() - startedAtMs),
    simulatedMs: rounded(run.simulatedMs),
    events: run.events,
    rows: run.rows,
    ...(request.validate ? { validation: await validateLive(request, run.rows, signal) } : {}),
  };
}

/** As many simulated trials as usual: they cost nothing beside the live ones. */
const simulatedTrials = 200;

async function validateLive(
  { experiment, workers }: Request,
  live: readonly Row[],
  signal: AbortSignal,
): Promise<readonly Validation[]> {
  const { rows } = await runSimulated(
    { ...experiment, peers: false, trials: simulatedTrials },
    { progress: reportProgress(process.stderr), signal, workers, network: loopbackNetwork },
  );
  return validate(
    rows,
    live.filter(({ peer }) => peer !== true),
  );
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
  const validation = results.validation === undefined ? '' : `\n${renderValidation(results.validation)}`;
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
