#!/usr/bin/env node
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { renderResults, resultsOf } from '../chaos/report.js';
import { type Outcome, type RunOptions, runDrawn, runWritten } from '../chaos/run.js';
import { type Algorithm, algorithms, parseSchedule, ScheduleError } from '../chaos/schedule.js';

interface Flags {
  readonly algorithms: readonly Algorithm[];
  readonly minutes: number;
  readonly nodes: number;
  readonly seed: string;
  readonly replay?: string;
  readonly times: number;
  readonly out?: string;
  readonly verbose: boolean;
  readonly json: boolean;
}

const failureExitCode = 1;
const usageExitCode = 2;
/** 128 and the number of the signal, as shells do. */
const interruptedExitCode = 130;

const command = new Command('chaos')
  .description(
    'Does everything at once to real processes and real servers, and checks afterwards who led when. Loopback only; nothing is left behind.',
  )
  .allowExcessArguments(false)
  .option('--algorithms <list>', `any of ${algorithms.join(', ')}`, toAlgorithms, [...algorithms])
  .option('--minutes <n>', 'how long, for each of them', toMinutes, 1)
  .option('--nodes <n>', 'how many processes, 3 to 7', wholeNumber(3, 7), 3)
  .option('--seed <text>', 'what is done is drawn from it; what comes of it is not', 'hustings')
  .option('--replay <file>', 'does what the file says instead, which a failure left or a person wrote')
  .option('--times <n>', 'how often the file is replayed, on one cluster', wholeNumber(1, 1000), 1)
  .option('--out <file>', 'where the results go, as JSON; and beside it the schedule of each failure')
  .option('--verbose', 'print each action as it is done, on standard error', false)
  .option('--json', 'print the results as JSON on standard output, and nothing else', false)
  .addOption(new Option('--help', 'show this help'))
  .exitOverride()
  .configureOutput({ writeErr: () => {} });

try {
  command.parse();
  await main(command.opts<Flags>());
} catch (error) {
  if (error instanceof CommanderError && error.exitCode === 0) process.exit();
  if (!(error instanceof CommanderError || error instanceof ScheduleError)) throw error;
  process.stderr.write(`${error.message.replace(/^error: /, '')}\n`);
  process.exitCode = usageExitCode;
}

async function main(flags: Flags): Promise<void> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interruption.abort());
  }
  const outcomes = await runAll(flags, interruption.signal);
  const isReplay = flags.replay !== undefined;
  const results = resultsOf(outcomes, {
    seed: isReplay ? null : flags.seed,
    minutes: isReplay ? null : flags.minutes,
    complete: !interruption.signal.aborted,
  });
  const json = `${JSON.stringify(results, null, 2)}\n`;
  process.stdout.write(flags.json ? json : renderResults(results));
  if (flags.out !== undefined) {
    mkdirSync(dirname(flags.out), { recursive: true });
    writeFileSync(flags.out, json);
    for (const [index, { algorithm, schedule }] of results.violations.entries()) {
      writeFileSync(`${flags.out.replace(/\.json$/, '')}-${algorithm}-${index + 1}.txt`, schedule);
    }
  }
  if (results.violations.length > 0) process.exitCode = failureExitCode;
  if (interruption.signal.aborted) process.exitCode = interruptedExitCode;
}

/** One after the other: two at once would disturb each other's times. */
async function runAll(flags: Flags, signal: AbortSignal): Promise<Outcome[]> {
  const onLine = (line: string) => void process.stderr.write(`${line}\n`);
  const common = { signal, ...(flags.verbose ? { onLine } : {}) };
  if (flags.replay !== undefined) {
    const { episodes, ...rest } = parseSchedule(readFileSync(flags.replay, 'utf8'));
    return [await runWritten({ ...common, ...rest }, episodes, flags.times)];
  }
  const outcomes: Outcome[] = [];
  for (const algorithm of flags.algorithms) {
    if (signal.aborted) break;
    const options: RunOptions = { ...common, algorithm, nodes: flags.nodes };
    outcomes.push(await runDrawn(options, flags.seed, flags.minutes * 60_000));
  }
  return outcomes;
}

function toAlgorithms(text: string): Algorithm[] {
  return text.split(',').map((name) => {
    const known = algorithms.find((each) => each === name.trim());
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`There is no '${name}' here; choose from ${algorithms.join(', ')}.`);
  });
}

function toMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 24 * 60) return minutes;
  throw new InvalidArgumentError('Take a number of minutes up to a day, such as 0.5 or 30.');
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Take a whole number from ${min} to ${max}.`);
  };
}
