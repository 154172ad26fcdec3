/**
 * Measures elections on a real PostgreSQL and on real Redis, in processes and through proxies. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/stores/live.js safety|kill|resign|promotion [trials]
 *
 * Prints JSON.
 */

import { randomUUID } from 'node:crypto';
import { untilPart } from '../until-part.js';
import { Candidate, nowMs } from './candidates.js';
import { runPromotion } from './promotion.js';
import { type Servers, startServers } from './servers.js';
import type { MakeName } from './settings.js';
import { type Fault, faults, runTrial, type TrialResult } from './trial.js';

const ours: readonly MakeName[] = ['hustings row', 'hustings session', 'hustings redis', 'hustings redlock'];
const peers: readonly MakeName[] = ['pg_advisory_lock', 'SET NX PX loop', 'redlock package'];
const ttlMs = 1000;

const round = (value: number): number => Math.round(value * 10) / 10;

function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    trials: sorted.length,
    minMs: round(sorted[0] ?? Number.NaN),
    medianMs: round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN),
    maxMs: round(sorted.at(-1) ?? Number.NaN),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

// ---- Safety --------------------------------------------------------------------------------------------

function safetyOf(make: MakeName, fault: Fault, results: readonly TrialResult[]) {
  return {
    make,
    fault,
    ttlMs,
    failover: summary(results.map(({ failoverMs }) => failoverMs)),
    trialsWithTwoLeaders: results.filter(({ overlapMs }) => overlapMs > 0).length,
    trialsInWhichTokensGrew: results.filter(({ tokensGrow }) => tokensGrow).length,
    trialsWithStaleWrites: results.filter(({ staleUnfenced }) => staleUnfenced > 0).length,
    staleWritesTakenUnfenced: sum(results.map(({ staleUnfenced }) => staleUnfenced)),
    staleWritesTakenFenced: sum(results.map(({ staleFenced }) => staleFenced)),
  };
}

async function measureSafety(servers: Servers, trials: number) {
  const results = [];
  for (const make of ours) {
    for (const fault of faults) {
      const outcomes: TrialResult[] = [];
      while (outcomes.length < trials) outcomes.push(await runTrial(servers, make, fault, ttlMs));
      results.push(safetyOf(make, fault, outcomes));
    }
  }
  return results;
}

// ---- Hand-overs ----------------------------------------------------------------------------------------

async function handOver(
  servers: Servers,
  make: MakeName,
  end: 'kill' | 'resign',
  part: number,
): Promise<number> {
  const common = { make, election: randomUUID(), ttlMs, store: servers.storeOf(make), resource: null };
  const first = await Candidate.start({ ...common, id: 'first' });
  await first.until('leads');
  const sinceMs = performance.now();
  const second = await Candidate.start({ ...common, id: 'second' });
  try {
    await second.until('waits');
    // When in its rhythm of renewals a leader dies is alike for all makes, and spread over all of it.
    await untilPart(part, 2 * ttlMs, sinceMs);
    const endedMs = nowMs();
    first.signal(end === 'kill' ? 'SIGKILL' : 'SIGINT');
    const leadsMs = await second.until('leads');
    return leadsMs - (end === 'kill' ? endedMs : await first.until('resigned'));
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
}

/** By turns, so that whatever else the machine does falls on all alike. */
async function measureHandOvers(servers: Servers, trials: number, end: 'kill' | 'resign') {
  const times = new Map<MakeName, number[]>([...ours, ...peers].map((make) => [make, []]));
  for (let trial = 0; trial < trials; trial += 1) {
    for (const [make, each] of times) each.push(await handOver(servers, make, end, trial / trials));
  }
  return [...times].map(([make, each]) => ({ make, ttlMs, ...summary(each) }));
}

// ---- A replica that is promoted ------------------------------------------------------------------------

async function measurePromotion(trials: number) {
  const results = [];
  while (results.length < trials) results.push(await runPromotion(5000));
  return {
    trials,
    trialsWithTwoLeaders: results.filter(({ overlapMs }) => overlapMs > 0).length,
    overlap: summary(results.map(({ overlapMs }) => overlapMs)),
    trialsInWhichTokensGrew: results.filter(({ tokensGrow }) => tokensGrow).length,
    staleWritesTakenUnfenced: sum(results.map(({ staleUnfenced }) => staleUnfenced)),
    staleWritesTakenFenced: sum(results.map(({ staleFenced }) => staleFenced)),
  };
}

// --------------------------------------------------------------------------------------------------------

async function withServers<Result>(measure: (servers: Servers) => Promise<Result>): Promise<Result> {
  const servers = await startServers();
  try {
    return await measure(servers);
  } finally {
    await servers.stop();
  }
}

const [what = '', given = ''] = process.argv.slice(2);
const trials = Number(given) || 15;
const measurements: Record<string, () => Promise<unknown>> = {
  safety: () => withServers((servers) => measureSafety(servers, trials)),
  kill: () => withServers((servers) => measureHandOvers(servers, trials, 'kill')),
  resign: () => withServers((servers) => measureHandOvers(servers, trials, 'resign')),
  promotion: () => measurePromotion(trials),
};
const measure = measurements[what];
if (measure === undefined)
  throw new RangeError(`Say what to measure: ${Object.keys(measurements).join(', ')}.`);
process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
