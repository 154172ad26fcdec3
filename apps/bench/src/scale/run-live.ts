import { type Progress, UsageError } from '@hustings/command';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { rounded, summarise } from '../statistics.js';
import { type LiveOutcome, runLiveTrial, TooMuchError } from './live/trial.js';
import {
  aggregatorTtlSeconds,
  labelOf,
  processesPerService,
  type ScaleName,
  servicesOf,
  ttlSeconds,
} from './plan.js';
import type { Refusal, ScaleRow } from './rows.js';

interface LiveScale {
  readonly rows: readonly ScaleRow[];
  readonly refused: readonly Refusal[];
  readonly complete: boolean;
}

interface LiveOptions {
  readonly trials: number;
  readonly balance: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Six renewals of the aggregators' lease, and more of every other. */
const quietMs = 2000 * aggregatorTtlSeconds;

/** A way ends at the first number of elections that this machine does not bear. */
export async function measureScale(names: readonly ScaleName[], options: LiveOptions): Promise<LiveScale> {
  const { progress, signal } = options;
  const rows: ScaleRow[] = [];
  const refused: Refusal[] = [];
  progress.begin(
    names.length,
    names.reduce((sum, { elections }) => sum + workOf(elections), 0),
  );
  for (const name of names) {
    const { way, elections } = name;
    if (signal.aborted) break;
    if (!refused.some((refusal) => refusal.way === way)) {
      const row = await measureRow(name, options);
      if (row !== null && 'why' in row) refused.push(row);
      else if (row !== null) rows.push(row);
      if (row !== null && !('why' in row) && row.lostWhileQuiet! > 0) {
        const why = `${row.lostWhileQuiet} Leaderships were lost while nothing happened.`;
        refused.push({ way, elections, why });
      }
    }
    progress.advance(1, labelOf(name), workOf(elections));
  }
  progress.end();
  return { rows, refused, complete: !signal.aborted };
}

/** What a row takes beside others: something for being one, and something for each election. */
const workOf = (elections: number): number => 500 + elections;

/** Null when it was interrupted. */
async function measureRow(name: ScaleName, options: LiveOptions): Promise<ScaleRow | Refusal | null> {
  const { trials, balance, signal } = options;
  const outcomes: LiveOutcome[] = [];
  try {
    for (let trial = 0; trial < trials; trial += 1) {
      const etcd = await start();
      try {
        outcomes.push(await runLiveTrial(etcd, { ...name, quietMs, balance, signal }));
      } finally {
        await etcd.stop();
      }
    }
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof TooMuchError) return { ...name, why: error.message };
    throw error;
  }
  return rowOf(name, outcomes);
}

/** One member: what is asked of it is asked of each that leads a larger cluster. */
async function start(): Promise<EtcdCluster> {
  try {
    return await startEtcdCluster();
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : `${error}`).split('\n');
    throw new UsageError(`Could not start etcd: ${reason?.replace(/\.$/, '')}; or leave out --mode live.`);
  }
}

function rowOf({ way, elections }: ScaleName, outcomes: readonly LiveOutcome[]): ScaleRow {
  const sum = (read: (outcome: LiveOutcome) => number): number =>
    outcomes.reduce((total, outcome) => total + read(outcome), 0);
  const mean = (read: (outcome: LiveOutcome) => number | null): number =>
    rounded(sum((outcome) => read(outcome) ?? 0) / outcomes.length);
  const hasAggregator = way === 'aggregator';
  return {
    ...{ way, basis: 'measured', elections, processes: processesPerService * servicesOf(elections).length },
    ...{ ttlSeconds, trials: outcomes.length },
    renewalsPerSecond: mean((outcome) => outcome.renewalsPerSecond),
    readsPerSecond: mean((outcome) => outcome.readsPerSecond),
    leases: null,
    watches: mean((outcome) => outcome.watches),
    callsPerSecond: hasAggregator ? mean((outcome) => outcome.callsPerSecond) : null,
    cpu: {
      etcd: mean(({ cpu }) => cpu.etcd),
      aggregator: hasAggregator ? mean(({ cpu }) => cpu.aggregator) : null,
      process: mean(({ cpu }) => cpu.process),
    },
    lost: sum((outcome) => outcome.lost),
    failoverMs: summarise(outcomes.flatMap(({ failoverMs }) => failoverMs)),
    lastFailoverMs: summarise(outcomes.map(({ failoverMs }) => Math.max(...failoverMs))),
    unresolved: 0,
    lostWhileQuiet: sum((outcome) => outcome.lostWhileQuiet),
    overlaps: sum((outcome) => outcome.overlaps),
    tokensThatDidNotGrow: sum((outcome) => outcome.tokensThatDidNotGrow),
  };
}
