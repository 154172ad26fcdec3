import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { host, type Member, type Members, type Place, ServerGroup, startMembers } from './members.js';
import type { SupervisedProcess } from './supervised.js';

export interface EtcdTls {
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  /** Whether clients must show a certificate of the same authority. */
  readonly clientCertificates?: boolean;
}

export interface EtcdClusterOptions {
  /** Default 1. */
  readonly members?: number;
  /** Default 50. With etcd's own 100 and 1000 the shortest lease is 2 s; with these 1 s. */
  readonly heartbeatIntervalMs?: number;
  /** Default 500. */
  readonly electionTimeoutMs?: number;
  readonly tls?: EtcdTls;
  /** Where to make a folder for the data. Default: the system's temporary directory. */
  readonly directory?: string;
  /** Further flags of the server, such as `--auth-token-ttl=1`. */
  readonly flags?: readonly string[];
}

export interface EtcdCluster {
  /** Client URLs, one a member. */
  readonly endpoints: readonly string[];
  /** Dies as if the machine had lost power; its data stays. */
  killMember(index: number): Promise<void>;
  /** Stops running, but keeps its connections, until resumed. */
  pauseMember(index: number): void;
  resumeMember(index: number): void;
  /** Starts a member that was killed, with the data that it had. Resolves once it serves clients. */
  restartMember(index: number): Promise<void>;
  /** Kills every member, deletes its data, and starts them again. Resolves once they serve clients. */
  loseData(): Promise<void>;
  /** Which member leads the others. */
  leader(): Promise<number>;
  /** Runs `etcdctl` against the whole cluster and returns what it prints. */
  etcdctl(...parameters: readonly string[]): Promise<string>;
  /** Starts an `etcdctl` that goes on running, such as `elect`. */
  spawnEtcdctl(
    parameters: readonly string[],
    options?: { readonly onLine?: (line: string) => void; readonly endpoints?: readonly string[] },
  ): Promise<SupervisedProcess>;
  /** Kills every member and deletes its data. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** A real etcd on the loopback interface, on free ports and with temporary data. It does not outlive the test. */
export async function startEtcdCluster(options: EtcdClusterOptions = {}): Promise<EtcdCluster> {
  await requireEtcd();
  const members = await startMembers({
    system: 'etcd',
    count: options.members ?? 1,
    portsEach: 3,
    directory: options.directory,
    layOut: async (places) => places.map((place) => layOut(place, places, options)),
  });
  return new Cluster(members, options.tls);
}

async function requireEtcd(): Promise<void> {
  try {
    await Promise.all([run('etcd', ['--version']), run('etcdctl', ['version'])]);
  } catch (cause) {
    const advice = "run 'apt-get install etcd-server etcd-client', or put both programs on the PATH";
    throw new Error(`etcd or etcdctl is not installed: ${advice}.`, { cause });
  }
}

interface EtcdMember extends Member {
  readonly clientUrl: string;
}

class Cluster extends ServerGroup<EtcdMember> implements EtcdCluster {
  readonly #tls: EtcdTls | undefined;

  constructor(members: Members<EtcdMember>, tls: EtcdTls | undefined) {
    super(members);
    this.#tls = tls;
  }

  get endpoints(): readonly string[] {
    return this.members.all.map(({ clientUrl }) => clientUrl);
  }

  async leader(): Promise<number> {
    const status = await this.etcdctl('endpoint', 'status', '--write-out=json');
    const parsed = JSON.parse(status) as {
      Endpoint: string;
      Status: { header: { member_id: number }; leader: number };
    }[];
    const leading = parsed.find(({ Status }) => Status.header.member_id === Status.leader);
    return this.endpoints.indexOf(leading?.Endpoint ?? '');
  }

  async etcdctl(...parameters: readonly string[]): Promise<string> {
    const { stdout } = await run('etcdctl', [...this.#clientFlags(this.endpoints), ...parameters], {
      env: cleanEnvironment(),
    });
    return stdout;
  }

  spawnEtcdctl(
    parameters: readonly string[],
    options: { readonly onLine?: (line: string) => void; readonly endpoints?: readonly string[] } = {},
  ): Promise<SupervisedProcess> {
    const { endpoints = this.endpoints, ...rest } = options;
    return this.members.spawn('etcdctl', [...this.#clientFlags(endpoints), ...parameters], {
      ...rest,
      env: cleanEnvironment(),
    });
  }

  #clientFlags(endpoints: readonly string[]): string[] {
    const tls = this.#tls;
    const trust =
      tls === undefined ? [] : [`--cacert=${tls.caFile}`, `--cert=${tls.certFile}`, `--key=${tls.keyFile}`];
    return [`--endpoints=${endpoints.join(',')}`, ...trust];
  }
}

function layOut(place: Place, places: readonly Place[], options: EtcdClusterOptions): EtcdMember {
  const { heartbeatIntervalMs = 50, electionTimeoutMs = 500, tls, flags = [] } = options;
  const [client, , metrics] = place.ports;
  const clientUrl = `${tls === undefined ? 'http' : 'https'}://${host}:${client}`;
  const metricsUrl = `http://${host}:${metrics}`;
  const security =
    tls === undefined
      ? []
      : [
          `--cert-file=${tls.certFile}`,
          `--key-file=${tls.keyFile}`,
          ...(tls.clientCertificates ? ['--client-cert-auth', `--trusted-ca-file=${tls.caFile}`] : []),
        ];
  return {
    name: place.name,
    clientUrl,
    command: 'etcd',
    dataDirectory: place.directory,
    parameters: [
      `--name=${place.name}`,
      `--data-dir=${place.directory}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl(place)}`,
      `--initial-advertise-peer-urls=${peerUrl(place)}`,
      `--listen-metrics-urls=${metricsUrl}`,
      `--initial-cluster=${places.map((each) => `${each.name}=${peerUrl(each)}`).join(',')}`,
      `--heartbeat-interval=${heartbeatIntervalMs}`,
      `--election-timeout=${electionTimeoutMs}`,
      '--log-level=error',
      ...security,
      ...flags,
    ],
    env: cleanEnvironment(),
    isServing: () => isHealthy(metricsUrl),
  };
}

const peerUrl = ({ ports }: Place): string => `http://${host}:${ports[1]}`;

async function isHealthy(metricsUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${metricsUrl}/health`, { signal: AbortSignal.timeout(1000) });
    return ((await response.json()) as { health?: string }).health === 'true';
  } catch {
    return false;
  }
}

/** Settings of another etcd on this machine must not reach ours. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^ETCD(CTL)?_/.test(name));
  return { ...Object.fromEntries(kept), ETCDCTL_API: '3', ETCD_UNSUPPORTED_ARCH: process.arch };
}
