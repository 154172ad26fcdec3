/**
 * Elections on a real kube-apiserver that candidates of ours and of client-go share. After `npm run test:kubernetes` has
 * built it, and `npm run build`:
 *
 *     node apps/lab/dist/measurements/stores/kubernetes.js [trials]
 *
 * Prints JSON. All trials of a row run at once: candidates of client-go wait for a minute.
 */

import { startKubernetes } from '@hustings/servers';
import { type ClockResult, type ClockVictim, clockVictims, runClocks } from './kubernetes-clocks.js';
import { type MixedFault, type MixedResult, mixedFaults, runMixed } from './kubernetes-mixed.js';

const count = <Result>(results: readonly Result[], is: (result: Result) => boolean): number =>
  results.filter(is).length;

const seconds = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b).map((value) => Math.round(value / 100) / 10);
  return { min: sorted[0], median: sorted[Math.floor(sorted.length / 2)], max: sorted.at(-1) };
};

function mixedOf(fault: MixedFault, results: readonly MixedResult[]) {
  return {
    fault,
    trials: results.length,
    clientGoFollowsUsAfterSeconds: seconds(results.map(({ theyFollowMs }) => theyFollowMs)),
    weFollowClientGoAfterSeconds: seconds(results.map(({ weFollowMs }) => weFollowMs)),
    trialsInWhichWeHeldOnTooLong: count(results, ({ heldOnMs }) => heldOnMs > 0),
    trialsInWhichWeTookOverTooEarly: count(results, ({ earlyMs }) => earlyMs > 0),
    trialsInWhichTokensGrew: count(results, ({ tokensGrow }) => tokensGrow),
  };
}

function clocksOf(victim: ClockVictim, results: readonly ClockResult[]) {
  return {
    victim,
    trials: results.length,
    jumps: ['an hour forward', 'an hour back'],
    deposed: count(results, ({ deposed }) => deposed),
    elected: count(results, ({ elected }) => elected),
  };
}

const trials = Number(process.argv[2]) || 10;
const kubernetes = await startKubernetes();
try {
  const mixed = [];
  for (const fault of mixedFaults) {
    const runs = Array.from({ length: trials }, () => runMixed(kubernetes, fault));
    mixed.push(mixedOf(fault, await Promise.all(runs)));
  }
  const clocks = [];
  for (const victim of clockVictims) {
    clocks.push(clocksOf(victim, await runClocks(kubernetes, victim, trials)));
  }
  process.stdout.write(`${JSON.stringify({ mixed, clocks }, null, 2)}\n`);
} finally {
  await kubernetes.stop();
}
