import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SupervisedProcess, supervise } from './supervised.js';

export interface ZooKeeperEnsembleOptions {
  /** Default 1. */
  readonly members?: number;
  /** Default 200: sessions of 400 ms to 4 s. ZooKeeper's sample configuration has 2000. */
  readonly tickMs?: number;
  /** How many ticks a member may be out of touch with its leader. Default 5. */
  readonly syncLimit?: number;
  /** Further lines of the configuration, such as `readonlymode.enabled=true`. */
  readonly configuration?: readonly string[];
  /** Further properties of the virtual machine, such as `-Dznode.container.checkIntervalMs=500`. */
  readonly properties?: readonly string[];
}

export interface ZooKeeperEnsemble {
  /** All members, as clients take them: `127.0.0.1:2181,127.0.0.1:2182`. */
  readonly hosts: string;
  /** The address of each member. */
  readonly addresses: readonly string[];
  /** Dies as if the machine had lost power; its data stays. */
  killMember(index: number): Promise<void>;
  /** Stops running, but keeps its connections, until resumed. */
  pauseMember(index: number): void;
  resumeMember(index: number): void;
  /** Starts a member that was killed, with the data that it had. Resolves once it serves clients. */
  restartMember(index: number): Promise<void>;
  /** Which member leads the others; the only one leads itself. -1 while there is no leader. */
  leader(): Promise<number>;
  /** Sends a member one of ZooKeeper's four-letter words, such as `mntr`, and returns what it says. */
  ask(index: number, word: string): Promise<string>;
  /** Starts a Java program from its source, with ZooKeeper's and Curator's libraries. */
  spawnJava(
    source: string,
    parameters: readonly string[],
    options?: { readonly onLine?: (line: string) => void },
  ): Promise<SupervisedProcess>;
  /** Kills every member and deletes its data. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const run = promisify(execFile);
const startWithinMs = 20_000;
const libraries = '/usr/share/java';
const serverJar = `${libraries}/zookeeper.jar`;
const clientClassPath = [
  'zookeeper',
  'zookeeper-jute',
  'curator-client',
  'curator-framework',
  'curator-recipes',
  'guava',
  'netty-all',
  'slf4j-api',
  'slf4j-nop',
]
  .map((name) => `${libraries}/${name}.jar`)
  .join(':');
/** Quick to start, and small: several of them share a machine with the tests. */
const machineFlags = ['-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];

/** A real ensemble on the loopback interface, on free ports and with temporary data. It does not outlive the test. */
export async function startZooKeeperEnsemble(
  options: ZooKeeperEnsembleOptions = {},
): Promise<ZooKeeperEnsemble> {
  await requireZooKeeper();
  // Somebody else may take a free port before ZooKeeper does.
  for (let attempt = 1; ; attempt += 1) {
    const ensemble = await Members.create(options);
    try {
      await ensemble.start();
      return ensemble;
    } catch (error) {
      await ensemble.stop();
      if (attempt === 3) throw error;
    }
  }
}

async function requireZooKeeper(): Promise<void> {
  try {
    await Promise.all([run('java', ['-version']), access(serverJar)]);
  } catch (cause) {
    const advice = "run 'apt-get install zookeeper default-jre-headless libcurator-recipes-java'";
    throw new Error(`ZooKeeper or Java is not installed: ${advice}.`, { cause });
  }
}

interface Member {
  readonly name: string;
  readonly number: number;
  readonly clientPort: number;
  readonly peerPorts: string;
  readonly directory: string;
  process: SupervisedProcess | null;
}

class Members implements ZooKeeperEnsemble {
  readonly #options: ZooKeeperEnsembleOptions;
  readonly #directory: string;
  readonly #members: readonly Member[];
  readonly #spawned: SupervisedProcess[] = [];

  private constructor(options: ZooKeeperEnsembleOptions, directory: string, members: readonly Member[]) {
    this.#options = options;
    this.#directory = directory;
    this.#members = members;
  }

  static async create(options: ZooKeeperEnsembleOptions): Promise<Members> {
    const count = options.members ?? 1;
    const directory = await mkdtemp(join(tmpdir(), 'hustings-zookeeper-'));
    const ports = await freePorts(3 * count);
    const members = Array.from({ length: count }, (_, index): Member => {
      const [client, peer, election] = ports.slice(3 * index);
      return {
        name: `member-${index}`,
        number: index + 1,
        clientPort: client ?? 0,
        peerPorts: `${peer}:${election}`,
        directory: join(directory, `member-${index}`),
        process: null,
      };
    });
    return new Members(options, directory, members);
  }

  get addresses(): readonly string[] {
    return this.#members.map(({ clientPort }) => `${host}:${clientPort}`);
  }

  get hosts(): string {
    return this.addresses.join(',');
  }

  async start(): Promise<void> {
    await Promise.all(this.#members.map((member) => this.#configure(member)));
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
    const modes = await Promise.all(this.#members.map((member) => modeOf(member)));
    return modes.findIndex((mode) => mode === 'leader' || mode === 'standalone');
  }

  ask(index: number, word: string): Promise<string> {
    return say(this.#member(index).clientPort, word);
  }

  async spawnJava(
    source: string,
    parameters: readonly string[],
    options: { readonly onLine?: (line: string) => void } = {},
  ): Promise<SupervisedProcess> {
    const started = await supervise(
      'java',
      [...machineFlags, '-cp', clientClassPath, source, ...parameters],
      options,
    );
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
    if (member === undefined) throw new RangeError(`The ensemble has no member ${index}.`);
    return member;
  }

  async #configure({ directory, clientPort, number }: Member): Promise<void> {
    const { tickMs = 200, syncLimit = 5, configuration = [] } = this.#options;
    const isAlone = this.#members.length === 1;
    const lines = [
      `tickTime=${tickMs}`,
      'initLimit=50',
      `syncLimit=${syncLimit}`,
      `dataDir=${directory}`,
      `clientPort=${clientPort}`,
      `clientPortAddress=${host}`,
      'admin.enableServer=false',
      '4lw.commands.whitelist=*',
      'maxClientCnxns=0',
      ...(isAlone ? [] : this.#members.map((each) => `server.${each.number}=${host}:${each.peerPorts}`)),
      ...configuration,
    ];
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'myid'), `${number}\n`);
    await writeFile(join(directory, 'zoo.cfg'), `${lines.join('\n')}\n`);
  }

  async #launch(member: Member): Promise<void> {
    const launched = await supervise('java', [
      ...machineFlags,
      ...(this.#options.properties ?? []),
      '-cp',
      `${serverJar}:${libraries}/slf4j-nop.jar`,
      'org.apache.zookeeper.server.quorum.QuorumPeerMain',
      join(member.directory, 'zoo.cfg'),
    ]);
    member.process = launched;
    const giveUpMs = performance.now() + startWithinMs;
    while ((await modeOf(member)) === null) {
      if (!launched.running || performance.now() > giveUpMs) {
        const reason = launched.running ? `did not serve within ${startWithinMs} ms` : 'ended';
        throw new Error(`${member.name} of ZooKeeper ${reason}: ${launched.lines.slice(-5).join('\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** `leader`, `follower` or `standalone`; null for a member that does not serve clients. */
async function modeOf({ clientPort, process }: Member): Promise<string | null> {
  if (process === null || !process.running) return null;
  return /^Mode: (\w+)/m.exec(await say(clientPort, 'srvr'))?.[1] ?? null;
}

/** What a server says to a four-letter word; nothing if it does not answer. */
function say(port: number, word: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write(word));
    let answer = '';
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
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
