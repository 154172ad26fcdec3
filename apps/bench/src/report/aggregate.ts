import { configure, open, type ProfileName } from '@hustings/catalogue';
import { rivalOf } from '../plan/rivals.js';
import { type Experiment, parametersOf, type RowName } from '../plan/rows.js';
import { rounded, summarise } from '../statistics.js';
import type { TrialOutcome } from '../trial/observation.js';
import type { Row } from './results.js';

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
  if (rivalOf(algorithm) !== null) return {};
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
