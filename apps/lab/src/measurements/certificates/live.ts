/**
 * How soon another leads when the leader's process is killed and its death is certified: three nodes in processes of
 * their own, with the default timings of the front door. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/certificates/live.js raft|etcd|zookeeper|postgres|redis [trials]
 *
 * Prints JSON.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  monotonicMs,
  Processes,
  type StartedProcess,
  startEtcdCluster,
  startPostgres,
  startRedis,
  startZooKeeperEnsemble,
} from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import type { ElectorName, FromNode, NodeSettings } from './node-process.js';

const ids = ['node-1', 'node-2', 'node-3'];
const patienceMs = 60_000;

interface Term {
  readonly id: string;
  readonly token: bigint;
  readonly atMs: number;
}

interface Node {
  readonly process: StartedProcess<NodeSettings>;
  isVigilant: boolean;
  follows: bigint | null;
}

class Arena {
  readonly terms: Term[] = [];
  readonly nodes = new Map<string, Node>();
  /** Leaderships that ended although nobody killed their node. */
  lost = 0;
  isOver = false;
  readonly #processes: Processes;
  readonly #settings: Omit<NodeSettings, 'id' | 'port' | 'peers' | 'directory'>;
  readonly #ports: ReadonlyMap<string, number>;

  constructor(
    processes: Processes,
    settings: Omit<NodeSettings, 'id' | 'port' | 'peers' | 'directory'>,
    ports: ReadonlyMap<string, number>,
  ) {
    this.#processes = processes;
    this.#settings = settings;
    this.#ports = ports;
  }

  start(id: string): void {
    const others = ids.filter((other) => other !== id);
    const peers = Object.fromEntries(
      others.map((other) => [other, `ws://127.0.0.1:${this.#ports.get(other)}`]),
    );
    const settings: NodeSettings = {
      ...this.#settings,
      ...{ id, peers, port: this.#ports.get(id)!, directory: join(this.#processes.directory, id) },
    };
    const process = this.#processes.start<NodeSettings, FromNode>(
      new URL('./node-process.js', import.meta.url),
      settings,
      {
        received: (message) => this.#hear(id, message),
        failed: () => {
          if (!this.isOver) throw new Error(`${id} ended before its time.`);
        },
      },
    );
    this.nodes.set(id, { process, isVigilant: false, follows: null });
  }

  #hear(id: string, message: FromNode): void {
    const node = this.nodes.get(id);
    if (node === undefined) return;
    if (message.type === 'certifies') node.isVigilant = true;
    if (message.type === 'follows') node.follows = message.token;
    if (message.type === 'lost') this.lost += 1;
    if (message.type === 'leads') this.terms.push({ id, token: message.token, atMs: message.atMs });
  }

  /** Somebody leads, the others follow it, and all would certify each other's death. */
  get isSettled(): boolean {
    const leader = this.terms.at(-1);
    return (
      leader !== undefined &&
      this.nodes.size === ids.length &&
      [...this.nodes].every(
        ([id, node]) => node.isVigilant && (id === leader.id || node.follows === leader.token),
      )
    );
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Kills the leader, at any moment between two heartbeats or renewals, and starts it again. */
async function trial(arena: Arena): Promise<number> {
  await until('all are settled', patienceMs, () => arena.isSettled);
  await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 500));
  const { id, token } = arena.terms.at(-1)!;
  const { process } = arena.nodes.get(id)!;
  const count = arena.terms.length;
  const killedMs = monotonicMs();
  arena.nodes.delete(id);
  await process.kill();
  await until('another leads', patienceMs, () => arena.terms.length > count);
  const next = arena.terms[count]!;
  if (next.token <= token) throw new Error(`Token ${next.token} came after ${token}.`);
  arena.start(id);
  return next.atMs - killedMs;
}

const servers: Readonly<Record<ElectorName, () => Promise<{ hosts: string; stop(): Promise<void> }>>> = {
  raft: async () => ({ hosts: '', stop: async () => {} }),
  async etcd() {
    const cluster = await startEtcdCluster();
    return { hosts: cluster.endpoints[0]!, stop: () => cluster.stop() };
  },
  async zookeeper() {
    const ensemble = await startZooKeeperEnsemble();
    return { hosts: ensemble.hosts, stop: () => ensemble.stop() };
  },
  async postgres() {
    const server = await startPostgres();
    return { hosts: server.url, stop: () => server.stop() };
  },
  async redis() {
    const server = await startRedis({ members: 1 });
    return { hosts: `redis://127.0.0.1:${server.ports[0]}`, stop: () => server.stop() };
  },
};

async function measure(elector: ElectorName, trials: number) {
  const server = await servers[elector]();
  const processes = await Processes.open('hustings-certificates');
  try {
    const ports = new Map(await Promise.all(ids.map(async (id) => [id, await freePort()] as const)));
    const arena = new Arena(processes, { elector, election: randomUUID(), hosts: server.hosts }, ports);
    for (const id of ids) arena.start(id);
    const times: number[] = [];
    while (times.length < trials) times.push(await trial(arena));
    arena.isOver = true;
    return { elector, lostWithoutCause: arena.lost, ...summary(times), everyMs: times.map(round) };
  } finally {
    await processes.close();
    await server.stop();
  }
}

const round = (value: number): number => Math.round(value * 10) / 10;

function summary(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    trials: times.length,
    /** Another led before this one was killed. */
    overlaps: times.filter((ms) => ms <= 0).length,
    minMs: round(sorted[0]!),
    medianMs: round(sorted[Math.floor(sorted.length / 2)]!),
    maxMs: round(sorted.at(-1)!),
  };
}

const [elector = '', trials = '30'] = process.argv.slice(2);
if (!(elector in servers)) throw new RangeError(`Say whose: ${Object.keys(servers).join(', ')}.`);
const result = await measure(elector as ElectorName, Number(trials));
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
