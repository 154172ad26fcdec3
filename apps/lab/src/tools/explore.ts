#!/usr/bin/env node
import { algorithmNames, configure, defaultBudgetMs, open } from '@hustings/catalogue';
import { algorithmOption, columnsOf, runTool, tool, wholeNumberOption, wrapped } from '@hustings/command';
import { defaultBounds, type ExploreBounds } from '@hustings/simulator';
import { exploreAlgorithm, renderExploration } from '../explore/exploration.js';
import { checkVariant } from '../variants.js';

interface Flags extends Omit<ExploreBounds, 'tickMs' | 'maxLosses'> {
  readonly tickMs?: number;
  readonly maxLosses?: number;
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly undeclared: boolean;
  readonly json: boolean;
}

const bounds = defaultBounds;

const failureExitCode = 1;

const command = tool(
  'explore',
  'Follows every order of deliveries, timeouts, crashes and losses up to a depth, and shows the shortest way to break a promise. Without a clock, timers may fire at any moment: nothing is assumed about time. Leases need one, so coordinators are explored with a clock.',
)
  .addOption(algorithmOption('which algorithm', algorithmNames).makeOptionMandatory())
  .option('--variant <name>', 'which variant of it', 'default')
  .addOption(wholeNumberOption('--nodes', 'how many nodes', 1, 9).default(3))
  .addOption(wholeNumberOption('--depth', 'the longest sequence of events', 0, 1000).default(bounds.depth))
  .addOption(wholeNumberOption('--max-crashes', 'crashes in one run', 0, 15).default(bounds.maxCrashes))
  .addOption(wholeNumberOption('--max-losses', 'lost messages in one run; 1 without a coordinator', 0, 15))
  .addOption(
    wholeNumberOption('--max-duplicates', 'duplicated messages in one run', 0, 15).default(
      bounds.maxDuplicates,
    ),
  )
  .addOption(
    wholeNumberOption('--max-resignations', 'resignations in one run', 0, 15).default(bounds.maxResignations),
  )
  .addOption(
    wholeNumberOption('--max-in-flight-per-link', 'messages on one link', 1, 100).default(
      bounds.maxInFlightPerLink,
    ),
  )
  .addOption(
    wholeNumberOption('--tick-ms', 'how far the clock advances at once; 0 for none', 0, 1_000_000).default(
      undefined,
      'a fifth of what a coordinator takes to notice, else 0',
    ),
  )
  .addOption(wholeNumberOption('--max-ticks', 'ticks of the clock in one run', 0, 15).default(8))
  .addOption(wholeNumberOption('--max-late', 'messages held up for a tick in one run', 0, 15).default(1))
  .addOption(
    wholeNumberOption('--max-states', 'stop after this many states', 1, 50_000_000).default(bounds.maxStates),
  )
  .option('--reorders', 'messages on one link may overtake each other', bounds.reorders)
  .option(
    '--closes-links-on-crash',
    'peers see the connections of a crashed node close',
    bounds.closesLinksOnCrash,
  )
  .option('--undeclared', 'ask for one leader at a time even where that is not promised', false);

await runTool<Flags>(command, (flags) => {
  const { algorithm, variant, nodes, undeclared, json, ...chosen } = flags;
  checkVariant(algorithm, variant);
  const report = exploreAlgorithm({
    algorithm,
    variant,
    nodes,
    undeclared,
    bounds: chosen,
    onDepth: ({ depth, states }) => process.stderr.write(`depth ${depth}: ${states} states\n`),
  });
  const text = () => wrapped(renderExploration(report) + hint(flags), columnsOf(process.stdout));
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : text());
  if (report.violations.some(({ declared }) => declared)) process.exitCode = failureExitCode;
});

/** What a newcomer looks for in vain: two leaders, where nothing was promised against them. */
function hint({ algorithm, variant, undeclared }: Flags): string {
  const { atMostOneLeader } = open(algorithm)(
    (opened) => configure(opened, variant, 'defaults', defaultBudgetMs).protocol.guarantees,
  );
  return atMostOneLeader || undeclared
    ? ''
    : `\n${algorithm} does not promise one leader at a time; --undeclared looks for two.\n`;
}
