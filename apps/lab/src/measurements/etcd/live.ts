/**
 * Measures elections on a real etcd, in processes and through a proxy. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/etcd/live.js cut-off|kill|resign|messages [trials]
 *
 * Prints JSON.
 */

import { randomUUID } from 'node:crypto';
import { type EtcdMessage, type EtcdSettings, etcd } from '@hustings/etcd';
import { etcdGateway } from '@hustings/etcd/gateway';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { type EtcdCluster, loopbackProxy, startEtcdCluster } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { type MeteredTransport, metered } from '@hustings/transport';
import { untilPart } from '../until-part.js';
import { etcd3Election, etcdctlElect, etcdctlLock, hustings, type Make } from './candidates.js';
import { messagesInSimulation } from './simulated-messages.js';

const patienceMs = 60_000;

function elector(
  id: string,
  hosts: string | readonly string[],
  settings: Partial<EtcdSettings>,
): { elector: RuntimeElector<{ type: 'proclaim'; value: string }>; meter: MeteredTransport<EtcdMessage> } {
  const meter = metered(etcdGateway({ id, hosts }));
  return {
    meter,
    elector: createElector({
      protocol: etcd(settings),
      transport: meter,
      peers: [],
      storage: memoryStorage(),
    }),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function summary(values: readonly number[]) {
  return {
    trials: values.length,
    minMs: round(Math.min(...values)),
    meanMs: round(values.reduce((sum, value) => sum + value, 0) / values.length),
    medianMs: round(median(values)),
    maxMs: round(Math.max(...values)),
  };
}

/** A few at a time: they share a small machine. */
async function inBatches<Result>(count: number, size: number, trial: (index: number) => Promise<Result>) {
  const results: Result[] = [];
  for (let done = 0; done < count; done += size) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, index) => trial(done + index));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

// ---- Cut off ------------------------------------------------------------------------------------------

/** How long before the next leader started the old one's signal had aborted. Negative would be an overlap. */
async function cutOff(cluster: EtcdCluster, ttlSeconds: number): Promise<number> {
  const settings = { name: randomUUID(), ttlSeconds };
  const [target = ''] = cluster.endpoints;
  const proxy = await loopbackProxy({ target });
  const old = elector('old', proxy.url, settings).elector;
  const successor = elector('successor', target, settings).elector;
  try {
    await Promise.all([old.start(), successor.start()]);
    const { signal } = await old.campaign();
    const campaign = successor.campaign().then(() => performance.now());
    await until('the successor waits', patienceMs, () => successor.belief().leaderId === 'old');
    // Somewhere between two renewals.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400 * ttlSeconds));
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
  const cluster = await startEtcdCluster();
  try {
    const results = [];
    for (const ttlSeconds of [2, 5]) {
      const leadsMs = await inBatches(trials, 5, () => cutOff(cluster, ttlSeconds));
      const overlaps = leadsMs.filter((ms) => ms <= 0).length;
      results.push({ ttlSeconds, overlaps, abortedBeforeSuccessorStarted: summary(leadsMs) });
    }
    return results;
  } finally {
    await cluster.stop();
  }
}

// ---- Kill and resign ----------------------------------------------------------------------------------

interface HandOver {
  /** From the signal to the line that says so, as seen from here. */
  readonly outsideMs: number;
  /** From the call of resign() to the Leadership, where the candidates say so. */
  readonly insideMs: number | null;
}

async function handOver(
  make: Make,
  cluster: EtcdCluster,
  ttlSeconds: number,
  end: 'kill' | 'resign',
  part: number,
): Promise<HandOver> {
  const election = randomUUID();
  const first = await make.start(cluster, election, ttlSeconds);
  await until('the first leads', patienceMs, () => first.leadsSinceMs !== null);
  const second = await make.start(cluster, election, ttlSeconds);
  try {
    // The second must have joined the queue; there is no telling from outside but by its key.
    await untilQueued(cluster, election, 2);
    // How much of its lease a leader leaves behind depends on when in its rhythm of renewals it dies, which is alike for
    // all makes. Twice the TTL holds a whole number of the others' renewals and three and a third of ours; the odd
    // third is the early part, when most of the lease is left.
    if (end === 'kill') await untilPart(part, 2000 * ttlSeconds, first.leadsSinceMs ?? 0);
    // Long enough for both to have renewed their leases, as any that has waited for a while has.
    else await new Promise((resolve) => setTimeout(resolve, 1000 * ttlSeconds));
    const endedMs = performance.now();
    first[end]();
    await until('the second leads', patienceMs, () => second.leadsSinceMs !== null);
    const outsideMs = (second.leadsSinceMs ?? Number.NaN) - endedMs;
    if (first.saidAtMs('leads') === null || end === 'kill') return { outsideMs, insideMs: null };
    await until('the first has said when', patienceMs, () => first.saidAtMs('resigns') !== null);
    return { outsideMs, insideMs: (second.saidAtMs('leads') ?? 0) - (first.saidAtMs('resigns') ?? 0) };
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
}

async function untilQueued(cluster: EtcdCluster, election: string, count: number): Promise<void> {
  const giveUpMs = performance.now() + patienceMs;
  for (let queued = 0; queued < count; ) {
    if (performance.now() > giveUpMs) throw new Error('The second candidate did not join the queue.');
    // Every make has a prefix of its own before the name, so all keys are read.
    const keys = await cluster.etcdctl('get', '--prefix', '--keys-only', '');
    queued = keys.split('\n').filter((key) => key.includes(election)).length;
  }
}

async function measureHandOvers(
  trials: number,
  end: 'kill' | 'resign',
  ttlSeconds: number,
  makes: readonly Make[],
) {
  const cluster = await startEtcdCluster();
  const times = new Map<string, HandOver[]>(makes.map(({ name }) => [name, []]));
  try {
    for (let trial = 0; trial < trials; trial += 1) {
      // By turns, so that whatever else the machine does falls on all alike. A kill takes seconds and hardly
      // any work, so those run side by side.
      const run = async (make: Make) => {
        times.get(make.name)?.push(await handOver(make, cluster, ttlSeconds, end, trial / trials));
      };
      if (end === 'kill') await Promise.all(makes.map(run));
      else for (const make of makes) await run(make);
    }
  } finally {
    await cluster.stop();
  }
  return [...times].map(([name, handOvers]) => {
    const inside = handOvers.flatMap(({ insideMs }) => insideMs ?? []);
    return {
      name,
      ttlSeconds,
      ...summary(handOvers.map(({ outsideMs }) => outsideMs)),
      ...(inside.length === 0 ? {} : { fromResignToLeadership: summary(inside) }),
    };
  });
}

async function measureKills(trials: number) {
  const makes = [hustings, etcdctlLock, etcd3Election];
  const results = [];
  for (const ttlSeconds of [2, 5])
    results.push(...(await measureHandOvers(trials, 'kill', ttlSeconds, makes)));
  return results;
}

// ---- Messages -----------------------------------------------------------------------------------------

const periodic = new Set(['keep-alive', 'kept-alive', 'audit', 'audited']);

/** Messages by type, and data frames on the wire, from the leader's death until all is quiet again. */
async function messages(cluster: EtcdCluster, candidates: number, settings: Partial<EtcdSettings>) {
  const election = { ...settings, name: randomUUID(), ttlSeconds: 2 };
  const [target = ''] = cluster.endpoints;
  const proxy = await loopbackProxy({ target });
  // The one that dies is not counted, as a dead process sends nothing: it goes past the proxy, and is cut off.
  const doomedProxy = await loopbackProxy({ target });
  const doomed = elector('doomed', doomedProxy.url, election).elector;
  const others = Array.from({ length: candidates - 1 }, (_, index) =>
    elector(`node-${index}`, proxy.url, election),
  );
  try {
    await doomed.start();
    await doomed.campaign();
    let leads = 0;
    for (const { elector: each } of others) {
      await each.start();
      each.campaign().then(
        () => {
          leads += 1;
        },
        () => {},
      );
    }
    await quiet(others.map(({ meter }) => meter));
    const before = snapshot(others, proxy);
    doomedProxy.cut();
    await until('another leads', patienceMs, () => leads > 0);
    await quiet(others.map(({ meter }) => meter));
    const after = snapshot(others, proxy);
    const byType = subtract(after.byType, before.byType);
    const total = Object.values(byType).reduce((sum, count) => sum + count, 0);
    return {
      byType,
      total,
      framesOnTheWire: after.frames - before.frames - (after.periodic - before.periodic),
    };
  } finally {
    doomedProxy.reset();
    await Promise.all([doomed, ...others.map(({ elector: each }) => each)].map((each) => each.stop()));
    await Promise.all([proxy.close(), doomedProxy.close()]);
  }
}

/** Until nothing but renewals and audits has been sent or received for a while, and each of those is answered. */
async function quiet(meters: readonly MeteredTransport<EtcdMessage>[]): Promise<void> {
  const count = () => meters.reduce((sum, meter) => sum + totals(meter).election, 0);
  for (let last = -1, present = count(); last !== present; present = count()) {
    last = present;
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  await until('all that was asked is answered', patienceMs, () => meters.every(isAnswered));
}

const answers = { 'keep-alive': 'kept-alive', audit: 'audited' };

function isAnswered(meter: MeteredTransport<EtcdMessage>): boolean {
  const { sent, received } = meter.counts();
  return Object.entries(answers).every(([asked, answer]) => sent.byType[asked] === received.byType[answer]);
}

function totals(meter: MeteredTransport<EtcdMessage>) {
  const { sent, received } = meter.counts();
  const byType: Record<string, number> = {};
  let election = 0;
  let periodicTotal = 0;
  for (const [type, count] of [...Object.entries(sent.byType), ...Object.entries(received.byType)]) {
    if (periodic.has(type)) periodicTotal += count;
    else {
      byType[type] = (byType[type] ?? 0) + count;
      election += count;
    }
  }
  return { byType, election, periodic: periodicTotal };
}

function snapshot(
  others: readonly { readonly meter: MeteredTransport<EtcdMessage> }[],
  proxy: { counts(): { toServer: { dataFrames: number }; toClient: { dataFrames: number } } },
) {
  const byType: Record<string, number> = {};
  let periodicTotal = 0;
  for (const { meter } of others) {
    const total = totals(meter);
    periodicTotal += total.periodic;
    for (const [type, count] of Object.entries(total.byType)) byType[type] = (byType[type] ?? 0) + count;
  }
  const { toServer, toClient } = proxy.counts();
  return { byType, periodic: periodicTotal, frames: toServer.dataFrames + toClient.dataFrames };
}

function subtract(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const entries = Object.entries(after).map(([type, count]) => [type, count - (before[type] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

async function measureMessages() {
  const cluster = await startEtcdCluster();
  const variants: Record<string, Partial<EtcdSettings>> = {
    queue: { succession: 'queue' },
    race: { succession: 'race' },
  };
  try {
    const results = [];
    for (const [variant, settings] of Object.entries(variants)) {
      for (const candidates of [5, 10, 20]) {
        const real = await messages(cluster, candidates, settings);
        const simulated = messagesInSimulation(candidates, settings);
        results.push({ variant, candidates, real, simulated });
      }
    }
    return results;
  } finally {
    await cluster.stop();
  }
}

const [what = '', trials = ''] = process.argv.slice(2);
const measurements: Record<string, () => Promise<unknown>> = {
  'cut-off': () => measureCutOff(Number(trials) || 15),
  kill: () => measureKills(Number(trials) || 15),
  resign: () => measureHandOvers(Number(trials) || 20, 'resign', 2, [hustings, etcdctlElect, etcd3Election]),
  messages: measureMessages,
};
const measure = measurements[what];
if (measure === undefined)
  throw new RangeError(`Say what to measure: ${Object.keys(measurements).join(', ')}.`);
process.stdout.write(`${JSON.stringify(await measure(), null, 2)}\n`);
