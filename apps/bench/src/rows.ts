import { configure, open, type Parameters, variantsOf } from './algorithms.js';
import type { FaultName } from './faults.js';
import type { TrialOutcome } from './observation.js';
import type { Row } from './results.js';
import type { ProfileName } from './settings.js';
import { rounded, summarise } from './statistics.js';

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
}

export interface RowName {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly fault: FaultName;
}

/** The rows in the order of the table. */
export function rowNames({ algorithms, variants, nodes, faults }: Experiment): RowName[] {
  return algorithms.flatMap((algorithm) =>
    variantsOf(algorithm)
      .slice(0, variants ? undefined : 1)
      .flatMap((variant) =>
        nodes.flatMap((size) => faults.map((fault) => ({ algorithm, variant, nodes: size, fault }))),
      ),
  );
}

/** Outcomes are in the order of the trials, so that sums do not depend on who finished first. */
export function aggregate(
  name: RowName,
  { profile, budgetMs }: Experiment,
  outcomes: readonly TrialOutcome[],
  replay: string | null,
): Row {
  const count = (resolution: TrialOutcome['resolution']) =>
    outcomes.filter((outcome) => outcome.resolution === resolution).length;
  const samples = (pick: (outcome: TrialOutcome) => number | null) =>
    outcomes.map(pick).filter((sample) => sample !== null);
  const sum = (pick: (outcome: TrialOutcome) => number) =>
    outcomes.reduce((total, outcome) => total + pick(outcome), 0);
  const overlapsMs = outcomes.flatMap((outcome) => outcome.overlapsMs);
  const staleAttempted = sum((outcome) => outcome.staleAttempted);
  const steady = samples((outcome) => outcome.steadyPerSecond);
  return {
    ...name,
    trials: outcomes.length,
    unresolved: count('unresolved'),
    kept: count('kept'),
    parameters: parametersOf(name, profile, budgetMs),
    detectionMs: summarise(samples((outcome) => outcome.detectionMs)),
    failoverMs: summarise(samples((outcome) => outcome.failoverMs)),
    convergenceMs: summarise(samples((outcome) => outcome.convergenceMs)),
    messages: {
      election: summarise(samples((outcome) => outcome.electionMessages)),
      total: summarise(samples((outcome) => outcome.totalMessages)),
      steadyPerSecond: summarise(steady)?.mean ?? null,
    },
    splitBrain: {
      incidents: overlapsMs.length,
      trialsAffected: outcomes.filter((outcome) => outcome.overlapsMs.length > 0).length,
      overlapMs: summarise(overlapsMs),
    },
    writes: {
      staleAttempted,
      // An unfenced store has no reason to refuse anything.
      staleAcceptedUnfenced: staleAttempted,
      staleAcceptedFenced: sum((outcome) => outcome.staleAcceptedFenced),
    },
    replay,
  };
}

/** No failover at all is the worst; of equally bad trials, the first. */
export function worstTrial(outcomes: readonly TrialOutcome[]): number {
  const badness = ({ resolution, failoverMs }: TrialOutcome) =>
    resolution === 'unresolved' ? Number.POSITIVE_INFINITY : (failoverMs ?? -1);
  return outcomes.reduce(
    (worst, outcome, index) => (badness(outcome) > badness(outcomes[worst]!) ? index : worst),
    0,
  );
}

/** Rounded like everything else in the file. */
export function parametersOf({ algorithm, variant }: RowName, profile: ProfileName, budgetMs: number) {
  const { parameters, detectionMs } = open(algorithm)((opened) =>
    configure(opened, variant, profile, budgetMs),
  );
  const neat = (value: Parameters[string]): Parameters[string] => {
    if (typeof value === 'number') return rounded(value);
    return typeof value === 'string' ? value : value.map(rounded);
  };
  const entries = Object.entries({ detectionMs, ...parameters }).map(([key, value]) => [key, neat(value)]);
  return Object.fromEntries(entries) as Parameters;
}
