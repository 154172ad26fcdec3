import {
  type Configuration,
  type CoordinatorKind,
  configure,
  coordinatorOf as coordinatorOfAlgorithm,
  defaultBudgetMs,
  open,
  type ProfileName,
  variantsOf,
} from '@hustings/catalogue';
import type { Row } from '../report/results.js';
import { rounded, summarise } from '../report/statistics.js';
import type { TrialOutcome } from '../trial/observation.js';
import { type FaultName, isCoordinatorFault } from './faults.js';
import { peerOf, peerParameters, peers } from './rivals.js';

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
  readonly peers?: boolean;
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
    ...(experiment.peers ? peersBeside(algorithm) : []).flatMap(({ name, variants: ofPeer }) =>
      ofPeer.flatMap(({ variant, faults }) =>
        rowsOf(name, variant, experiment).filter(({ fault }) => faults.includes(fault)),
      ),
    ),
  ]);
}

/** Next to the algorithm of ours that uses the same servers: so that they are compared, and nothing starts twice. */
const peersBeside = (algorithm: string) =>
  peers.filter(({ coordinator }) => coordinator === coordinatorOfAlgorithm(algorithm));

function rowsOf(algorithm: string, variant: string, experiment: Experiment): RowName[] {
  const { nodes, faults } = experiment;
  return nodes.flatMap((size) =>
    faults
      .filter((fault) => isApplicable(fault, algorithm, experiment))
      .map((fault) => ({ algorithm, variant, nodes: size, fault })),
  );
}

/** Which servers an algorithm or a peer cannot do without; null for those that need none. */
export function coordinatorOf(algorithm: string): CoordinatorKind | null {
  return peerOf(algorithm)?.coordinator ?? coordinatorOfAlgorithm(algorithm);
}

export function isApplicable(
  fault: FaultName,
  algorithm: string,
  { untouchable = [] }: Pick<Experiment, 'untouchable'> = {},
): boolean {
  if (fault === 'transfer') return peerOf(algorithm) === null && transfers(algorithm);
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

/** Outcomes are in the order of the trials, so that sums do not depend on who finished first. */
export function aggregate(
  name: RowName,
  { profile, budgetMs }: Experiment,
  outcomes: readonly TrialOutcome[],
  /** What replays a trial, by its number; null in live mode. */
  replayOf: (trial: number) => string | null,
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
    nextWriteMs: summarise(samples((outcome) => outcome.nextWriteMs)),
    messages: {
      failover: summarise(samples((outcome) => outcome.failoverMessages)),
      election: summarise(samples((outcome) => outcome.electionMessages)),
      total: summarise(samples((outcome) => outcome.totalMessages)),
      byType: messagesByType(name, profile, budgetMs, outcomes),
      steadyPerSecond: summarise(steady)?.mean ?? null,
    },
    splitBrain: {
      incidents: overlapsMs.length,
      trialsAffected: outcomes.filter((outcome) => outcome.overlapsMs.length > 0).length,
      overlapMs: summarise(overlapsMs),
      worst: worstOverlap(outcomes, replayOf),
    },
    writes: {
      staleAttempted,
      // An unfenced store has no reason to refuse anything.
      staleAcceptedUnfenced: staleAttempted,
      staleAcceptedFenced: sum((outcome) => outcome.staleAcceptedFenced),
    },
    replay: replayOf(worstTrial(outcomes)),
  };
}

function messagesByType(
  { algorithm, variant }: RowName,
  profile: ProfileName,
  budgetMs: number,
  outcomes: readonly TrialOutcome[],
): Row['messages']['byType'] {
  if (peerOf(algorithm) !== null) return {};
  const periodicMessages = open(algorithm)(
    (opened) => configure(opened, variant, profile, budgetMs).protocol.periodicMessages,
  );
  const counted = outcomes.filter(({ totalMessages }) => totalMessages !== null);
  const kinds = [...new Set(counted.flatMap(({ messagesByType }) => Object.keys(messagesByType)))].sort();
  return Object.fromEntries(
    kinds.map((kind) => {
      const sum = counted.reduce((total, { messagesByType }) => total + (messagesByType[kind] ?? 0), 0);
      return [kind, { mean: rounded(sum / counted.length), periodic: periodicMessages.has(kind) }];
    }),
  );
}

/** The first of the trials with the longest time under two leaders. */
function worstOverlap(
  outcomes: readonly TrialOutcome[],
  replayOf: (trial: number) => string | null,
): Row['splitBrain']['worst'] {
  const longest = outcomes.map(({ overlapsMs }) => Math.max(0, ...overlapsMs));
  const overlapMs = Math.max(0, ...longest);
  if (overlapMs === 0) return null;
  const trial = longest.indexOf(overlapMs);
  const tenures = outcomes[trial]!.tenures.map(({ node, fromMs, toMs }) => ({
    ...{ node, fromMs: rounded(fromMs), toMs: rounded(toMs) },
  }));
  return { overlapMs: rounded(overlapMs), replay: replayOf(trial), tenures };
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

/**
 * Rounded like everything else in the file. A peer has the lease, and is given the time, of the algorithm of ours
 * that uses the same servers.
 */
export function parametersOf(
  { algorithm, variant }: Pick<RowName, 'algorithm' | 'variant'>,
  profile: ProfileName,
  budgetMs: number,
): Configuration {
  const peer = peerOf(algorithm);
  if (peer !== null) {
    const ours = { algorithm: peer.coordinator, variant: 'default' };
    return peerParameters(variant, parametersOf(ours, profile, budgetMs));
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
