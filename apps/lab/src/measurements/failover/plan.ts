/** What is measured: ours with what makes them fast, ours without, and theirs. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Command,
  compileCuratorCandidate,
  type EtcdCluster,
  type PostgresServer,
  type Processes,
  type RedisServers,
  startEtcdCluster,
  startPostgres,
  startRedis,
  startZooKeeperEnsemble,
  type ZooKeeperEnsemble,
} from '@hustings/servers';
import { type ElectorName, type Means, timings } from './messages.js';
import { OurTeam } from './ours.js';
import { curatorLatch, etcd3Election, etcdctlLock, etcdMembers, Programs } from './programs.js';
import type { RowName } from './results.js';
import type { Fault, Team } from './team.js';

export interface Entry extends Omit<RowName, 'fault' | 'trials'> {
  readonly faults: readonly Fault[];
  /** Only what is quick is tried often; the others wait out a lease, a session or an election timeout each time. */
  readonly isQuick: boolean;
  /** How far apart renewals or heartbeats are: over so much time the faults are spread. */
  readonly spreadMs: number;
  /** How long idle messages are counted: several renewals. */
  readonly idleMs: number;
  /** How many teams are tried side by side: a wait for a lease is hardly any work. */
  readonly teams: number;
  open(stage: Stage): Promise<Team>;
}

/** The servers, each started when it is first needed, and all processes of ours. */
export class Stage {
  readonly processes: Processes;
  #etcd: Promise<EtcdCluster> | null = null;
  #zookeeper: Promise<ZooKeeperEnsemble> | null = null;
  #curator: Promise<Command> | null = null;
  #postgres: Promise<PostgresServer> | null = null;
  #redis: Promise<RedisServers> | null = null;

  constructor(processes: Processes) {
    this.processes = processes;
  }

  etcd(): Promise<EtcdCluster> {
    this.#etcd ??= startEtcdCluster({ directory: this.processes.directory });
    return this.#etcd;
  }

  zookeeper(): Promise<ZooKeeperEnsemble> {
    // With ticks of 500 ms a session of 6 s is within 20 of them.
    this.#zookeeper ??= startZooKeeperEnsemble({ tickMs: 500, directory: this.processes.directory });
    return this.#zookeeper;
  }

  curator(): Promise<Command> {
    const directory = join(this.processes.directory, 'curator');
    this.#curator ??= mkdir(directory, { recursive: true }).then(() => compileCuratorCandidate(directory));
    return this.#curator;
  }

  postgres(): Promise<PostgresServer> {
    this.#postgres ??= startPostgres();
    return this.#postgres;
  }

  redis(): Promise<RedisServers> {
    this.#redis ??= startRedis({ members: 1 });
    return this.#redis;
  }

  async close(): Promise<void> {
    for (const server of [this.#etcd, this.#zookeeper, this.#postgres, this.#redis]) {
      await (await server)?.stop();
    }
    await this.processes.close();
  }
}

const { ttlSeconds } = timings.etcd;
const { sessionTimeoutMs } = timings.zookeeper;
const { heartbeatMs, electionTimeoutMs } = timings.raft;

/** How far apart renewals are. Raft's are its heartbeats. */
const renewalMs: Readonly<Record<ElectorName, number>> = {
  raft: heartbeatMs,
  etcd: (1000 * ttlSeconds) / 3,
  zookeeper: 0.52 * sessionTimeoutMs,
  postgres: timings.postgres.ttlMs / 3,
  redis: timings.redis.ttlMs / 3,
};

const hostsOf: Readonly<Record<ElectorName, (stage: Stage) => Promise<string>>> = {
  raft: async () => '',
  etcd: async (stage) => (await stage.etcd()).endpoints[0]!,
  zookeeper: async (stage) => (await stage.zookeeper()).hosts,
  postgres: async (stage) => (await stage.postgres()).url,
  redis: async (stage) => `redis://127.0.0.1:${(await stage.redis()).ports[0]}`,
};

const leastIdleMs = 3000;
const teamsAtOnce = 3;

function ours(
  elector: ElectorName,
  means: string | null,
  given: Partial<Means>,
  more: Pick<Entry, 'faults' | 'spreadMs' | 'isQuick'>,
): Entry {
  const asked: Means = { deathCertificates: false, heirWaitMs: null, ...given };
  const { heirWaitMs } = asked;
  return {
    ...{ elector, means, isOurs: true, ...more },
    settings: { ...timings[elector], ...(heirWaitMs === null ? {} : { heirWaitMs }) },
    idleMs: Math.max(leastIdleMs, 3 * renewalMs[elector]),
    teams: more.isQuick ? 1 : teamsAtOnce,
    open: async (stage) =>
      OurTeam.open(stage.processes, {
        ...{ ...asked, elector, hosts: await hostsOf[elector](stage) },
        // A certificate is taken only of whoever is reached where it listens itself.
        isProxied: !asked.deathCertificates,
      }),
  };
}

const electors: readonly ElectorName[] = ['raft', 'etcd', 'zookeeper'];
/** Without certificates they wait for a lease as etcd does; that is measured with the other stores. */
const stores: readonly ElectorName[] = ['postgres', 'redis'];

const certified = [...electors, ...stores].map((elector) =>
  ours(
    elector,
    'certificates',
    { deathCertificates: true },
    { faults: ['SIGKILL'], isQuick: true, spreadMs: 500 },
  ),
);

const withHeirs = [250, 1000].map((heirWaitMs) =>
  ours(
    'etcd',
    `heirs ${heirWaitMs} ms`,
    { heirWaitMs },
    // Two heartbeats to the heir.
    { faults: ['SIGSTOP', 'cut-off'], isQuick: true, spreadMs: 0.4 * heirWaitMs },
  ),
);

const without = electors.map((elector) =>
  ours(
    elector,
    null,
    {},
    { faults: ['SIGKILL', 'SIGSTOP', 'cut-off'], isQuick: false, spreadMs: renewalMs[elector] },
  ),
);

const onEtcd = { settings: { ttlSeconds }, spreadMs: renewalMs.etcd, idleMs: 3 * renewalMs.etcd };
/** The Java client pings after a third of its session. */
const curatorPingMs = sessionTimeoutMs / 3;
const theirs = {
  means: null,
  isOurs: false,
  isQuick: false,
  faults: ['SIGKILL', 'SIGSTOP', 'cut-off'],
  teams: teamsAtOnce,
} as const;

const others: readonly Entry[] = [
  {
    ...theirs,
    elector: "etcd's own Raft",
    // There is no proxy between its members.
    faults: ['SIGKILL', 'SIGSTOP'],
    settings: { electionTimeoutMs, heartbeatMs },
    spreadMs: heartbeatMs,
    idleMs: 0,
    teams: 1,
    open: async ({ processes }) =>
      Programs.open(await etcdMembers(processes.directory, heartbeatMs, electionTimeoutMs[0])),
  },
  {
    ...theirs,
    ...onEtcd,
    elector: 'etcdctl lock',
    open: async (stage) => Programs.open(etcdctlLock(await stage.etcd(), ttlSeconds)),
  },
  {
    ...theirs,
    ...onEtcd,
    elector: 'etcd3 package',
    open: async (stage) => Programs.open(etcd3Election(await stage.etcd(), ttlSeconds)),
  },
  {
    ...theirs,
    elector: 'Curator',
    settings: { sessionTimeoutMs },
    spreadMs: curatorPingMs,
    idleMs: 3 * curatorPingMs,
    open: async (stage) =>
      Programs.open(curatorLatch(await stage.zookeeper(), await stage.curator(), sessionTimeoutMs)),
  },
];

export const plan: readonly Entry[] = [...certified, ...withHeirs, ...without, ...others];
