/**
 * Measures whether a command of `hustings run` is dead before the next node's begins, on a real etcd. Every other
 * command ignores SIGTERM. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/run/live.js cut-off|kill|pause|hand-over [trials]
 *
 * Prints JSON.
 */

import { startEtcdCluster } from '@hustings/servers';
import { type Fault, faults, runTrial, type TrialResult } from './trial.js';

const [, , name = '', trials = '15'] = process.argv;
const fault = faults.find((each) => each === name);

if (fault === undefined || !/^[1-9]\d*$/.test(trials)) {
  console.error(`Say what happens, one of ${faults.join(', ')}, and how often.`);
  process.exitCode = 2;
} else {
  console.log(JSON.stringify(summary(await measure(fault, Number(trials))), null, 2));
}

async function measure(fault: Fault, trials: number): Promise<TrialResult[]> {
  const etcd = await startEtcdCluster();
  const results: TrialResult[] = [];
  try {
    for (let trial = 0; trial < trials; trial += 1) {
      results.push(await runTrial(etcd, fault, trial % 2 === 0 ? 'polite' : 'stubborn'));
      console.error(
        `${trial + 1} of ${trials}: dead ${round(results.at(-1)!.deadBeforeNextMs)} ms before the next`,
      );
    }
  } finally {
    await etcd.stop();
  }
  return results;
}

function summary(results: readonly TrialResult[]) {
  const inTime = results.filter(({ deadBeforeNextMs, foundAlive }) => deadBeforeNextMs > 0 && !foundAlive);
  return {
    fault: results[0]?.fault,
    trials: results.length,
    deadBeforeNext: inTime.length,
    deadBeforeNextMs: spread(results.map(({ deadBeforeNextMs }) => deadBeforeNextMs)),
    failoverMs: spread(results.map(({ failoverMs }) => failoverMs)),
    askedToEnd: results.filter(({ wasAskedToEnd }) => wasAskedToEnd).length,
    tokensGrew: results.filter(({ tokenGrew }) => tokenGrew).length,
  };
}

function spread(values: readonly number[]) {
  const sorted = values.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return {
    minMs: round(sorted[0] ?? Number.NaN),
    medianMs: round(median),
    maxMs: round(sorted.at(-1) ?? Number.NaN),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
