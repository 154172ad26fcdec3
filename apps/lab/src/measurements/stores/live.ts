/**
 * Measures elections on real servers, in processes and through proxies. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/stores/live.js safety|kill|resign|promotion [trials] [make …]
 *
 * Prints JSON. `kill` and `resign` know more makes than those on PostgreSQL and Redis, for those who name them, or `all`.
 */

import { randomUUID } from 'node:crypto';
import { untilPart } from '../until-part.js';
import { Candidate, type Contender, nowMs } from './candidates.js';
import { Program } from './program.js';
import { runPromotion } from './promotion.js';
import { type Servers, startServers } from './servers.js';
import { isProgram, type MakeName, type ProgramName, programs, stores } from './settings.js';
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

type Make = MakeName | ProgramName;

/** A first that could not keep its lease until its end says nothing: the machine has too much to do. Then once more. */
async function handOver(servers: Servers, make: Make, end: 'kill' | 'resign', part: number): Promise<number> {
  for (;;) {
    const tookMs = await tryHandOver(servers, make, end, part);
    if (tookMs !== null) return tookMs;
  }
}

async function tryHandOver(
  servers: Servers,
  make: Make,
  end: 'kill' | 'resign',
  part: number,
): Promise<number | null> {
  const election = `hand-over-${randomUUID()}`;
  const first = await start(servers, make, election, 'first');
  await first.until('leads');
  const sinceMs = performance.now();
  const second = await start(servers, make, election, 'second');
  try {
    await second.until('waits');
    // When in its rhythm of renewals a leader dies is alike for all makes, and spread over all of it.
    await untilPart(part, 2 * ttlMs, sinceMs);
    const endedMs = nowMs();
    first.signal(end === 'kill' ? 'SIGKILL' : isProgram(make) ? 'SIGTERM' : 'SIGINT');
    const leadsMs = await second.until('leads', 3 * 60_000);
    if (!(first instanceof Candidate)) return leadsMs - endedMs;
    if ((first.saidAtMs('lost') ?? endedMs) < endedMs || leadsMs < endedMs) return null;
    return leadsMs - (end === 'kill' ? endedMs : await first.until('resigned'));
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
}

async function start(servers: Servers, make: Make, election: string, id: string): Promise<Contender> {
  if (isProgram(make)) return new Program(make, await servers.startProgram(make, election, id));
  return Candidate.start({ make, id, election, ttlMs, store: servers.storeOf(make), resource: null });
}

/** By turns, so that whatever else the machine does falls on all alike. */
async function measureHandOvers(
  servers: Servers,
  makes: readonly Make[],
  trials: number,
  end: 'kill' | 'resign',
) {
  const times = new Map<Make, number[]>(makes.map((make) => [make, []]));
  for (let trial = 0; trial < trials; trial += 1) {
    for (const [make, each] of times) {
      if (!isPatient(make)) each.push(await handOver(servers, make, end, trial / trials));
    }
  }
  for (const make of makes.filter(isPatient)) {
    const parts = Array.from({ length: trials }, (_, trial) => trial / trials);
    times.set(make, await Promise.all(parts.map((part) => handOver(servers, make, end, part))));
  }
  return [...times].map(([make, each]) => ({ make, ttlMs: ttlOf(make), ...summary(each) }));
}

const ttlOf = (make: Make): number | null => (isProgram(make) ? programs[make].ttlMs : ttlMs);

/** All trials of one at once: a second more or less does not show in its times, and it takes up to a minute. */
const isPatient = (make: Make): boolean => isProgram(make) && programs[make].ttlMs !== null;

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

async function withServers<Result>(
  makes: readonly Make[],
  measure: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const servers = await startServers(makes);
  try {
    return await measure(servers);
  } finally {
    await servers.stop();
  }
}

const [what = '', given = '', ...named] = process.argv.slice(2);
const trials = Number(given) || 15;
const stranger = named.find((make) => !(make in stores) && make !== 'all');
if (stranger !== undefined) {
  throw new RangeError(`There is no make '${stranger}'; choose from all, ${Object.keys(stores).join(', ')}.`);
}
const every = named.includes('all') ? Object.keys(stores) : named;
const makes = every.length > 0 ? (every as Make[]) : [...ours, ...peers];
const handOvers = (end: 'kill' | 'resign') =>
  withServers(makes, (servers) => measureHandOvers(servers, makes, trials, end));
const measurements: Record<string, () => Promise<unknown>> = {
  safety: () => withServers(ours, (servers) => measureSafety(servers, trials)),
  kill: () => handOvers('kill'),
  resign: () => handOvers('resign'),
  promotion: () => measurePromotion(trials),
};
const measure = measurements[what];
if (measure === undefined)
  throw new RangeError(`Say what to measure: ${Object.keys(measurements).join(', ')}.`);
process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
