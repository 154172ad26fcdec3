/**
 * Runs many random seeds: `node packages/etcd/bench/dist/seeds.js [seeds] [first]`, after
 * `npx tsc -b packages/etcd/bench`. Prints one line of JSON; ends with an error if a promise was broken.
 */

import { runSeed, type SafetyResult } from './safety.js';

const [count = 20_000, first = 0] = process.argv.slice(2).map(Number);

function runAll(clocks: 'within the bound' | 'beyond it') {
  const startedMs = performance.now();
  const total = {
    seeds: 0,
    steps: 0,
    leaders: 0,
    runsWithOverlap: 0,
    staleWrites: 0,
    staleWritesAccepted: 0,
  };
  const failures: string[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const result = runSeed(seed, { clocks });
    total.seeds += 1;
    total.steps += result.steps;
    total.leaders += result.leaders;
    total.runsWithOverlap += result.overlaps.length > 0 ? 1 : 0;
    total.staleWrites += result.staleWrites;
    total.staleWritesAccepted += result.staleWritesAccepted;
    const failure = failureOf(result, clocks);
    if (failure !== null) failures.push(`seed ${seed}: ${failure}`);
  }
  return { clocks, ...total, seconds: Math.round((performance.now() - startedMs) / 1000), failures };
}

function failureOf(result: SafetyResult, clocks: 'within the bound' | 'beyond it'): string | null {
  if (result.violation !== null) return result.violation;
  if (result.staleWritesAccepted > 0) return 'the fenced store took a stale write';
  return clocks === 'within the bound' ? (result.overlaps[0] ?? null) : null;
}

const results = [runAll('within the bound'), runAll('beyond it')];
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
if (results.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
