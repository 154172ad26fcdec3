#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import {
  checkOut,
  columnsOf,
  interruption,
  listOf,
  oneOf,
  runTool,
  tool,
  UsageError,
  wholeNumberOption,
  wrapped,
  writeOut,
} from '@hustings/command';
import { type Algorithm, algorithms, usualAlgorithms } from '../chaos/layouts.js';
import { filesOf, renderResults, resultsOf } from '../chaos/report.js';
import { type Outcome, type RunOptions, runDrawn, runWritten } from '../chaos/run.js';
import { parseSchedule, type Schedule } from '../chaos/schedule.js';

interface Flags {
  readonly algorithms: readonly Algorithm[];
  readonly minutes: number;
  readonly nodes: number;
  readonly seed: string;
  readonly replay?: string;
  readonly times: number;
  readonly mutant?: string;
  readonly beyond: boolean;
  readonly out?: string;
  readonly verbose: boolean;
  readonly json: boolean;
}

const failureExitCode = 1;

const command = tool(
  'chaos',
  'Does everything at once to real processes and real servers, and checks afterwards who led when. Loopback only; nothing is left behind.',
)
  .option('--algorithms <list>', `any of ${algorithms.join(', ')}`, listOf(oneOf('algorithm', algorithms)), [
    ...usualAlgorithms,
  ])
  .option('--minutes <n>', 'how long, for each of them', toMinutes, 1)
  .addOption(wholeNumberOption('--nodes', 'how many processes', 3, 7).default(3))
  .option('--seed <text>', 'what is done is drawn from it; what comes of it is not', 'hustings')
  .option('--replay <file>', 'does what the file says instead, which a failure left or a person wrote')
  .addOption(
    wholeNumberOption('--times', 'how often the file is replayed, on one cluster', 1, 1000).default(1),
  )
  .option(
    '--beyond',
    'also what the declared assumptions exclude: an etcd that leads, freezes and goes on',
    false,
  )
  .option('--mutant <name>', 'breaks every node of raft on purpose, to see whether it is noticed')
  .option('--out <directory>', 'where results.json and the schedule of each failure go')
  .option('--verbose', 'print each action as it is done, and what comes of it, on standard error', false);

await runTool<Flags>(command, async (flags) => {
  if (flags.out !== undefined) checkOut(flags.out);
  if (flags.mutant !== undefined) await requireMutant(flags.mutant);
  const signal = interruption();
  const outcomes = await runAll(flags, signal);
  const isReplay = flags.replay !== undefined;
  const results = resultsOf(outcomes, {
    seed: isReplay ? null : flags.seed,
    minutes: isReplay ? null : flags.minutes,
    complete: !signal.aborted,
  });
  const files = filesOf(results);
  const text = wrapped(renderResults(results), columnsOf(process.stdout));
  process.stdout.write(flags.json ? files['results.json']! : text);
  if (flags.out !== undefined) writeOut(flags.out, files);
  if (results.violations.length > 0 && !signal.aborted) process.exitCode = failureExitCode;
});

/** One after the other: two at once would disturb each other's times. */
async function runAll(flags: Flags, signal: AbortSignal): Promise<Outcome[]> {
  const onLine = (line: string) => void process.stderr.write(`${line}\n`);
  const { mutant, beyond } = flags;
  const common = {
    ...{ signal, beyond },
    ...(flags.verbose ? { onLine } : {}),
    ...(mutant === undefined ? {} : { mutant }),
  };
  if (flags.replay !== undefined) {
    const { episodes, ...rest } = readSchedule(flags.replay);
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

async function requireMutant(name: string): Promise<void> {
  const { raftSubject } = await import('../mutants/raft.js');
  oneOf(
    'mutant',
    raftSubject.mutants.map((mutant) => mutant.name),
  )(name);
}

function readSchedule(path: string): Schedule {
  try {
    return parseSchedule(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--replay ${path} cannot be replayed: ${reason}`);
  }
}

function toMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 24 * 60) return minutes;
  throw new UsageError(`--minutes takes a number up to a day, such as 0.5 or 30, not '${text}'.`);
}
