import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { host, type Member, type Place, ServerGroup, startMembers } from './members.js';

export interface ZooKeeperTls {
  /** The member's certificate and its key, both in one PEM file. */
  readonly certificateAndKeyFile: string;
  /** The authority whose certificates are trusted. */
  readonly caFile: string;
  /** Whether clients must show a certificate of that authority. */
  readonly clientCertificates?: boolean;
}

export interface ZooKeeperEnsembleOptions {
  /** Default 1. */
  readonly members?: number;
  /** Default 200: sessions of 400 ms to 4 s. ZooKeeper's sample configuration has 2000. */
  readonly tickMs?: number;
  /** How many ticks a member may be out of touch with its leader. Default 5. */
  readonly syncLimit?: number;
  /** Members listen for encrypted connections as well: see `secureHosts`. */
  readonly tls?: ZooKeeperTls;
  /** Where to make a folder for the data. Default: the system's temporary directory. */
  readonly directory?: string;
  /** Further lines of the configuration, such as `minSessionTimeout=400`. */
  readonly configuration?: readonly string[];
  /** Further properties of the virtual machine, such as `-Dznode.container.checkIntervalMs=500`. */
  readonly properties?: readonly string[];
}

export interface ZooKeeperEnsemble {
  /** All members, as clients take them: `127.0.0.1:2181,127.0.0.1:2182`. */
  readonly hosts: string;
  /** The same for encrypted connections, where `tls` was given. */
  readonly secureHosts: string;
  /** The address of each member. */
  readonly addresses: readonly string[];
  /** Dies as if the machine had lost power; its data stays. */
  killMember(index: number): Promise<void>;
  /** Stops running, but keeps its connections, until resumed. */
  pauseMember(index: number): void;
  resumeMember(index: number): void;
  /** Starts a member that was killed, with the data that it had. Resolves once it serves clients. */
  restartMember(index: number): Promise<void>;
  /** Kills every member, deletes its data, and starts them again. Resolves once they serve clients. */
  loseData(): Promise<void>;
  /** Which member leads the others; the only one leads itself. -1 while there is no leader. */
  leader(): Promise<number>;
  /** Sends a member one of ZooKeeper's four-letter words, such as `mntr`, and returns what it says. */
  ask(index: number, word: string): Promise<string>;
  /** Kills every member and deletes its data. */
  stop(): Promise<void>;
}

const run = promisify(execFile);
const libraries = '/usr/share/java';
const jar = (name: string): string => `${libraries}/${name}.jar`;
const serverJar = jar('zookeeper');
export const clientClassPath = [
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
  .map(jar)
  .join(':');
/** The server's jar names most of what it needs by itself, but not all that encryption takes. */
const serverClassPath = [
  serverJar,
  ...['netty-codec', 'netty-resolver', 'netty-transport-native-unix-common', 'slf4j-nop'].map(jar),
].join(':');
/** Quick to start, and small: several of them share a machine with the tests. */
export const machineFlags = ['-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];

/** A real ensemble on the loopback interface, on free ports and with temporary data. It does not outlive the test. */
export async function startZooKeeperEnsemble(
  options: ZooKeeperEnsembleOptions = {},
): Promise<ZooKeeperEnsemble> {
  await requireZooKeeper();
  const members = await startMembers({
    system: 'ZooKeeper',
    count: options.members ?? 1,
    portsEach: 4,
    directory: options.directory,
    layOut: (places) => Promise.all(places.map((place) => layOut(place, places, options))),
  });
  return new Ensemble(members);
}

async function requireZooKeeper(): Promise<void> {
  try {
    await Promise.all([run('java', ['-version']), access(serverJar)]);
  } catch (cause) {
    const advice = "run 'apt-get install zookeeper default-jre-headless libcurator-recipes-java'";
    throw new Error(`ZooKeeper or Java is not installed: ${advice}.`, { cause });
  }
}

interface ZooKeeperMember extends Member {
  readonly clientPort: number;
  readonly securePort: number;
}

class Ensemble extends ServerGroup<ZooKeeperMember> implements ZooKeeperEnsemble {
  get addresses(): readonly string[] {
    return this.members.all.map(({ clientPort }) => `${host}:${clientPort}`);
  }

  get hosts(): string {
    return this.addresses.join(',');
  }

  get secureHosts(): string {
    return this.members.all.map(({ securePort }) => `${host}:${securePort}`).join(',');
  }

  async leader(): Promise<number> {
    const modes = await Promise.all(
      this.members.all.map((member) => (this.members.isRunning(member) ? modeOf(member.clientPort) : null)),
    );
    return modes.findIndex((mode) => mode === 'leader' || mode === 'standalone');
  }

  ask(index: number, word: string): Promise<string> {
    return say(this.members.at(index).clientPort, word);
  }
}

async function layOut(
  { name, directory, ports, index }: Place,
  places: readonly Place[],
  options: ZooKeeperEnsembleOptions,
): Promise<ZooKeeperMember> {
  const { tickMs = 200, syncLimit = 5, tls, configuration = [], properties = [] } = options;
  const [clientPort = 0, , , securePort = 0] = ports;
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
    ...(places.length === 1 ? [] : places.map(serverLine)),
    ...(tls === undefined ? [] : secureLines(securePort, tls)),
    ...configuration,
  ];
  const configurationFile = join(directory, 'zoo.cfg');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'myid'), `${index + 1}\n`);
  await writeFile(configurationFile, `${lines.join('\n')}\n`);
  return {
    name,
    clientPort,
    securePort,
    command: 'java',
    // Beside it are its configuration and its number, which are no data.
    dataDirectory: join(directory, 'version-2'),
    parameters: [
      ...machineFlags,
      // Members that miss each other's votes on a busy machine repeat them ever less often, down to once a minute.
      '-Dzookeeper.fastleader.maxNotificationInterval=500',
      ...properties,
      '-cp',
      serverClassPath,
      'org.apache.zookeeper.server.quorum.QuorumPeerMain',
      configurationFile,
    ],
    isServing: async () => (await modeOf(clientPort)) !== null,
  };
}

const secureLines = (
  securePort: number,
  { certificateAndKeyFile, caFile, clientCertificates = false }: ZooKeeperTls,
): string[] => [
  `secureClientPort=${securePort}`,
  `secureClientPortAddress=${host}`,
  // The default one does not encrypt.
  'serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory',
  'ssl.keyStore.type=PEM',
  `ssl.keyStore.location=${certificateAndKeyFile}`,
  'ssl.trustStore.type=PEM',
  `ssl.trustStore.location=${caFile}`,
  `ssl.clientAuth=${clientCertificates ? 'need' : 'none'}`,
];

const serverLine = ({ index, ports: [, peer, election] }: Place): string =>
  `server.${index + 1}=${host}:${peer}:${election}`;

/** `leader`, `follower`, `standalone` or `read-only`; null for a member that does not serve clients. */
async function modeOf(clientPort: number): Promise<string | null> {
  return /^Mode: ([\w-]+)/m.exec(await say(clientPort, 'srvr'))?.[1] ?? null;
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
