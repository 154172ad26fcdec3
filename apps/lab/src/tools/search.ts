#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { algorithmNames, withSubject } from '@hustings/catalogue';
import {
  algorithmOption,
  checkOut,
  columnsOf,
  interruption,
  reportProgress,
  runTool,
  tool,
  UsageError,
  wholeNumberOption,
  wrapped,
  writeOut,
} from '@hustings/command';
import { defaultSwarm, deriveSeed, type FaultType, faultTypes, type Swarm } from '@hustings/simulator';
import { broken } from '../mutants/broken.js';
import { noJournal, openJournal } from '../search/journal.js';
import { waysBack } from '../search/judged.js';
import type { Assignment, Find } from '../search/protocol.js';
import { replay } from '../search/replay.js';
import { type SearchResult, search } from '../search/search.js';
import { type Shard, toShard } from '../search/shard.js';
import { type FoundViolation, shrinkFinds } from '../search/violations.js';
import { checkSearchable } from '../variants.js';

interface Flags {
  readonly algorithm: string;
  readonly variant: string;
  readonly mutant?: string;
  readonly seeds: number;
  readonly seed: number;
  readonly nodes: Swarm['nodes'];
  readonly faults: readonly FaultType[];
  readonly shard?: Shard;
  readonly journal?: readonly [string, ...string[]];
  readonly limit: number;
  readonly workers: number;
  readonly out?: string;
  readonly json: boolean;
}

const failureExitCode = 1;
const mostNodes = 99;

const command = tool(
  'search',
  'Runs an algorithm under random faults, a schedule for each seed, and makes what breaks it small. Replays come with every find.',
)
  .addOption(algorithmOption('which algorithm', algorithmNames).makeOptionMandatory())
  .option('--variant <name>', 'which variant of it', 'default')
  .option('--mutant <name>', "one of the algorithm's mutants in its place: would the search notice?")
  .addOption(wholeNumberOption('--seeds', 'how many runs', 1).default(1000))
  .option('--seed <seed>', 'the first seed: a whole number, or a word that stands for one', toSeed, 1)
  .option('--nodes <range>', 'how many nodes: 5, or 3-7', toNodes, defaultSwarm.nodes)
  .option('--faults <list>', `all, or any of ${faultTypes.join(', ')}`, toFaults, defaultSwarm.faults)
  .option('--shard <k/n>', 'run only this share of the seeds, such as 3/10', toShard)
  .option(
    '--journal <files...>',
    'a file that remembers what is done, so that it can be resumed; what further ones remember is not run again',
  )
  .addOption(wholeNumberOption('--limit', 'how many different violations to show', 1, 50).default(5))
  .addOption(
    wholeNumberOption(
      '--workers',
      'threads; they change the time it takes, not what is found',
      1,
      256,
    ).default(availableParallelism(), 'one for each processor'),
  )
  .option('--out <directory>', 'where to write report, diagram, traces and scenario of the first violation');

await runTool<Flags>(command, (flags) => {
  checkSearchable(flags.algorithm, flags.variant);
  return searchAndReport(flags);
});

async function searchAndReport(flags: Flags): Promise<void> {
  const { algorithm, variant, seeds, seed: firstSeed, nodes, faults, workers, limit, json, out } = flags;
  const { shard, journal, mutant } = flags;
  if (out !== undefined) checkOut(out);
  const swarm: Swarm = { nodes, faults };
  const assignment: Assignment = { algorithm, variant, swarm, ...(mutant && { mutant }) };
  // Before anything else, so that a mutant that is not there is refused.
  const shrinkAll = withSubject(algorithm, variant, (intact) => {
    const subject = broken(intact, mutant);
    return (finds: readonly Find[]) => shrinkFinds(subject, swarm, finds, limit);
  });
  const signal = interruption();
  const result = await search(
    { ...assignment, firstSeed, seeds, workers, ...(shard && { shard }) },
    {
      progress: reportProgress(process.stderr),
      signal,
      journal: journal ? openJournal(journal, assignment) : noJournal,
    },
  );
  const violations = shrinkAll(result.finds);
  process.stdout.write(json ? toJson(algorithm, result, violations) : render(assignment, result, violations));
  if (violations.length > 0 && !signal.aborted) process.exitCode = failureExitCode;
  const [first] = violations;
  if (out !== undefined && first !== undefined) {
    writeOut(out, replay(first.shrunk, { shrunkFrom: first.replay, ...(mutant && { mutant }) }).files());
  }
}

function toJson(algorithm: string, result: SearchResult, violations: readonly FoundViolation[]): string {
  const { runs, runsPerSecond, finds } = result;
  const document = { algorithm, seeds: runs, runsPerSecond, brokenSeeds: finds.length, violations };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function render(
  { algorithm, mutant }: Assignment,
  result: SearchResult,
  violations: readonly FoundViolation[],
): string {
  const { runs, runsPerSecond, finds } = result;
  const summary = `${algorithm}: ${runs} runs, ${runsPerSecond} a second, ${finds.length} broken.\n`;
  const [first, ...others] = violations;
  if (first === undefined) return summary;
  const width = columnsOf(process.stdout);
  const { report } = replay(first.shrunk, { shrunkFrom: first.replay, width, ...(mutant && { mutant }) });
  const further = others.map(({ property, detail, shrunk }) => {
    const { command, link } = waysBack(shrunk, mutant);
    return [`${property}: ${detail}`, command, ...(link ? [link] : [])].join('\n  ').concat('\n');
  });
  const also = further.length === 0 ? '' : `\nAlso found:\n${wrapped(further.join(''), width)}`;
  return `${summary}\n${report}${also}`;
}

function toSeed(text: string): number {
  return /^-?\d{1,10}$/.test(text) ? Number(text) | 0 : deriveSeed(text);
}

function toNodes(text: string): Swarm['nodes'] {
  const match = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(text);
  const min = Number(match?.[1]);
  const max = Number(match?.[2] ?? match?.[1]);
  if (match !== null && min >= 1 && min <= max && max <= mostNodes) return [min, max];
  throw new UsageError(
    `--nodes takes a number or a range from 1 to ${mostNodes}, such as 5 or 3-7; '${text}' is neither.`,
  );
}

function toFaults(text: string): readonly FaultType[] {
  if (text === 'all') return faultTypes;
  return text.split(',').map((name) => {
    const type = faultTypes.find((known) => known === name);
    if (type !== undefined) return type;
    throw new UsageError(`There is no fault '${name}'; choose from all, ${faultTypes.join(', ')}.`);
  });
}
