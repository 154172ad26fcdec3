import { elect, electForGood, prepare } from './raft-election.js';
import { cellsOf, type Published, standardErrors } from './statistics.js';
import type { Cell, Table } from './table.js';

const wanElections = 10_000;
const wan = {
  size: 5,
  settings: { electionTimeoutMs: [300, 600], heartbeatMs: 75 },
  network: { latencyMs: [30, 40], reorders: true },
} as const;
const wanSetup = 'thesis, AvailSim: 5 servers, latency 30–40 ms, election timeout 300–600 ms, fresh timers';
const bothSamples =
  'Both figures come from 10,000 elections, so the tolerance is 4 standard errors of their difference.';

export const raftWanElections: Table = {
  name: 'raft-wan-elections',
  describes: `${wanSetup}: ms until a leader has a majority of votes. ${bothSamples}`,
  measure: () => [
    ...measureWan(0, { mean: 429.9, p50: 409.5, p90: 489, p99: 834 }),
    ...measureWan(1, { mean: 468.5, p50: 423.3, p90: 563, p99: 1007 }),
    // The mean is published as about 620 to 650.
    ...measureWan(2, { mean: 635, p50: 468.7, p90: 1074, p99: 1933 }, (value) => (value === 635 ? 15 : 0)),
  ],
};

const seeds = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed);

function measureWan(failed: number, published: Published, vaguenessOf?: (value: number) => number): Cell[] {
  const times = seeds(wanElections).map((seed) => elect({ ...wan, seed, alive: 5 - failed }).atMs);
  return cellsOf(`${failed} failed`, times, published, vaguenessOf && { vaguenessOf });
}

export const raftWanDifferentLogs: Table = {
  name: 'raft-wan-different-logs',
  describes: `${wanSetup}, and no two logs alike: ms until the leader that stays has a majority of votes. ${bothSamples}`,
  measure: () => [
    ...measureDifferentLogs(0, { mean: 492.6, p90: 614, p99: 943 }),
    ...measureDifferentLogs(1, { mean: 550.5, p90: 782, p99: 1315 }),
    ...measureDifferentLogs(2, { mean: 714.7, p90: 1149, p99: 2017 }),
  ],
};

function measureDifferentLogs(failed: number, published: Published): Cell[] {
  const times = seeds(wanElections).map(
    (seed) => electForGood(prepare({ ...wan, seed, alive: 5 - failed, differentLogs: true })).electedMs,
  );
  return cellsOf(`${failed} failed`, times, published);
}

const splitElections = 10_000;
/** Far above any latency of the table, so that whoever has voted does not grow impatient before it hears of the leader. */
const leastTimeoutMs = 1000;
const widthMs = 100;

export const raftSplitVotes: Table = {
  name: 'raft-split-votes',
  describes:
    'thesis, closed form: % of elections whose first vote splits, n servers of which s are alive, l = latency ÷ width of the timeouts. Ours are shares of 10,000 simulated elections, so the tolerance is 4 standard errors.',
  measure: () =>
    [
      [3, 2],
      [5, 5],
      [5, 4],
      [5, 3],
      [9, 6],
    ].flatMap(([size, alive]) => [0.01, 0.1, 0.2].map((latency) => measureSplit(size!, alive!, latency))),
};

function measureSplit(size: number, alive: number, latency: number): Cell {
  const share = splitProbability(size, alive, latency);
  const oneWayMs = latency * widthMs;
  let splits = 0;
  for (let seed = 0; seed < splitElections; seed += 1) {
    const { term } = elect({
      seed,
      size,
      alive,
      settings: { electionTimeoutMs: [leastTimeoutMs, leastTimeoutMs + widthMs], heartbeatMs: 100 },
      network: { latencyMs: [oneWayMs, oneWayMs] },
    });
    if (term > 1) splits += 1;
  }
  return {
    cell: `n=${size} s=${alive} l=${latency}`,
    published: 100 * share,
    ours: (100 * splits) / splitElections,
    tolerance: 100 * standardErrors * Math.sqrt((share * (1 - share)) / splitElections),
  };
}

/** Exported for a test that holds it against the printed table. */
export function splitProbability(size: number, alive: number, latency: number): number {
  const least = alive - Math.floor(size / 2);
  let probability = 0;
  for (let late = least; late <= alive; late += 1) {
    probability += choose(alive, late) * latency ** late * (1 - latency) ** (alive - late);
  }
  return probability;
}

function choose(from: number, count: number): number {
  let ways = 1;
  for (let index = 1; index <= count; index += 1) ways = (ways * (from - count + index)) / index;
  return ways;
}
