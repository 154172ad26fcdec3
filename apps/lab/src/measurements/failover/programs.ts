/** Three candidates of somebody else's make, known by the lines that they print. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NodeId } from '@hustings/elector';
import {
  type Command,
  type EtcdCluster,
  freePorts,
  loopbackProxy,
  monotonicMs,
  type SupervisedProcess,
  supervise,
  type ZooKeeperEnsemble,
} from '@hustings/servers';
import type { MessageCount } from './messages.js';
import { Cables, ids, pause, type Team } from './team.js';
import { newTerm, type Term } from './terms.js';

/** What a line says; of many, nothing. */
export type Word =
  | { readonly type: 'leads'; readonly atMs: number; readonly token: bigint | null }
  /** It has asked, and still leads. */
  | { readonly type: 'acts'; readonly atMs: number }
  | { readonly type: 'lost'; readonly atMs: number };

export interface Make {
  readonly tellsEnds: boolean;
  /** Each candidate reaches its server at an address of its own, or there is none and this is null. */
  readonly server: { readonly address: string; readonly framing: 'http2' | 'length-prefixed' } | null;
  commandOf(id: NodeId, address: string): Command;
  read(line: string, heardMs: number): Word | null;
  /** How many candidates stand. */
  standing(): Promise<number>;
}

/** An application stands again soon after its program has ended. */
const againAfterMs = 100;

export class Programs implements Team {
  readonly terms: Term[] = [];
  readonly cables = new Cables();
  readonly #make: Make;
  readonly #addresses = new Map<NodeId, string>();
  readonly #running = new Map<NodeId, SupervisedProcess>();
  readonly #acting = new Map<Term, number>();
  /** When each frame passed between a candidate and its server, either way. */
  readonly #framesMs: number[] = [];
  #isOver = false;

  static async open(make: Make): Promise<Programs> {
    const team = new Programs(make);
    for (const id of ids) {
      if (make.server !== null) {
        const { address, framing } = make.server;
        const onDataFrame = (): void => void team.#framesMs.push(monotonicMs());
        const proxy = await loopbackProxy({ target: `http://${address}`, framing, onDataFrame });
        team.#addresses.set(id, `127.0.0.1:${team.cables.add(proxy, id).port}`);
      }
    }
    await Promise.all(ids.map((id) => team.restart(id)));
    return team;
  }

  private constructor(make: Make) {
    this.#make = make;
  }

  get tellsEnds(): boolean {
    return this.#make.tellsEnds;
  }

  async isSettled(): Promise<boolean> {
    const leader = this.terms.at(-1);
    if (leader === undefined || leader.endedMs !== null) return false;
    return (await this.#make.standing()) === ids.length;
  }

  kill(id: NodeId): void {
    const killed = this.#running.get(id)!;
    this.#running.delete(id);
    killed.signal('SIGKILL');
  }

  async restart(id: NodeId): Promise<void> {
    const { command, parameters } = this.#make.commandOf(id, this.#addresses.get(id) ?? '');
    // A user's own settings must not reach them.
    const kept = Object.entries(process.env).filter(([name]) => !/^ETCD(CTL)?_/.test(name));
    const env = { ...Object.fromEntries(kept), ETCDCTL_API: '3', GRPC_VERBOSITY: 'NONE' };
    const onLine = (line: string): void => {
      const word = this.#make.read(line, monotonicMs());
      if (word !== null) this.#hear(id, word);
    };
    const started = await supervise(command, parameters, { env, onLine });
    this.#running.set(id, started);
    void started.ended.then(() => this.#ended(id, started));
  }

  signal(id: NodeId, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#running.get(id)!.signal(signal);
  }

  async agreed(): Promise<null> {
    return null;
  }

  /** Of a stream of gRPC nobody can tell from outside whether it carries renewals. */
  async count(fromMs: number, toMs: number): Promise<MessageCount | null> {
    if (this.#make.server === null) return null;
    const total = this.#framesMs.filter((atMs) => atMs >= fromMs && atMs <= toMs).length;
    return { election: null, total };
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#running.values()].map((each) => each.stop()));
    await this.cables.close();
  }

  #hear(id: NodeId, word: Word): void {
    const term = this.terms.findLast((each) => each.id === id);
    switch (word.type) {
      case 'leads':
        this.terms.push(newTerm(id, word.token, word.atMs));
        break;
      case 'acts':
        if (term !== undefined) this.#acting.set(term, word.atMs);
        break;
      case 'lost':
        // Where it asks before it acts, it could act no longer than that.
        if (term !== undefined) term.endedMs ??= this.#acting.get(term) ?? word.atMs;
        break;
    }
  }

  async #ended(id: NodeId, ended: SupervisedProcess): Promise<void> {
    if (this.#isOver || this.#running.get(id) !== ended) return;
    this.#hear(id, { type: 'lost', atMs: monotonicMs() });
    await pause(againAfterMs);
    if (!this.#isOver) await this.restart(id);
  }
}

// ---- On a real etcd -----------------------------------------------------------------------------------

const etcd3Script = fileURLToPath(
  new URL('../../../dist/measurements/etcd/etcd3-candidate.js', import.meta.url),
);

/** `word` and the machine's monotonic clock in nanoseconds. */
const timeIn = (line: string): number => Number(line.split(' ')[1]) / 1e6;

function onEtcd(cluster: EtcdCluster, election: string): Pick<Make, 'server' | 'standing'> {
  return {
    server: { address: new URL(cluster.endpoints[0]!).host, framing: 'http2' },
    async standing() {
      // Each make has a prefix of its own before the name, so all keys are read.
      const keys = await cluster.etcdctl('get', '--prefix', '--keys-only', '');
      return keys.split('\n').filter((key) => key.includes(election)).length;
    },
  };
}

/** It holds the lock from the line that it prints until it ends. */
export function etcdctlLock(cluster: EtcdCluster, ttlSeconds: number): Make {
  const election = randomUUID();
  return {
    ...onEtcd(cluster, election),
    tellsEnds: true,
    commandOf: (_id, address) => ({
      command: 'etcdctl',
      parameters: [`--endpoints=${address}`, 'lock', `--ttl=${ttlSeconds}`, election],
    }),
    read: (line, heardMs) =>
      line.startsWith(election) ? { type: 'leads', atMs: heardMs, token: null } : null,
  };
}

export function etcd3Election(cluster: EtcdCluster, ttlSeconds: number): Make {
  const election = randomUUID();
  return {
    ...onEtcd(cluster, election),
    tellsEnds: true,
    commandOf: (_id, address) => ({
      command: process.execPath,
      parameters: [etcd3Script, election, `${ttlSeconds}`, `http://${address}`],
    }),
    read(line) {
      if (line.startsWith('leads ')) return { type: 'leads', atMs: timeIn(line), token: null };
      return line.startsWith('lost ') ? { type: 'lost', atMs: timeIn(line) } : null;
    },
  };
}

// ---- On a real ZooKeeper ------------------------------------------------------------------------------

const actEveryMs = 5;

export function curatorLatch(ensemble: ZooKeeperEnsemble, curator: Command, sessionTimeoutMs: number): Make {
  const path = `/${randomUUID()}`;
  return {
    tellsEnds: true,
    server: { address: ensemble.addresses[0]!, framing: 'length-prefixed' },
    commandOf: (id, address) => ({
      command: curator.command,
      parameters: [...curator.parameters, id, path, `${sessionTimeoutMs}`, address, `${actEveryMs}`],
    }),
    read(line) {
      const atMs = timeIn(line);
      if (line.startsWith('leads ')) return { type: 'leads', atMs, token: null };
      if (line.startsWith('wrote ')) return { type: 'acts', atMs };
      return line.startsWith('lost ') ? { type: 'lost', atMs } : null;
    },
    standing: async () => (await ensemble.ask(0, 'dump')).split(`${path}/`).length - 1,
  };
}

// ---- etcd's own Raft ----------------------------------------------------------------------------------

/** The members themselves. etcd draws its election timeout from once to twice what it is given. */
export async function etcdMembers(
  directory: string,
  heartbeatMs: number,
  electionTimeoutMs: number,
): Promise<Make> {
  const ports = await freePorts(2 * ids.length);
  const urlOf = (index: number): string => `http://127.0.0.1:${ports[index]}`;
  const peerUrlOf = (id: NodeId): string => urlOf(ids.length + ids.indexOf(id));
  const clientUrlOf = (id: NodeId): string => urlOf(ids.indexOf(id));
  return {
    // A member that is deposed has to ask the others before it serves, so nothing depends on when it knows.
    tellsEnds: false,
    server: null,
    commandOf: (id) => ({
      command: 'etcd',
      parameters: [
        `--name=${id}`,
        `--data-dir=${join(directory, id)}`,
        `--listen-client-urls=${clientUrlOf(id)}`,
        `--advertise-client-urls=${clientUrlOf(id)}`,
        `--listen-peer-urls=${peerUrlOf(id)}`,
        `--initial-advertise-peer-urls=${peerUrlOf(id)}`,
        `--initial-cluster=${ids.map((each) => `${each}=${peerUrlOf(each)}`).join()}`,
        `--heartbeat-interval=${heartbeatMs}`,
        `--election-timeout=${electionTimeoutMs}`,
        '--pre-vote=true',
      ],
    }),
    read(line, heardMs) {
      const term = /became leader at term (\d+)/.exec(line)?.[1];
      return term === undefined ? null : { type: 'leads', atMs: heardMs, token: BigInt(term) };
    },
    async standing() {
      const answers = await Promise.all(ids.map((id) => isHealthy(clientUrlOf(id))));
      return answers.filter(Boolean).length;
    },
  };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1000) });
    return ((await response.json()) as { readonly health?: string }).health === 'true';
  } catch {
    return false;
  }
}
