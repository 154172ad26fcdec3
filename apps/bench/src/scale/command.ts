/** `npm run bench -- scale`: what many elections cost, each alone, over sessions, and behind an aggregator. */

import { availableParallelism } from 'node:os';
import {
  checkOut,
  interruption,
  listOf,
  oneOf,
  parseFlags,
  reportProgress,
  tool,
  UsageError,
  wholeNumber,
  writeOut,
} from '@hustings/command';
import { Option } from 'commander';
import { defaultSeed } from '../plan/settings.js';
import { currentCommit, type Mode, machine } from '../report/results.js';
import { rounded } from '../statistics.js';
import { type ScaleName, sizes, type Way, ways } from './plan.js';
import { type Refusal, renderScale, type ScaleResults } from './rows.js';
import { measureScale } from './run-live.js';
import { simulateScale } from './run-simulated.js';

interface Flags {
  readonly mode: Mode;
  readonly elections?: readonly number[];
  readonly ways: readonly Way[];
  readonly trials?: number;
  readonly seed: string;
  readonly services: number;
  readonly workers: number;
  readonly balance: boolean;
  readonly out: string;
  readonly json: boolean;
}

const mostElections: Readonly<Record<Mode, number>> = { simulated: 100_000, live: 10_000 };
/** Simulated, a kill costs a second at most; live, it costs a minute. */
const defaultTrials: Readonly<Record<Mode, number>> = { simulated: 10, live: 1 };

const command = () =>
  tool(
    'bench -- scale',
    'Measures what many elections cost: each alone, over sessions, behind an aggregator.',
  )
    .addOption(
      new Option('--mode <mode>', 'virtual time, or real processes and a real etcd')
        .choices(['simulated', 'live'])
        .default('simulated'),
    )
    .addOption(
      new Option(
        '--elections <list>',
        `how many (default: simulated ${sizes.simulated.join(',')}, live ${sizes.live.join(',')})`,
      ).argParser(listOf(wholeNumber('--elections', 3))),
    )
    .addOption(
      new Option('--ways <list>', `any of ${ways.join(', ')}`)
        .argParser(listOf(oneOf('way', ways)))
        .default(ways, 'all'),
    )
    .addOption(
      new Option(
        '--trials <n>',
        'processes that die for each row, at least (default: simulated 10, live 1)',
      ).argParser(wholeNumber('--trials', 1)),
    )
    .option('--seed <text>', 'everything random derives from it', defaultSeed)
    .addOption(
      new Option(
        '--services <n>',
        'simulated: at most so many services of a thousand elections; what more of them ask is reckoned from these',
      )
        .argParser(wholeNumber('--services', 1))
        .default(10),
    )
    .addOption(
      new Option('--workers <n>', 'simulated: threads; they change the time it takes, not the results')
        .argParser(wholeNumber('--workers', 1))
        .default(availableParallelism(), 'one for each processor'),
    )
    .option(
      '--balance',
      'live: the processes keep their elections even by balance(), whose seats count as well',
      false,
    )
    .option('--out <directory>', 'where results.json goes', 'bench-results');

export async function runScale(parameters: readonly string[]): Promise<void> {
  const flags = parseFlags<Flags>(command(), parameters);
  if (flags === null) return;
  const names = namesOf(flags);
  checkOut(flags.out);
  const results = await measure(flags, names, interruption());
  const text = `${JSON.stringify(results, null, 2)}\n`;
  process.stdout.write(flags.json ? text : renderScale(results));
  writeOut(flags.out, { 'results.json': text });
}

/** Way by way, the fewest first: what a machine does not bear ends the way. */
function namesOf({ mode, ways: chosen, elections = sizes[mode], balance }: Flags): ScaleName[] {
  const tooMany = elections.find((size) => size > mostElections[mode]);
  if (tooMany !== undefined) {
    throw new UsageError(
      `--elections ${tooMany} is too many for ${mode} mode; take at most ${mostElections[mode]}.`,
    );
  }
  if (balance && mode === 'simulated') {
    throw new UsageError('--balance is for real processes; add --mode live, or leave out --balance.');
  }
  const ascending = [...elections].sort((left, right) => left - right);
  return chosen.flatMap((way) => ascending.map((size) => ({ way, elections: size })));
}

async function measure(
  flags: Flags,
  names: readonly ScaleName[],
  signal: AbortSignal,
): Promise<ScaleResults> {
  const { mode, seed, services: mostServices, workers, balance, trials = defaultTrials[mode] } = flags;
  const startedAtMs = performance.now();
  const progress = reportProgress(process.stderr, undefined, mode === 'simulated' ? 'services' : 'rows');
  const run =
    mode === 'simulated'
      ? {
          ...(await simulateScale(names, { seed, trials, mostServices, workers, progress, signal })),
          refused: nothing,
        }
      : { ...(await measureScale(names, { trials, balance, progress, signal })), simulatedMs: 0, events: 0 };
  return {
    ...{ schema: 'hustings-scale/1', mode, seed, commit: await currentCommit(), machine },
    complete: run.complete,
    wallMs: rounded(performance.now() - startedAtMs),
    simulatedMs: rounded(run.simulatedMs),
    events: run.events,
    ...{ rows: run.rows, refused: run.refused },
  };
}

const nothing: readonly Refusal[] = [];
