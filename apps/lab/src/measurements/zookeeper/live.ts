/**
 * Measures elections on a real ensemble, in processes and through a proxy. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/zookeeper/live.js cut-off|kill|resign|notifications|exodus [trials]
 *
 * Prints JSON, and on standard error how far it is. Fifteen hand-overs of each make take a minute or
 * two: each starts two processes, and waits until they stand.
 */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import {
  type Command,
  compileCuratorCandidate,
  loopbackProxy,
  startZooKeeperEnsemble,
  supervise,
  type ZooKeeperEnsemble,
} from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { zookeeper } from '@hustings/zookeeper';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';
import { untilPart } from '../until-part.js';
import { realExodus, realFailover, simulatedExodus, simulatedFailover } from './elections.js';

const patienceMs = 60_000;
const pauseMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const round = (value: number): number => Math.round(value * 10) / 10;

function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    trials: values.length,
    minMs: round(sorted[0] ?? Number.NaN),
    medianMs: round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN),
    maxMs: round(sorted.at(-1) ?? Number.NaN),
  };
}

/** A few at a time: they share a small machine. */
async function inBatches<Result>(count: number, size: number, trial: (index: number) => Promise<Result>) {
  const results: Result[] = [];
  while (results.length < count) {
    const begun = results.length;
    const batch = Array.from({ length: Math.min(size, count - begun) }, (_, index) => trial(begun + index));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

// ---- Cut off ------------------------------------------------------------------------------------------

function elector(id: string, hosts: string, path: string, sessionTimeoutMs: number): RuntimeElector {
  const protocol = zookeeper({ path, sessionTimeoutMs });
  return createElector({
    protocol,
    transport: zookeeperGateway({ id, hosts }),
    peers: [],
    storage: memoryStorage(),
  });
}

/** How long before the next leader started the old one's signal had aborted. Negative would be an overlap. */
async function cutOff(ensemble: ZooKeeperEnsemble, sessionTimeoutMs: number): Promise<number> {
  const path = `/cut-off/${randomUUID()}`;
  const proxy = await loopbackProxy({ target: `tcp://${ensemble.addresses[0]}` });
  const old = elector('old', `127.0.0.1:${proxy.port}`, path, sessionTimeoutMs);
  const successor = elector('successor', ensemble.hosts, path, sessionTimeoutMs);
  try {
    await Promise.all([old.start(), successor.start()]);
    const { signal } = await old.campaign();
    const campaign = successor.campaign().then(() => performance.now());
    await until('the successor waits', patienceMs, () => successor.belief().leaderId === 'old');
    // Somewhere between two pings.
    await pauseMs(Math.random() * 0.6 * sessionTimeoutMs);
    const aborted = new Promise<number>((resolve) => {
      signal.addEventListener('abort', () => resolve(performance.now()));
    });
    proxy.cut();
    return (await campaign) - (await aborted);
  } finally {
    proxy.reset();
    await Promise.all([old.stop(), successor.stop(), proxy.close()]);
  }
}

async function measureCutOff(trials: number) {
  const results = [];
  for (const members of [1, 3]) {
    // With ticks of 500 ms a session of 6 s is within 20 of them.
    const ensemble = await startZooKeeperEnsemble({ members, tickMs: 500 });
    try {
      for (const sessionTimeoutMs of [2000, 6000]) {
        const leadsMs = await inBatches(trials, 5, () => cutOff(ensemble, sessionTimeoutMs));
        const overlaps = leadsMs.filter((ms) => ms <= 0).length;
        results.push({
          members,
          sessionTimeoutMs,
          overlaps,
          abortedBeforeSuccessorStarted: summary(leadsMs),
        });
      }
    } finally {
      await ensemble.stop();
    }
  }
  return results;
}

// ---- Kill and resign ----------------------------------------------------------------------------------

const script = fileURLToPath(new URL('./hustings-candidate.js', import.meta.url));

/**
 * Both print `leads` when they do, and resign on SIGUSR2. Parameters: id, path, session timeout, hosts, and how often
 * to write, which ours does not.
 */
const makesIn = async (directory: string): Promise<ReadonlyMap<string, Command>> =>
  new Map([
    ['hustings', { command: process.execPath, parameters: [script] }],
    ['curator LeaderLatch', await compileCuratorCandidate(directory)],
  ]);

async function handOver(
  ensemble: ZooKeeperEnsemble,
  { command, parameters }: Command,
  sessionTimeoutMs: number,
  end: 'SIGKILL' | 'SIGUSR2',
  part: number,
): Promise<number> {
  const path = `/hand-over/${randomUUID()}`;
  const since = new Map<string, number>();
  const stand = (id: string) =>
    supervise(command, [...parameters, id, path, `${sessionTimeoutMs}`, ensemble.hosts, '1000'], {
      onLine(line) {
        if (/^leads\b/.test(line) && !since.has(id)) since.set(id, performance.now());
      },
    });
  const first = await stand('first');
  await until('the first leads', patienceMs, () => since.has('first'));
  const second = await stand('second');
  try {
    await untilQueued(ensemble, path, 2);
    // How much of its session a leader leaves behind depends on when in its rhythm of pings it dies, which is alike for
    // both makes. Three sessions are nine of Curator's pings and eight and a third of ours; thirty trials fall on
    // every part of both.
    await untilPart(part, 3 * sessionTimeoutMs, since.get('first') ?? 0);
    const endedMs = performance.now();
    first.signal(end);
    await until('the second leads', patienceMs, () => since.has('second'));
    return (since.get('second') ?? Number.NaN) - endedMs;
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
}

/** Waits until there are so many ephemeral znodes below a path. */
async function untilQueued(ensemble: ZooKeeperEnsemble, path: string, length: number): Promise<void> {
  const giveUpMs = performance.now() + patienceMs;
  for (;;) {
    const queued = (await ensemble.ask(0, 'dump')).split(`${path}/`).length - 1;
    if (queued >= length) return;
    if (performance.now() > giveUpMs) throw new Error(`Only ${queued} of ${length} candidates came.`);
    await pauseMs(20);
  }
}

async function measureHandOvers(trials: number, end: 'SIGKILL' | 'SIGUSR2') {
  const ensemble = await startZooKeeperEnsemble();
  const sessionTimeoutMs = 2000;
  const directory = await mkdtemp(join(tmpdir(), 'hustings-curator-'));
  const times = new Map<string, number[]>();
  try {
    const makes = await makesIn(directory);
    for (const name of makes.keys()) times.set(name, []);
    const run = async (trial: number, name: string, make: Command): Promise<void> => {
      const ms = await handOver(ensemble, make, sessionTimeoutMs, end, (trial + 0.5) / trials);
      times.get(name)?.push(ms);
      process.stderr.write(`${trial + 1} of ${trials}: ${name} ${round(ms)} ms\n`);
    };
    // By turns, so that whatever else the machine does falls on both alike. A kill takes seconds and hardly any
    // work, so those run side by side, two of each make.
    const turns = [...makes];
    await inBatches(trials * turns.length, end === 'SIGKILL' ? 2 * turns.length : 1, (index) =>
      run(Math.floor(index / turns.length), ...turns[index % turns.length]!),
    );
  } finally {
    await ensemble.stop();
    await rm(directory, { recursive: true, force: true });
  }
  return [...times].map(([name, values]) => ({ name, sessionTimeoutMs, tickMs: 200, ...summary(values) }));
}

// ---- Notifications and exodus -------------------------------------------------------------------------

async function measureNotifications() {
  const ensemble = await startZooKeeperEnsemble({ members: 3 });
  try {
    const results = [];
    for (const succession of ['queue', 'herd'] as const) {
      for (const candidates of [5, 10, 20, 50]) {
        const real = await realFailover(ensemble.hosts, candidates, { succession });
        const simulated = simulatedFailover(candidates, { succession });
        results.push({ succession, candidates, real, simulated });
      }
    }
    return results;
  } finally {
    await ensemble.stop();
  }
}

async function measureExodus(trials: number) {
  const ensemble = await startZooKeeperEnsemble({ members: 3 });
  try {
    const overlaps: string[] = [];
    for (let seed = 1; seed <= trials; seed += 1) {
      overlaps.push(...(await realExodus(ensemble.hosts, 100, seed)));
    }
    const seeds = Array.from({ length: 20 * trials }, (_, seed) => seed);
    const violations = seeds.flatMap((seed) => simulatedExodus(100, seed) ?? []);
    return {
      candidates: 100,
      real: { trials, overlaps },
      simulated: { trials: seeds.length, violations },
    };
  } finally {
    await ensemble.stop();
  }
}

const [what = '', trials = ''] = process.argv.slice(2);
const measurements: Record<string, () => Promise<unknown>> = {
  'cut-off': () => measureCutOff(Number(trials) || 15),
  kill: () => measureHandOvers(Number(trials) || 15, 'SIGKILL'),
  resign: () => measureHandOvers(Number(trials) || 15, 'SIGUSR2'),
  notifications: measureNotifications,
  exodus: () => measureExodus(Number(trials) || 3),
};
const measure = measurements[what];
if (measure === undefined)
  throw new RangeError(`Say what to measure: ${Object.keys(measurements).join(', ')}.`);
process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
