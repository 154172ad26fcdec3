/** Five processes, of ours or of etcd's, that can be killed and say when one of them leads. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RaftSettings } from '@hustings/raft';
import { freePorts, type SupervisedProcess, supervise } from '@hustings/servers';

export interface NodeConfig {
  readonly id: string;
  readonly port: number;
  readonly peers: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly secret: string;
  readonly settings: Partial<RaftSettings>;
}

export interface Cluster {
  readonly name: string;
  readonly pids: readonly number[];
  /** Kills the leader and returns how long it took until another one said that it leads. */
  killLeader(): Promise<number>;
  /** Starts whoever was killed, and resolves when it has had time to catch up. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

type Launch = (index: number, onLine: (line: string) => void) => Promise<SupervisedProcess>;

const size = 5;
const patienceMs = 20_000;
const settleMs = 1500;

export async function startOurs(settings: Partial<RaftSettings>): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'hustings-raft-'));
  const ports = await freePorts(size);
  const script = fileURLToPath(new URL('./raft-node.js', import.meta.url));
  const launch: Launch = (index, onLine) => {
    const peers = Object.fromEntries(
      ports.flatMap((port, peer) => (peer === index ? [] : [[`n${peer + 1}`, `ws://127.0.0.1:${port}`]])),
    );
    const secret = 'known to this benchmark only';
    const config: NodeConfig = {
      id: `n${index + 1}`,
      port: ports[index]!,
      peers,
      directory,
      secret,
      settings,
    };
    return supervise(process.execPath, [script, JSON.stringify(config)], { onLine });
  };
  return Processes.start('hustings raft', directory, launch, (line) => line === 'leads');
}

/** etcd draws its election timeout from once to twice what it is given. */
export async function startEtcd(heartbeatMs: number, electionTimeoutMs: number): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'hustings-raft-etcd-'));
  const ports = await freePorts(2 * size);
  const url = (port: number | undefined): string => `http://127.0.0.1:${port}`;
  const peers = Array.from({ length: size }, (_, index) => `m${index}=${url(ports[size + index])}`).join();
  const launch: Launch = (index, onLine) =>
    supervise(
      'etcd',
      [
        `--name=m${index}`,
        `--data-dir=${join(directory, `m${index}`)}`,
        `--listen-client-urls=${url(ports[index])}`,
        `--advertise-client-urls=${url(ports[index])}`,
        `--listen-peer-urls=${url(ports[size + index])}`,
        `--initial-advertise-peer-urls=${url(ports[size + index])}`,
        `--initial-cluster=${peers}`,
        `--heartbeat-interval=${heartbeatMs}`,
        `--election-timeout=${electionTimeoutMs}`,
        '--pre-vote=true',
      ],
      { onLine },
    );
  return Processes.start('etcd', directory, launch, (line) => line.includes('became leader at term'));
}

class Processes implements Cluster {
  readonly name: string;
  readonly #directory: string;
  readonly #launch: Launch;
  readonly #isLeading: (line: string) => boolean;
  readonly #running: (SupervisedProcess | null)[] = [];
  #leader: { readonly index: number; readonly sinceMs: number } | null = null;

  private constructor(name: string, directory: string, launch: Launch, isLeading: (line: string) => boolean) {
    this.name = name;
    this.#directory = directory;
    this.#launch = launch;
    this.#isLeading = isLeading;
  }

  static async start(
    name: string,
    directory: string,
    launch: Launch,
    isLeading: (line: string) => boolean,
  ): Promise<Cluster> {
    const cluster = new Processes(name, directory, launch, isLeading);
    for (let index = 0; index < size; index += 1) cluster.#running.push(null);
    await cluster.restart();
    await cluster.#leaderOtherThan(null);
    await pause(settleMs);
    return cluster;
  }

  get pids(): readonly number[] {
    return this.#running.flatMap((process) => (process === null ? [] : [process.pid]));
  }

  async killLeader(): Promise<number> {
    const { index } = await this.#leaderOtherThan(null);
    const killedAtMs = performance.now();
    this.#running[index]?.signal('SIGKILL');
    const { sinceMs } = await this.#leaderOtherThan(index);
    this.#running[index] = null;
    return sinceMs - killedAtMs;
  }

  async restart(): Promise<void> {
    await Promise.all(
      this.#running.map(async (process, index) => {
        if (process !== null) return;
        this.#running[index] = await this.#launch(index, (line) => {
          if (this.#isLeading(line)) this.#leader = { index, sinceMs: performance.now() };
        });
      }),
    );
    await pause(settleMs);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((process) => process?.stop()));
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #leaderOtherThan(former: number | null): Promise<{ index: number; sinceMs: number }> {
    const untilMs = performance.now() + patienceMs;
    while (this.#leader === null || this.#leader.index === former) {
      if (performance.now() > untilMs) throw new Error(`${this.name} has no leader after ${patienceMs} ms.`);
      await pause(1);
    }
    return this.#leader;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
