import {
  type Configuration,
  type CoordinatorKind,
  canBefall,
  configure,
  coordinatorOf as coordinatorOfAlgorithm,
  defaultBudgetMs,
  open,
  type ProfileName,
  variantsOf,
} from '@hustings/catalogue';
import { deriveSeed } from '@hustings/simulator';
import { rounded } from '../statistics.js';
import { type FaultName, isCoordinatorFault } from './faults.js';
import { rivalOf, rivalParameters, rivals } from './rivals.js';
import type { TrialName } from './trial-name.js';

/** What is to be measured. Both modes read it. */
export interface Experiment {
  readonly algorithms: readonly string[];
  /** Beside the default variant of each algorithm, the others too. */
  readonly variants: boolean;
  readonly nodes: readonly number[];
  readonly faults: readonly FaultName[];
  readonly profile: ProfileName;
  readonly budgetMs: number;
  readonly trials: number;
  readonly seed: string;
  /** Live: algorithms on servers that are not ours to kill. */
  readonly untouchable?: readonly string[];
  /** Live: other people's electors beside those of ours that use the same servers. */
  readonly rivals?: boolean;
}

export interface RowName {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly fault: FaultName;
}

/** The rows in the order of the table. A fault of a coordinator makes no row for an algorithm without one. */
export function rowNames(experiment: Experiment): RowName[] {
  const { algorithms, variants } = experiment;
  return algorithms.flatMap((algorithm) => [
    ...variantsOf(algorithm)
      .slice(0, variants ? undefined : 1)
      .flatMap((variant) => rowsOf(algorithm, variant, experiment)),
    ...(experiment.rivals ? rivalsBeside(algorithm) : []).flatMap(({ name, variants: ofRival }) =>
      ofRival.flatMap(({ variant, faults }) =>
        rowsOf(name, variant, experiment).filter(({ fault }) => faults.includes(fault)),
      ),
    ),
  ]);
}

/** Next to the algorithm of ours that uses the same servers: so that they are compared, and nothing starts twice. */
const rivalsBeside = (algorithm: string) =>
  rivals.filter(({ coordinator }) => coordinator === coordinatorOfAlgorithm(algorithm));

function rowsOf(algorithm: string, variant: string, experiment: Experiment): RowName[] {
  const { nodes, faults } = experiment;
  return nodes.flatMap((size) =>
    faults
      .filter((fault) => isApplicable(fault, algorithm, experiment))
      .filter((fault) => rivalOf(algorithm) !== null || canBefall(algorithm, variant, fault))
      .map((fault) => ({ algorithm, variant, nodes: size, fault })),
  );
}

/** Which servers an algorithm or a rival cannot do without; null for those that need none. */
export function coordinatorOf(algorithm: string): CoordinatorKind | null {
  return rivalOf(algorithm)?.coordinator ?? coordinatorOfAlgorithm(algorithm);
}

export function isApplicable(
  fault: FaultName,
  algorithm: string,
  { untouchable = [] }: Pick<Experiment, 'untouchable'> = {},
): boolean {
  if (fault === 'transfer') return rivalOf(algorithm) === null && transfers(algorithm);
  if (!isCoordinatorFault(fault)) return true;
  const coordinator = coordinatorOf(algorithm);
  return coordinator !== null && (fault === 'isolate-from-coordinator' || !untouchable.includes(coordinator));
}

/** Whether a leader can say who is to follow it. */
const transfers = (algorithm: string): boolean =>
  open(algorithm)(
    (opened) =>
      configure(opened, 'default', 'defaults', defaultBudgetMs).protocol.guarantees.targetedTransfer,
  );

/**
 * Rounded like everything else in the file. A rival has the lease, and is given the time, of the algorithm of ours
 * that uses the same servers.
 */
export function parametersOf(
  { algorithm, variant }: Pick<RowName, 'algorithm' | 'variant'>,
  profile: ProfileName,
  budgetMs: number,
): Configuration {
  const rival = rivalOf(algorithm);
  if (rival !== null) {
    const ours = { algorithm: rival.coordinator, variant: 'default' };
    return rivalParameters(variant, parametersOf(ours, profile, budgetMs));
  }
  const { parameters, detectionMs } = open(algorithm)((opened) =>
    configure(opened, variant, profile, budgetMs),
  );
  const neat = (value: Configuration[string]): Configuration[string] => {
    if (typeof value === 'number') return rounded(value);
    return typeof value === 'string' ? value : value.map(rounded);
  };
  const entries = Object.entries({ detectionMs, ...parameters }).map(([key, value]) => [key, neat(value)]);
  return Object.fromEntries(entries) as Configuration;
}

/** A trial's seed depends on what it is, never on when or where it runs. */
export function trialNames(name: RowName, { profile, budgetMs, trials, seed }: Experiment): TrialName[] {
  const { algorithm, variant, nodes, fault } = name;
  return Array.from({ length: trials }, (_, trial) => ({
    ...name,
    profile,
    budgetMs,
    seed: deriveSeed(seed, algorithm, variant, nodes, fault, profile, trial),
  }));
}

/** A row as progress names it. */
export function label({ algorithm, nodes, fault }: RowName): string {
  return `${algorithm}, ${nodes} nodes, ${fault}`;
}
