/**
 * Runs many random seeds: `node packages/zookeeper/bench/dist/seeds.js [seeds] [first]`, after
 * `npx tsc -b packages/zookeeper/bench`. Prints JSON; ends with an error if a promise was broken.
 */

import { runSeed } from './safety.js';

const [count = 20_000, first = 0] = process.argv.slice(2).map(Number);
const startedMs = performance.now();
const failures: string[] = [];
let steps = 0;
for (let seed = first; seed < first + count; seed += 1) {
  const result = runSeed(seed);
  steps += result.steps;
  if (result.violation !== null) failures.push(`seed ${seed}: ${result.violation}`);
}
const seconds = Math.round((performance.now() - startedMs) / 1000);
process.stdout.write(`${JSON.stringify({ seeds: count, first, steps, seconds, failures }, null, 2)}\n`);
if (failures.length > 0) process.exitCode = 1;
