import { algorithmNames, type CoordinatorKind, defaultBudgetMs } from '@hustings/catalogue';
import { UsageError } from '@hustings/command';
import type { Mode } from '../report/results.js';
import { type FaultName, faultNames } from './faults.js';
import type { Flags } from './flags.js';
import { notesOf } from './notes.js';
import { coordinatorOf, type Experiment, rowNames } from './rows.js';

/** What a command line comes to. */
export interface BenchRequest {
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

/** Which servers a live run talks to. */
export interface LiveServers {
  /** How many members are started where the run starts them itself. */
  readonly members: number;
  /** A user's own, `host:port` each. */
  readonly named: Readonly<Partial<Record<CoordinatorKind, readonly string[]>>>;
}

const defaultTrials: Readonly<Record<Mode, number>> = { simulated: 200, live: 5 };
const mostNodes: Readonly<Record<Mode, number>> = { simulated: 101, live: 25 };
/** Three is the least that survives the loss of one, and what people run. */
const defaultMembers = 3;

/** Throws `UsageError` for flags that do not go together. */
export function toRequest(flags: Flags): BenchRequest {
  for (const check of checks) check(flags);
  const { mode, faults, out, json, workers, validate } = flags;
  const members = flags.coordinatorMembers ?? defaultMembers;
  const lacking = faults.filter((fault) => mode === 'live' && lacksMembers(fault, members));
  const experiment = experimentOf(flags, lacking);
  checkRows(experiment, faults);
  const notes = [
    ...notesOf(experiment),
    ...lacking.map((fault) => `${fault} needs three members, so no such row.`),
    ...(experiment.algorithms.length < flags.algorithms.length
      ? [`${storeAlgorithm} is measured live by apps/lab/dist/measurements/stores/live.js, so no such row.`]
      : []),
  ];
  return {
    ...{ mode, experiment, out, json, workers, validate, notes },
    servers: { members, named: namedServers(flags) },
  };
}

function experimentOf(flags: Flags, lacking: readonly FaultName[]): Experiment {
  const { mode, algorithms, variants, nodes, faults, profile, seed, peers } = flags;
  return {
    ...{ variants, nodes, profile, seed, rivals: peers },
    algorithms: algorithms.filter((name) => mode === 'simulated' || name !== storeAlgorithm),
    faults: faults.filter(
      (fault) => mode === 'simulated' || !(fault === 'clock-drift' || lacking.includes(fault)),
    ),
    budgetMs: flags.budgetMs ?? defaultBudgetMs,
    trials: flags.trials ?? defaultTrials[mode],
    untouchable: Object.keys(namedServers(flags)),
  };
}

function namedServers({ etcd, zookeeper }: Flags): LiveServers['named'] {
  return { ...(etcd === undefined ? {} : { etcd }), ...(zookeeper === undefined ? {} : { zookeeper }) };
}

const lacksMembers = (fault: FaultName, members: number): boolean =>
  fault === 'coordinator-member-crash' && members < 3;

const checks: readonly ((flags: Flags) => void)[] = [
  checkProfile,
  checkSizes,
  checkServers,
  checkRivals,
  checkClocks,
  checkStores,
];

/** It has a store for each variant, and other people's electors for each store: a measurement of its own. */
const storeAlgorithm = 'lease';

function checkProfile({ profile, budgetMs }: Flags): void {
  if (profile !== 'defaults' || budgetMs === undefined) return;
  throw new UsageError(
    '--budget-ms belongs to the matched profile; leave it out, or leave out --profile defaults.',
  );
}

function checkSizes({ mode, nodes, coordinatorMembers: members = defaultMembers }: Flags): void {
  const tooMany = nodes.find((size) => size > mostNodes[mode]);
  if (tooMany !== undefined) {
    throw new UsageError(`--nodes ${tooMany} is too many for ${mode} mode; take at most ${mostNodes[mode]}.`);
  }
  if (members !== 1 && members !== 3) {
    throw new UsageError(`--coordinator-members ${members} is not offered; take 1 or 3.`);
  }
}

function checkServers({ mode, etcd, zookeeper, coordinatorMembers }: Flags): void {
  const given = { etcd, zookeeper, 'coordinator-members': coordinatorMembers };
  for (const [name, value] of Object.entries(given)) {
    if (mode === 'simulated' && value !== undefined) {
      throw new UsageError(`Servers are for live mode; add --mode live, or leave out --${name}.`);
    }
  }
}

function checkRivals({ mode, peers, algorithms }: Flags): void {
  if (!peers) return;
  if (mode === 'simulated') {
    throw new UsageError('--peers are real programs; add --mode live, or leave out --peers.');
  }
  if (algorithms.every((name) => coordinatorOf(name) === null)) {
    throw new UsageError(
      '--peers stand beside zookeeper and etcd, whose servers they use; add one of them to --algorithms.',
    );
  }
}

function checkClocks({ mode, faults }: Flags): void {
  const everyFault = faults.length === faultNames.length;
  if (mode === 'simulated' || !faults.includes('clock-drift') || everyFault) return;
  throw new UsageError(
    'clock-drift exists in simulated mode only; leave it out of --faults, or leave out --mode live.',
  );
}

function checkStores({ mode, algorithms }: Flags): void {
  const everyAlgorithm = algorithms.length === algorithmNames.length;
  if (mode === 'simulated' || !algorithms.includes(storeAlgorithm) || everyAlgorithm) return;
  throw new UsageError(
    `${storeAlgorithm} is measured live, on each store and beside others, by apps/lab/dist/measurements/stores/live.js; leave it out of --algorithms, or leave out --mode live.`,
  );
}

/** A table without rows says nothing. */
function checkRows(experiment: Experiment, faults: readonly FaultName[]): void {
  if (rowNames(experiment).length > 0) return;
  const algorithms = experiment.algorithms.join(' and ');
  if (faults.includes('transfer')) {
    throw new UsageError(
      `A leader of ${algorithms} cannot choose its successor; add raft to --algorithms, or leave transfer out of --faults.`,
    );
  }
  const withCoordinator = algorithmNames.filter((name) => coordinatorOf(name) !== null);
  throw new UsageError(
    `${faults.join(' and ')} strike a coordinator, which ${algorithms} do without; add ${withCoordinator.join(' or ')} to --algorithms.`,
  );
}
