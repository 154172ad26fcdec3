import { availableParallelism } from 'node:os';
import {
  algorithmNames,
  defaultBudgetMs,
  maxBudgetMs,
  minBudgetMs,
  type ProfileName,
  profiles,
} from '@hustings/catalogue';
import { UsageError } from '@hustings/command';
import { Command, CommanderError, Option } from 'commander';
import type { Mode } from '../report/results.js';
import type { LiveServers } from '../run-live.js';
import { defaultFaults, type FaultName, faultNames, isFaultName } from './faults.js';
import { rivals } from './rivals.js';
import { coordinatorOf, type Experiment, isApplicable, rowNames } from './rows.js';
import { defaultSeed } from './settings.js';

export interface Request {
  readonly mode: Mode;
  readonly experiment: Experiment;
  readonly out: string;
  readonly json: boolean;
  readonly workers: number;
  readonly servers: LiveServers;
  /** Whether the live rows are also simulated, to compare the two. */
  readonly validate: boolean;
  /** What was left out of the table, and why: for standard error. */
  readonly notes: readonly string[];
}

const defaultTrials: Readonly<Record<Mode, number>> = { simulated: 200, live: 5 };
const mostNodes: Readonly<Record<Mode, number>> = { simulated: 101, live: 25 };
const helpHint = "run 'npm run bench -- --help' to see what there is";

/** Null when help was asked for, and has been printed. Throws `UsageError`. */
export function parseRequest(argv: readonly string[]): Request | null {
  const command = bench();
  try {
    command.parse([...argv], { from: 'user' });
    const flags = command.opts<Flags>();
    const hasFaults = command.getOptionValueSource('faults') !== 'default';
    return toRequest(flags.validate ? forValidation(flags, hasFaults) : flags);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw new UsageError(asSentence(error.message));
  }
}

interface Flags {
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
  readonly rivals: boolean;
  readonly validate: boolean;
  readonly etcd?: readonly string[];
  readonly zookeeper?: readonly string[];
  readonly coordinatorMembers?: number;
}

function bench(): Command {
  return new Command('bench')
    .description('Measures how leader elections survive faults, in virtual time or with real processes.')
    .addOption(
      new Option('--mode <mode>', 'virtual time, or real processes')
        .choices(['simulated', 'live'])
        .default('simulated'),
    )
    .addOption(
      new Option('--algorithms <list>', `any of ${algorithmNames.join(', ')}`)
        .argParser(list(toAlgorithm))
        .default(algorithmNames, 'all'),
    )
    .option('--variants', 'include the variants beside the default one of each algorithm', false)
    .addOption(
      new Option('--nodes <list>', 'cluster sizes')
        .argParser(list(wholeNumber('--nodes', 3)))
        .default([5], '5'),
    )
    .addOption(
      new Option('--faults <list>', `all, or any of ${faultNames.join(', ')}`)
        .argParser((text) => (text === 'all' ? faultNames : list(toFault)(text)))
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
    .option('--json', 'print results.json on standard output, and nothing else', false)
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
      ).argParser(list(toAddress('--etcd'))),
    )
    .addOption(
      new Option('--zookeeper <list>', 'live: host:port of your own ZooKeeper, likewise').argParser(
        list(toAddress('--zookeeper')),
      ),
    )
    .option(
      '--validate',
      'the same scenarios simulated and live, side by side; crash and graceful unless --faults says otherwise',
      false,
    )
    .option(
      '--peers, --rivals',
      "live: other people's electors beside etcd and zookeeper: etcd3, etcdctl, curator",
      false,
    )
    .helpOption('--help', 'show this help')
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
}

/** What is validated is live. Of these two faults the medians are promised to be close. */
function forValidation(flags: Flags, hasFaults: boolean): Flags {
  return { ...flags, mode: 'live', faults: hasFaults ? flags.faults : ['crash', 'graceful'] };
}

function toRequest(flags: Flags): Request {
  const { mode, profile, nodes, faults } = flags;
  if (profile === 'defaults' && flags.budgetMs !== undefined) {
    throw new UsageError(
      '--budget-ms belongs to the matched profile; leave it out, or leave out --profile defaults.',
    );
  }
  const tooMany = nodes.find((size) => size > mostNodes[mode]);
  if (tooMany !== undefined) {
    throw new UsageError(`--nodes ${tooMany} is too many for ${mode} mode; take at most ${mostNodes[mode]}.`);
  }
  const members = flags.coordinatorMembers ?? defaultMembers;
  if (members !== 1 && members !== 3) {
    throw new UsageError(`--coordinator-members ${members} is not offered; take 1 or 3.`);
  }
  for (const name of ['etcd', 'zookeeper', 'coordinatorMembers'] as const) {
    if (mode === 'simulated' && flags[name] !== undefined) {
      throw new UsageError(`Servers are for live mode; add --mode live, or leave out --${name}.`);
    }
  }
  if (flags.rivals && mode === 'simulated') {
    throw new UsageError('--peers are real programs; add --mode live, or leave out --peers.');
  }
  if (flags.rivals && flags.algorithms.every((name) => coordinatorOf(name) === null)) {
    throw new UsageError(
      `--peers stand beside zookeeper and etcd, whose servers they use; add one of them to --algorithms.`,
    );
  }
  const everyFault = faults.length === faultNames.length;
  if (mode === 'live' && faults.includes('clock-drift') && !everyFault) {
    throw new UsageError(
      'clock-drift exists in simulated mode only; leave it out of --faults, or leave out --mode live.',
    );
  }
  const experiment: Experiment = {
    algorithms: flags.algorithms,
    variants: flags.variants,
    nodes,
    faults: faults.filter(
      (fault) => mode === 'simulated' || !(fault === 'clock-drift' || lacksMembers(fault, members)),
    ),
    profile,
    budgetMs: flags.budgetMs ?? defaultBudgetMs,
    trials: flags.trials ?? defaultTrials[mode],
    seed: flags.seed,
    rivals: flags.rivals,
    untouchable: (['etcd', 'zookeeper'] as const).filter((name) => flags[name] !== undefined),
  };
  if (rowNames(experiment).length === 0 && faults.includes('transfer')) {
    throw new UsageError(
      `A leader of ${flags.algorithms.join(' and ')} cannot choose its successor; add raft to --algorithms, or leave transfer out of --faults.`,
    );
  }
  if (rowNames(experiment).length === 0) {
    const withCoordinator = algorithmNames.filter((name) => coordinatorOf(name) !== null);
    throw new UsageError(
      `${faults.join(' and ')} strike a coordinator, which ${flags.algorithms.join(' and ')} do without; add ${withCoordinator.join(' or ')} to --algorithms.`,
    );
  }
  const { out, json, workers } = flags;
  const { etcd, zookeeper } = flags;
  const named = {
    ...(etcd === undefined ? {} : { etcd }),
    ...(zookeeper === undefined ? {} : { zookeeper }),
  };
  const lacking = faults.filter((fault) => mode === 'live' && lacksMembers(fault, members));
  const notes = [
    ...notesOn(experiment),
    ...notesOnRivals(experiment),
    ...lacking.map((fault) => `${fault} needs three members, so no such row.`),
  ];
  return {
    mode,
    experiment,
    out,
    json,
    workers,
    servers: { members, named },
    validate: flags.validate,
    notes,
  };
}

/** Three is the least that survives the loss of one, and what people run. */
const defaultMembers = 3;

const lacksMembers = (fault: FaultName, members: number): boolean =>
  fault === 'coordinator-member-crash' && members < 3;

/** What a rival that was asked for has no row of. */
function notesOnRivals({ algorithms, faults, rivals: wanted }: Experiment): string[] {
  if (!wanted) return [];
  return rivals
    .filter(({ coordinator }) => algorithms.some((algorithm) => coordinatorOf(algorithm) === coordinator))
    .flatMap(({ name, variants }) =>
      variants.flatMap(({ variant, faults: possible }) => {
        const impossible = faults.filter((fault) => !possible.includes(fault));
        const full = variant === 'default' ? name : `${name} ${variant}`;
        return impossible.length === 0
          ? []
          : [
              `${impossible.join(', ')} cannot be done to ${full} from outside, or with the same lease: no such row.`,
            ];
      }),
    );
}

function notesOn(experiment: Experiment): string[] {
  const { algorithms, faults, untouchable = [] } = experiment;
  return faults.flatMap((fault) => {
    const without = algorithms.filter((algorithm) => !isApplicable(fault, algorithm, experiment));
    if (fault === 'transfer' && without.length > 0) {
      return [`transfer does not apply to ${without.join(', ')}: no choice of a successor, so no such row.`];
    }
    const foreign = without.filter((algorithm) => untouchable.includes(algorithm));
    const selfSufficient = without.filter((algorithm) => !untouchable.includes(algorithm));
    return [
      ...(selfSufficient.length === 0
        ? []
        : [`${fault} does not apply to ${selfSufficient.join(', ')}: no coordinator, so no such row.`]),
      ...(foreign.length === 0
        ? []
        : [
            `${fault} is not done to servers that were named, so there is no such row for ${foreign.join(', ')}.`,
          ]),
    ];
  });
}

function list<Item>(read: (text: string) => Item): (text: string) => Item[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim());
    return [...new Set(items.map(read))];
  };
}

function toAlgorithm(name: string): string {
  if (algorithmNames.includes(name)) return name;
  throw new UsageError(`There is no algorithm '${name}'; choose from ${algorithmNames.join(', ')}.`);
}

function toFault(name: string): FaultName {
  if (isFaultName(name)) return name;
  throw new UsageError(`There is no fault '${name}'; choose from all, ${faultNames.join(', ')}.`);
}

function toAddress(flag: string): (text: string) => string {
  return (text) => {
    const address = text.replace(/^http:\/\//, '');
    if (/^[\w.-]+:\d{1,5}$/.test(address)) return address;
    throw new UsageError(`${flag} takes addresses such as 10.0.0.1:2379; '${text}' is none.`);
  };
}

function wholeNumber(flag: string, min: number, max = 1_000_000_000): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new UsageError(`${flag} takes whole numbers from ${min} to ${max}; '${text}' is none.`);
  };
}

/** Commander's own words, on one line. */
function asSentence(message: string): string {
  const words = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}; ${helpHint}.`;
}
