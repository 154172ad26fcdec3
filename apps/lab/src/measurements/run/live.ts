/**
 * Measures whether a command of `hustings run` is dead before the next node's begins, on a real etcd. Every other
 * command ignores SIGTERM. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/run/live.js cut-off|kill|pause|hand-over [trials]
 *
 * Prints JSON.
 */

import { startEtcdCluster } from '@hustings/servers';
import { spread } from './spread.js';
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
        `${trial + 1} of ${trials}: dead ${Math.round(results.at(-1)!.deadBeforeNextMs)} ms before the next`,
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
