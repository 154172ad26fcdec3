import { availableParallelism } from 'node:os';
import {
  algorithmNames,
  defaultBudgetMs,
  maxBudgetMs,
  minBudgetMs,
  type ProfileName,
  profiles,
} from '@hustings/catalogue';
import { listOf, oneOf, parseFlags, tool, UsageError, wholeNumber } from '@hustings/command';
import { type Command, Option } from 'commander';
import type { Mode } from '../report/results.js';
import { defaultFaults, type FaultName, faultNames } from './faults.js';
import { type BenchRequest, toRequest } from './request.js';
import { defaultSeed } from './settings.js';

/** Null when help was asked for, and has been printed. Throws `UsageError`. */
export function parseRequest(argv: readonly string[]): BenchRequest | null {
  const command = bench();
  const flags = parseFlags<Flags>(command, argv);
  if (flags === null) return null;
  const hasFaults = command.getOptionValueSource('faults') !== 'default';
  return toRequest(flags.validate ? forValidation(flags, hasFaults) : flags);
}

/** The command line as it was typed, defaults filled in. */
export interface Flags {
  readonly mode: Mode;
  readonly algorithms: readonly string[];
  readonly variants: boolean;
  readonly nodes: readonly number[];
  readonly faults: readonly FaultName[];
  readonly profile: ProfileName;
  readonly budgetMs?: number;
  readonly trials?: number;
  readonly seed: string;
  readonly out: string;
  readonly json: boolean;
  readonly workers: number;
  readonly peers: boolean;
  readonly validate: boolean;
  readonly etcd?: readonly string[];
  readonly zookeeper?: readonly string[];
  readonly coordinatorMembers?: number;
}

function bench(): Command {
  return tool(
    'bench',
    'Measures how leader elections survive faults, in virtual time or with real processes.',
  )
    .addOption(
      new Option('--mode <mode>', 'virtual time, or real processes')
        .choices(['simulated', 'live'])
        .default('simulated'),
    )
    .addOption(
      new Option('--algorithms <list>', `any of ${algorithmNames.join(', ')}`)
        .argParser(listOf(oneOf('algorithm', algorithmNames)))
        .default(algorithmNames, 'all'),
    )
    .option('--variants', 'include the variants beside the default one of each algorithm', false)
    .addOption(
      new Option('--nodes <list>', 'cluster sizes')
        .argParser(listOf(wholeNumber('--nodes', 3)))
        .default([5], '5'),
    )
    .addOption(
      new Option('--faults <list>', `all, or any of ${faultNames.join(', ')}`)
        .argParser(toFaults)
        .default(defaultFaults, defaultFaults.join(',')),
    )
    .addOption(
      new Option(
        '--profile <profile>',
        'matched: the same detection budget for all; defaults: the customary settings of each',
      )
        .choices(profiles)
        .default('matched'),
    )
    .addOption(
      new Option(
        '--budget-ms <n>',
        `detection budget of the matched profile (default: ${defaultBudgetMs})`,
      ).argParser(wholeNumber('--budget-ms', minBudgetMs, maxBudgetMs)),
    )
    .addOption(
      new Option('--trials <n>', 'trials per row (default: simulated 200, live 5)').argParser(
        wholeNumber('--trials', 1),
      ),
    )
    .option('--seed <text>', 'everything random derives from it', defaultSeed)
    .option('--out <directory>', 'where results.json and report.html go', 'bench-results')
    .addOption(
      new Option('--workers <n>', 'simulated: threads; they change the time it takes, not the results')
        .argParser(wholeNumber('--workers', 1))
        .default(availableParallelism(), 'one for each processor'),
    )
    .addOption(
      new Option(
        '--coordinator-members <n>',
        'live: servers started for each coordinator, 1 or 3 (default: 3)',
      ).argParser(wholeNumber('--coordinator-members', 1)),
    )
    .addOption(
      new Option(
        '--etcd <list>',
        'live: host:port of your own etcd, which is asked and never killed',
      ).argParser(listOf(toAddress('--etcd'))),
    )
    .addOption(
      new Option('--zookeeper <list>', 'live: host:port of your own ZooKeeper, likewise').argParser(
        listOf(toAddress('--zookeeper')),
      ),
    )
    .option(
      '--validate',
      'the same scenarios simulated and live, side by side; crash and graceful unless --faults says otherwise',
      false,
    )
    .option(
      '--peers',
      "live: other people's electors beside etcd and zookeeper: etcd3, etcdctl, curator",
      false,
    );
}

/** What is validated is live. Of these two faults the medians are promised to be close. */
function forValidation(flags: Flags, hasFaults: boolean): Flags {
  return { ...flags, mode: 'live', faults: hasFaults ? flags.faults : ['crash', 'graceful'] };
}

const toFault = oneOf('fault', ['all', ...faultNames] as const);

function toFaults(text: string): readonly FaultName[] {
  const names = listOf(toFault)(text);
  return names.includes('all') ? faultNames : names.filter((name) => name !== 'all');
}

function toAddress(flag: string): (text: string) => string {
  return (text) => {
    const address = text.replace(/^http:\/\//, '');
    if (/^[\w.-]+:\d{1,5}$/.test(address)) return address;
    throw new UsageError(`${flag} takes addresses such as 10.0.0.1:2379, not '${text}'.`);
  };
}
