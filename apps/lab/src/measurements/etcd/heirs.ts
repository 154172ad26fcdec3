/**
 * How soon an heir leads on a real etcd: three candidates in processes of their own, with proxies on every link. The
 * leader is stopped (SIGSTOP), or cut off from etcd and its peers, or from its peers alone. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/etcd/heirs.js silence [trials]
 *     node apps/lab/dist/measurements/etcd/heirs.js calm [minutes] [hogs]
 *
 * The second does nothing to them, beside processes that compute without end: how often does a healthy leader lose its
 * office? Both print JSON.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { availableParallelism, loadavg } from 'node:os';
import {
  type LoopbackProxy,
  loopbackProxy,
  monotonicMs,
  Processes,
  type StartedProcess,
  startEtcdCluster,
} from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import type { CandidateSettings, FromCandidate } from './heirs-process.js';

const [what = '', first = '', second = ''] = process.argv.slice(2);
const trials = Number(first) || 25;
const ids = ['node-1', 'node-2', 'node-3'];
const patienceMs = 60_000;

interface Term {
  readonly id: string;
  readonly token: bigint;
  readonly atMs: number;
  hasHeir: boolean;
  /** When it was last able to act; null while it may be. */
  validUntilMs: number | null;
}

interface Fault {
  readonly name: string;
  begin(arena: Arena, leader: string): void;
  heal(arena: Arena, leader: string): void;
}

const faults: readonly Fault[] = [
  {
    name: 'SIGSTOP',
    begin: ({ processes }, leader) => processes.get(leader)!.signal('SIGSTOP'),
    heal: ({ processes }, leader) => processes.get(leader)!.signal('SIGCONT'),
  },
  {
    name: 'cut off from etcd and peers',
    begin: (arena, leader) => arena.cutOff(leader),
    heal: (arena, leader) => arena.rejoin(leader),
  },
];

/** Three candidates, and every way between them. */
class Arena {
  readonly processes = new Map<string, StartedProcess<CandidateSettings>>();
  readonly toEtcd = new Map<string, LoopbackProxy>();
  readonly #links: { readonly ends: readonly [string, string]; readonly proxy: LoopbackProxy }[] = [];
  readonly terms: Term[] = [];

  /** `proxied` off, they reach each other and etcd as they would without this process. */
  static async open(all: Processes, etcd: string, heirWaitMs: number, proxied = true): Promise<Arena> {
    const arena = new Arena();
    const election = randomUUID();
    const ports = new Map(await Promise.all(ids.map(async (id) => [id, await freePort()] as const)));
    for (const id of ids) {
      const proxy = await loopbackProxy({ target: etcd });
      arena.toEtcd.set(id, proxy);
      const peers: Record<string, string> = {};
      for (const other of ids.filter((each) => each !== id)) {
        const port = ports.get(other)!;
        peers[other] = `ws://127.0.0.1:${proxied ? await arena.#link(id, other, port) : port}`;
      }
      const settings: CandidateSettings = {
        ...{ id, election, heirWaitMs, peers, host: proxied ? proxy.url : etcd, port: ports.get(id)! },
      };
      const events = {
        received: (message: FromCandidate) => arena.#hear(id, message),
        failed: () => {
          throw new Error(`${id} ended before its time.`);
        },
      };
      arena.processes.set(id, all.start(new URL('./heirs-process.js', import.meta.url), settings, events));
    }
    return arena;
  }

  async #link(from: string, to: string, port: number): Promise<number> {
    const proxy = await loopbackProxy({ target: `http://127.0.0.1:${port}`, framing: 'none' });
    this.#links.push({ ends: [from, to], proxy });
    return proxy.port;
  }

  linksOf(id: string): LoopbackProxy[] {
    return this.#links.filter(({ ends }) => ends.includes(id)).map(({ proxy }) => proxy);
  }

  cutOff(id: string): void {
    for (const proxy of [this.toEtcd.get(id)!, ...this.linksOf(id)]) proxy.cut();
  }

  rejoin(id: string): void {
    for (const proxy of [this.toEtcd.get(id)!, ...this.linksOf(id)]) proxy.heal();
  }

  get latest(): Term | undefined {
    return this.terms.at(-1);
  }

  /** Somebody leads, and its heir has promised under the present leadership. */
  async settled(): Promise<Term> {
    await until('a leader has an heir', patienceMs, () => this.latest?.hasHeir === true);
    return this.latest!;
  }

  async close(): Promise<void> {
    await Promise.all([...this.processes.values()].map((each) => each.kill()));
    for (const proxy of [...this.toEtcd.values(), ...this.#links.map((link) => link.proxy)]) {
      proxy.reset();
      await proxy.close();
    }
  }

  #hear(id: string, message: FromCandidate): void {
    if (message.type === 'waits') return;
    if (message.type === 'leads') {
      this.terms.push({ ...message, id, hasHeir: false, validUntilMs: null });
      this.terms.sort((a, b) => Number(a.token - b.token));
      return;
    }
    const term = this.terms.find(({ token }) => token === message.token);
    if (term === undefined) return;
    if (message.type === 'has-heir') term.hasHeir = true;
    else term.validUntilMs = message.validUntilMs;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Trial {
  readonly failoverMs: number;
  /** How long the old leader had been unable to act when the next began. Negative would be an overlap. */
  readonly gapMs: number;
}

async function trial(arena: Arena, fault: Fault, heirWaitMs: number): Promise<Trial> {
  const former = await arena.settled();
  // Somewhere between two heartbeats.
  await pause(Math.random() * 0.4 * heirWaitMs);
  const beganMs = monotonicMs();
  fault.begin(arena, former.id);
  await until('another leads', patienceMs, () => arena.latest !== former);
  const next = arena.latest!;
  fault.heal(arena, former.id);
  await until('the old leader has found out', patienceMs, () => former.validUntilMs !== null);
  return { failoverMs: next.atMs - beganMs, gapMs: next.atMs - former.validUntilMs! };
}

async function measure(all: Processes, etcd: string, fault: Fault, heirWaitMs: number) {
  const arena = await Arena.open(all, etcd, heirWaitMs);
  try {
    const done: Trial[] = [];
    while (done.length < trials) {
      done.push(await trial(arena, fault, heirWaitMs));
      process.stderr.write(`${fault.name}, ${heirWaitMs} ms: ${done.at(-1)!.failoverMs.toFixed(1)} ms\n`);
    }
    const failovers = done.map(({ failoverMs }) => round(failoverMs));
    return {
      ...{ fault: fault.name, heirWaitMs, trials, overlaps: done.filter(({ gapMs }) => gapMs < 0).length },
      failoverMs: summary(failovers),
      gapMs: summary(done.map(({ gapMs }) => gapMs)),
      // Beyond one for each trial and the first: a healthy leader was replaced.
      changesForNoReason: arena.terms.length - 1 - trials,
      each: failovers,
    };
  } finally {
    await arena.close();
  }
}

/** The leader loses its peers, for a few waits; etcd it keeps. */
async function measureStaying(all: Processes, etcd: string, heirWaitMs: number) {
  const arena = await Arena.open(all, etcd, heirWaitMs);
  try {
    const lost: number[] = [];
    for (let done = 0; done < trials; done += 1) {
      const leader = await arena.settled();
      const links = arena.linksOf(leader.id);
      for (const proxy of links) proxy.cut();
      await pause(4 * heirWaitMs);
      if (arena.latest !== leader) lost.push(done);
      for (const proxy of links) proxy.heal();
      await pause(heirWaitMs);
    }
    return { fault: 'cut off from peers only', heirWaitMs, trials, officesLost: lost.length };
  } finally {
    await arena.close();
  }
}

function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => round(sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN);
  return { minMs: at(0), medianMs: at(0.5), maxMs: at(1) };
}

const round = (value: number): number => Math.round(value * 10) / 10;

async function measureSilence(all: Processes, etcd: string) {
  const results = [];
  for (const heirWaitMs of [250, 1000]) {
    for (const fault of faults) results.push(await measure(all, etcd, fault, heirWaitMs));
    results.push(await measureStaying(all, etcd, heirWaitMs));
  }
  return results;
}

/** Three elections at once, each with another wait. */
async function measureCalm(all: Processes, etcd: string) {
  const minutes = Number(first) || 10;
  const hogs = Number(second) || 0;
  const waitsMs = [100, 250, 1000];
  const arenas = await Promise.all(waitsMs.map((heirWaitMs) => Arena.open(all, etcd, heirWaitMs, false)));
  const failed = (): void => {};
  const running = Array.from({ length: hogs }, () =>
    all.start(new URL('../calm/hog-process.js', import.meta.url), {}, { received: failed, failed }),
  );
  try {
    await Promise.all(arenas.map((arena) => arena.settled()));
    const before = arenas.map(({ terms }) => terms.length);
    await pause(60_000 * minutes);
    const changes = arenas.map(({ terms }, index) => ({
      heirWaitMs: waitsMs[index],
      changesOfLeader: terms.length - before[index]!,
    }));
    return { minutes, hogs, processors: availableParallelism(), load: loadavg().map(round), changes };
  } finally {
    await Promise.all([...arenas.map((arena) => arena.close()), ...running.map((hog) => hog.kill())]);
  }
}

const measurements: Record<string, (all: Processes, etcd: string) => Promise<unknown>> = {
  silence: measureSilence,
  calm: measureCalm,
};
const measurement = measurements[what];
if (measurement === undefined) {
  throw new RangeError(`Say what to measure: ${Object.keys(measurements).join(', ')}.`);
}
const cluster = await startEtcdCluster();
const all = await Processes.open('hustings-heirs');
try {
  const results = await measurement(all, cluster.endpoints[0] ?? '');
  process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
} finally {
  await all.close();
  await cluster.stop();
}
