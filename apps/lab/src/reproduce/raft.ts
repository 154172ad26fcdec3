import type { NodeId } from '@hustings/elector';
import { type RaftSettings, raft } from '@hustings/raft';
import { type NetworkModel, Simulation } from '@hustings/simulator';
import type { Cell, Table } from './table.js';

/** As the thesis simulates it: no pre-vote, and nothing but the election timeout ends a term. */
const plain: Partial<RaftSettings> = { preVote: false, checkQuorum: false };

/** How far a correct figure may stray: once in 15,000 samples; with a fixed seed, never or always. */
const standardErrors = 4;

const wanElections = 10_000;

export const raftWanElections: Table = {
  name: 'raft-wan-elections',
  describes:
    'thesis, AvailSim: 5 servers, latency 30–40 ms, election timeout 300–600 ms, fresh timers: ms until a leader has a majority of votes. Both figures come from 10,000 elections, so the tolerance is 4 standard errors of their difference.',
  measure: () => [
    ...measureWan(0, { mean: 429.9, p50: 409.5, p90: 489, p99: 834 }),
    ...measureWan(1, { mean: 468.5, p50: 423.3, p90: 563, p99: 1007 }),
    // The mean is published as about 620 to 650.
    ...measureWan(2, { mean: 635, p50: 468.7, p90: 1074, p99: 1933 }, 15),
  ],
};

interface Published {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

function measureWan(failed: number, published: Published, vaguenessMs = 0): Cell[] {
  const elections = Array.from({ length: wanElections }, (_, seed) =>
    elect({
      seed,
      size: 5,
      alive: 5 - failed,
      settings: { electionTimeoutMs: [300, 600], heartbeatMs: 75 },
      network: { latencyMs: [30, 40], reorders: true },
    }),
  );
  const times = elections.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const average = mean(times);
  const spreadMs = Math.sqrt(mean(times.map((time) => (time - average) ** 2)) / times.length);
  const cell = (name: string, value: number, ours: number, errorMs: number, extraMs = 0): Cell => ({
    cell: `${failed} failed: ${name}`,
    published: value,
    ours,
    tolerance: standardErrors * Math.SQRT2 * errorMs + extraMs,
  });
  const quantile = (name: 'p50' | 'p90' | 'p99', share: number): Cell =>
    cell(name, published[name], at(times, share), errorOfQuantile(times, share), roundingOf(published[name]));
  return [
    cell('mean', published.mean, average, spreadMs, vaguenessMs + roundingOf(published.mean)),
    quantile('p50', 0.5),
    quantile('p90', 0.9),
    quantile('p99', 0.99),
  ];
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

interface ElectionSetup {
  readonly seed: number;
  readonly size: number;
  readonly alive: number;
  readonly settings: Partial<RaftSettings>;
  readonly network: Partial<NetworkModel>;
}

/** From a cluster whose timers are all fresh to the moment at which somebody has a majority. */
function elect({ seed, size, alive, settings, network }: ElectionSetup): { atMs: number; term: number } {
  const nodes: NodeId[] = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  const simulation = new Simulation({
    protocol: raft({ ...plain, ...settings }),
    nodes,
    seed,
    network: { ...network, closesLinksOnCrash: false },
  });
  for (const node of nodes.slice(alive)) simulation.inject({ type: 'crash', node });
  const elected = () => simulation.nodes.find(({ state }) => state.role === 'leader');
  simulation.runUntilTrue(() => elected() !== undefined, Number.POSITIVE_INFINITY);
  return { atMs: simulation.nowMs, term: elected()!.state.currentTerm };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;

/** √(p(1−p)/n) in ranks, read off the sample as a time. */
function errorOfQuantile(sorted: readonly number[], share: number): number {
  const ranks = Math.sqrt(share * (1 - share) * sorted.length) / sorted.length;
  return (at(sorted, share + ranks) - at(sorted, share - ranks)) / 2;
}

/** What the printed figure leaves open: half of its last digit. */
const roundingOf = (printed: number): number => (Number.isInteger(printed) ? 0.5 : 0.05);
