import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SupervisedProcess, supervise } from './supervised.js';

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

const host = '127.0.0.1';
const run = promisify(execFile);
const startWithinMs = 20_000;

/** A real etcd on the loopback interface, on free ports and with temporary data. It does not outlive the test. */
export async function startEtcdCluster(options: EtcdClusterOptions = {}): Promise<EtcdCluster> {
  await requireEtcd();
  // Somebody else may take a free port before etcd does.
  for (let attempt = 1; ; attempt += 1) {
    const cluster = await Members.create(options);
    try {
      await cluster.start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      if (attempt === 3) throw error;
    }
  }
}

async function requireEtcd(): Promise<void> {
  try {
    await Promise.all([run('etcd', ['--version']), run('etcdctl', ['version'])]);
  } catch (cause) {
    const advice = "run 'apt-get install etcd-server etcd-client', or put both programs on the PATH";
    throw new Error(`etcd or etcdctl is not installed: ${advice}.`, { cause });
  }
}

interface Member {
  readonly name: string;
  readonly clientUrl: string;
  readonly peerUrl: string;
  readonly metricsUrl: string;
  readonly directory: string;
  process: SupervisedProcess | null;
}

class Members implements EtcdCluster {
  readonly #options: EtcdClusterOptions;
  readonly #directory: string;
  readonly #members: readonly Member[];
  readonly #spawned: SupervisedProcess[] = [];

  private constructor(options: EtcdClusterOptions, directory: string, members: readonly Member[]) {
    this.#options = options;
    this.#directory = directory;
    this.#members = members;
  }

  static async create(options: EtcdClusterOptions): Promise<Members> {
    const count = options.members ?? 1;
    const directory = await mkdtemp(join(tmpdir(), 'hustings-etcd-'));
    const ports = await freePorts(3 * count);
    const scheme = options.tls === undefined ? 'http' : 'https';
    const members = Array.from({ length: count }, (_, index): Member => {
      const [client, peer, metrics] = ports.slice(3 * index);
      return {
        name: `member-${index}`,
        clientUrl: `${scheme}://${host}:${client}`,
        peerUrl: `http://${host}:${peer}`,
        metricsUrl: `http://${host}:${metrics}`,
        directory: join(directory, `member-${index}`),
        process: null,
      };
    });
    return new Members(options, directory, members);
  }

  get endpoints(): readonly string[] {
    return this.#members.map(({ clientUrl }) => clientUrl);
  }

  async start(): Promise<void> {
    await Promise.all(this.#members.map((member) => this.#launch(member)));
  }

  async killMember(index: number): Promise<void> {
    await this.#member(index).process?.stop();
  }

  pauseMember(index: number): void {
    this.#member(index).process?.signal('SIGSTOP');
  }

  resumeMember(index: number): void {
    this.#member(index).process?.signal('SIGCONT');
  }

  async restartMember(index: number): Promise<void> {
    await this.killMember(index);
    await this.#launch(this.#member(index));
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

  async spawnEtcdctl(
    parameters: readonly string[],
    options: { readonly onLine?: (line: string) => void; readonly endpoints?: readonly string[] } = {},
  ): Promise<SupervisedProcess> {
    const { endpoints = this.endpoints, ...rest } = options;
    const started = await supervise('etcdctl', [...this.#clientFlags(endpoints), ...parameters], {
      ...rest,
      env: cleanEnvironment(),
    });
    this.#spawned.push(started);
    return started;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#spawned.map((each) => each.stop()));
    await Promise.all(this.#members.map(({ process }) => process?.stop()));
    await rm(this.#directory, { recursive: true, force: true });
  }

  #member(index: number): Member {
    const member = this.#members[index];
    if (member === undefined) throw new RangeError(`The cluster has no member ${index}.`);
    return member;
  }

  #clientFlags(endpoints: readonly string[]): string[] {
    const { tls } = this.#options;
    const trust =
      tls === undefined ? [] : [`--cacert=${tls.caFile}`, `--cert=${tls.certFile}`, `--key=${tls.keyFile}`];
    return [`--endpoints=${endpoints.join(',')}`, ...trust];
  }

  async #launch(member: Member): Promise<void> {
    const { heartbeatIntervalMs = 50, electionTimeoutMs = 500, tls, flags = [] } = this.#options;
    const everyone = this.#members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
    const security =
      tls === undefined
        ? []
        : [
            `--cert-file=${tls.certFile}`,
            `--key-file=${tls.keyFile}`,
            ...(tls.clientCertificates ? ['--client-cert-auth', `--trusted-ca-file=${tls.caFile}`] : []),
          ];
    const launched = await supervise(
      'etcd',
      [
        `--name=${member.name}`,
        `--data-dir=${member.directory}`,
        `--listen-client-urls=${member.clientUrl}`,
        `--advertise-client-urls=${member.clientUrl}`,
        `--listen-peer-urls=${member.peerUrl}`,
        `--initial-advertise-peer-urls=${member.peerUrl}`,
        `--listen-metrics-urls=${member.metricsUrl}`,
        `--initial-cluster=${everyone}`,
        `--heartbeat-interval=${heartbeatIntervalMs}`,
        `--election-timeout=${electionTimeoutMs}`,
        '--log-level=error',
        ...security,
        ...flags,
      ],
      { env: cleanEnvironment() },
    );
    member.process = launched;
    await untilHealthy(member, launched);
  }
}

async function untilHealthy({ name, metricsUrl }: Member, launched: SupervisedProcess): Promise<void> {
  const giveUpMs = performance.now() + startWithinMs;
  while (!(await isHealthy(metricsUrl))) {
    if (!launched.running || performance.now() > giveUpMs) {
      const reason = launched.running ? `was not healthy within ${startWithinMs} ms` : 'ended';
      throw new Error(`${name} of etcd ${reason}: ${launched.lines.slice(-5).join('\n')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

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

/** All at once, so that no two are the same. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map(listen));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
}
