#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { algorithmNames, withSubject } from '@hustings/catalogue';
import {
  checkOut,
  interruption,
  listOf,
  oneOf,
  reportProgress,
  runTool,
  tool,
  wholeNumberOption,
  writeOut,
} from '@hustings/command';
import { defaultSwarm } from '@hustings/simulator';
import { journalsIn, openJournal } from '../search/journal.js';
import type { Assignment } from '../search/protocol.js';
import { search } from '../search/search.js';
import { type Shard, toShard } from '../search/shard.js';
import { checkSearchable } from '../variants.js';

interface Flags {
  readonly algorithms?: readonly string[];
  readonly variant: string;
  readonly seeds: number;
  readonly shard?: Shard;
  readonly workers: number;
  readonly out: string;
  readonly json: boolean;
}

interface Tally {
  readonly algorithm: string;
  readonly variant: string;
  readonly seeds: number;
  readonly brokenSeeds: readonly number[];
}

const failureExitCode = 1;

const safeAlgorithms = algorithmNames.filter((name) =>
  withSubject(name, 'default', ({ protocol }) => protocol.guarantees.atMostOneLeader),
);

const command = tool(
  'million',
  'Searches every elector that promises at most one leader at a time. Interrupted, it goes on where it was when it is started again. With a shard on each machine: put all journals into one directory and start it there without a shard, which adds them up and runs what is missing.',
)
  .option(
    '--algorithms <list>',
    `any of ${safeAlgorithms.join(', ')} (default: all)`,
    listOf(oneOf('algorithm', safeAlgorithms)),
  )
  .option('--variant <name>', 'which variant of them', 'default')
  .addOption(wholeNumberOption('--seeds', 'how many runs of each', 1).default(1_000_000))
  .option('--shard <k/n>', 'run only this share of the seeds, such as 3/10', toShard)
  .addOption(
    wholeNumberOption('--workers', 'threads', 1, 256).default(
      availableParallelism(),
      'one for each processor',
    ),
  )
  .option('--out <directory>', 'where the journals are, and the result', 'million');

await runTool<Flags>(command, async (flags) => {
  checkOut(flags.out);
  const signal = interruption();
  const { algorithms = safeAlgorithms, variant } = flags;
  for (const algorithm of algorithms) checkSearchable(algorithm, variant);
  const tallies: Tally[] = [];
  for (const algorithm of algorithms) {
    if (!signal.aborted) tallies.push(await searchOne(algorithm, flags, signal));
  }
  const result = `${JSON.stringify(tallies, null, 2)}\n`;
  process.stdout.write(flags.json ? result : tallies.map(describe).join(''));
  if (signal.aborted) return;
  writeOut(flags.out, { 'result.json': result });
  if (tallies.some(({ brokenSeeds }) => brokenSeeds.length > 0)) process.exitCode = failureExitCode;
});

async function searchOne(algorithm: string, flags: Flags, signal: AbortSignal): Promise<Tally> {
  const { variant, seeds, shard = { number: 1, of: 1 }, workers, out } = flags;
  const subject: Assignment = { algorithm, variant, swarm: defaultSwarm };
  const name = variant === 'default' ? algorithm : `${algorithm}.${variant}`;
  const own = join(out, `${name}-${shard.number}-of-${shard.of}.jsonl`);
  const journal = openJournal([own, ...journalsIn(out, name)], subject);
  process.stderr.write(`${name}\n`);
  const progress = reportProgress(process.stderr);
  const result = await search(
    { ...subject, firstSeed: 1, seeds, shard, workers },
    { progress, signal, journal },
  );
  return { algorithm, variant, seeds: result.runs, brokenSeeds: result.finds.map(({ seed }) => seed) };
}

function describe({ algorithm, variant, seeds, brokenSeeds }: Tally): string {
  const broken = brokenSeeds.length === 0 ? 'none broken' : `${brokenSeeds.length} broken: ${brokenSeeds[0]}`;
  return `${algorithm} (${variant}): ${seeds} runs, ${broken}.\n`;
}
