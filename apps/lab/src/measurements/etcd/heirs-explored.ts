/**
 * Follows every order of events between a leader and those behind it, within several bounds. After `npm run build`:
 *
 *     node --max-old-space-size=12000 apps/lab/dist/measurements/etcd/heirs-explored.js
 *
 * Prints JSON.
 */

import { exploreHeirs, type HeirsExploration } from '../../explore/heirs.js';

const rounds: readonly HeirsExploration[] = [
  { nodes: 2, maxTicks: 5, maxLate: 2, maxLosses: 1 },
  { nodes: 2, maxTicks: 4, maxLate: 1, maxLosses: 0, maxDuplicates: 1, reorders: true },
  { nodes: 2, maxTicks: 4, maxLate: 1, maxLosses: 0, maxCrashes: 1 },
  { nodes: 2, maxTicks: 7, maxLate: 1, maxLosses: 0 },
  { nodes: 3, maxTicks: 4, maxLate: 0, maxLosses: 1, maxInFlightPerLink: 1 },
  { nodes: 3, maxTicks: 4, maxLate: 1, maxLosses: 0 },
  { nodes: 3, maxTicks: 5, maxLate: 1, maxLosses: 1, maxCrashes: 1 },
];

const results = rounds.map((round) => {
  const startedAtMs = performance.now();
  const exploration = exploreHeirs({ maxStates: 12_000_000, ...round });
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  process.stderr.write(
    `${JSON.stringify(round)}: ${exploration.states} states, ${exploration.endedBy}, ${seconds} s\n`,
  );
  return { ...round, ...exploration, seconds };
});

process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
