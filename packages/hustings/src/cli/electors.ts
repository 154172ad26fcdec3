/** The electors by their flags. A further one is a row of this table. */

import { hostname } from 'node:os';
import { type HustingsElector, InvalidOptionError, type Logger, type TimingsName } from '../index.js';
import { address, contents, type Flags, type FlagTable, list, text, UsageError } from './usage.js';

export interface ChosenElector {
  readonly elector: HustingsElector;
  readonly id: string;
  readonly election: string | null;
  /** Starts it. Rejects with `UsageError`: a port that is taken, a directory that another process holds. */
  readonly start: () => Promise<void>;
}

interface Common {
  readonly id: string;
  readonly timings: TimingsName | undefined;
  readonly logger: Logger;
}

interface Row {
  /** Its own flag, which chooses it. */
  readonly takes: string;
  readonly about: string;
  /** The other flags that mean something to it. */
  readonly flags: readonly string[];
  /** What its option is called that the own flag stands for. */
  readonly option: string;
  readonly open: (flags: Flags, common: Common) => Promise<HustingsElector>;
}

const servers = ['election', 'user', 'password-file', 'tls-ca', 'tls-cert', 'tls-key'];
const nodes = ['election', 'peers', 'directory', 'secret-file', 'tls-ca', 'tls-cert', 'tls-key'];

// What is missing is refused by the elector itself, which is why the types are asserted.
const rows = {
  etcd: {
    takes: 'URLS',
    about: 'elect on etcd: its addresses, with commas between',
    flags: servers,
    option: 'hosts',
    open: async (flags, common) => {
      const { etcdElector } = await import('../etcd.js');
      return etcdElector({ ...common, ...coordinatorOptions('etcd', flags) });
    },
  },
  zookeeper: {
    takes: 'HOSTS',
    about: 'elect on ZooKeeper: host:port of its members, with commas between',
    flags: servers,
    option: 'hosts',
    open: async (flags, common) => {
      const { zookeeperElector } = await import('../zookeeper.js');
      return zookeeperElector({ ...common, ...coordinatorOptions('zookeeper', flags) });
    },
  },
  postgres: {
    takes: 'URL',
    about: "elect on PostgreSQL, with the package 'pg' installed: postgres://host/database",
    flags: ['election', 'user', 'password-file'],
    option: 'client',
    open: async (flags, common) => {
      const url = urlOf(flags, 'postgres', ['postgres:', 'postgresql:']);
      const { postgresElector } = await import('../postgres.js');
      const { Pool } = (await driver('postgres', 'pg', () => import('pg'))).default;
      const { username: user, password } = loginBesides(flags);
      const pool = new Pool({ connectionString: url, ...given({ user, password }) });
      // An idle connection that breaks is replaced; unheard, its error would end this process.
      pool.on('error', () => {});
      return postgresElector({ ...common, election: text(flags, 'election')!, client: pool });
    },
  },
  redis: {
    takes: 'URL',
    about: "elect on Redis or Valkey, with the package 'ioredis' installed: redis://host",
    flags: ['election', 'user', 'password-file'],
    option: 'client',
    open: async (flags, common) => {
      const url = urlOf(flags, 'redis', ['redis:', 'rediss:']);
      const { redisElector } = await import('../redis.js');
      const { Redis } = await driver('redis', 'ioredis', () => import('ioredis'));
      const client = new Redis(url, given(loginBesides(flags)));
      client.on('error', sayOnce('Redis'));
      return redisElector({ ...common, election: text(flags, 'election')!, client });
    },
  },
  dynamodb: {
    takes: 'TABLE',
    about: "elect on DynamoDB, with the package '@aws-sdk/client-dynamodb' installed: its table",
    flags: ['election'],
    option: 'table',
    open: async (flags, common) => {
      const { DynamoDBClient } = await driver(
        'dynamodb',
        '@aws-sdk/client-dynamodb',
        () => import('@aws-sdk/client-dynamodb'),
      );
      // Region and credentials are where every program of Amazon's looks for them.
      const client = new DynamoDBClient({});
      await client.config.region().catch(() => {
        throw new UsageError('--dynamodb needs a region: set AWS_REGION, or a profile that has one.');
      });
      const { dynamodbElector } = await import('../dynamodb.js');
      const [election, table] = [text(flags, 'election')!, text(flags, 'dynamodb')!];
      return dynamodbElector({ ...common, election, client, table });
    },
  },
  consul: {
    takes: 'URLS',
    about: 'elect on Consul: addresses of agents, with commas between',
    flags: ['election', 'acl-token-file'],
    option: 'hosts',
    open: async (flags, common) => {
      const { consulElector } = await import('../consul.js');
      const token = line(flags, 'acl-token-file');
      return consulElector({
        ...common,
        election: text(flags, 'election')!,
        hosts: list(flags, 'consul'),
        auth: token === undefined ? undefined : { token },
      });
    },
  },
  local: {
    takes: 'DIRECTORY',
    about: 'elect among the processes of this machine: where the tokens are kept',
    flags: ['election'],
    option: 'directory',
    open: async (flags, common) => {
      const { localElector } = await import('../local.js');
      return localElector({
        ...common,
        election: text(flags, 'election')!,
        directory: text(flags, 'local'),
      });
    },
  },
  kubernetes: {
    takes: 'NAMESPACE',
    about: 'elect by a Lease of Kubernetes, in this namespace',
    flags: ['election'],
    option: 'namespace',
    open: async (flags, common) => {
      const { kubernetesElector } = await import('../kubernetes.js');
      return kubernetesElector({
        ...common,
        election: text(flags, 'election')!,
        namespace: text(flags, 'kubernetes'),
      });
    },
  },
  raft: {
    takes: 'HOST:PORT',
    about: 'elect by Raft among --peers: where this node listens',
    flags: nodes,
    option: 'listen',
    open: async (flags, common) => {
      const { raftElector } = await import('../raft.js');
      return raftElector({ ...common, ...peerOptions('raft', flags, common) });
    },
  },
  bully: {
    takes: 'HOST:PORT',
    about: 'elect by bully, which may elect two leaders: where this node listens',
    flags: nodes,
    option: 'listen',
    open: async (flags, common) => {
      const { bullyElector } = await import('../bully.js');
      return bullyElector({ ...common, ...peerOptions('bully', flags, common) });
    },
  },
  ring: {
    takes: 'HOST:PORT',
    about: 'elect by ring, which may elect two leaders: where this node listens',
    flags: nodes,
    option: 'listen',
    open: async (flags, common) => {
      const { ringElector } = await import('../ring.js');
      return ringElector({ ...common, ...peerOptions('ring', flags, common) });
    },
  },
} satisfies Record<string, Row>;

const table: Readonly<Record<string, Row>> = rows;
const names = Object.keys(table);

const sharedFlags: FlagTable = {
  id: { takes: 'NAME', about: 'what this node is called (default: the name of this host)' },
  election: { takes: 'NAME', about: 'candidates of one name compete' },
  timings: {
    takes: 'lan|wan|fast',
    about: 'how patient to be: slower failover, or less tolerance (default lan)',
  },
  peers: {
    takes: 'ID=URL,…',
    about: 'all nodes, such as node-2=ws://10.0.0.2:7000; the entry of this node is ignored',
  },
  directory: { takes: 'PATH', about: 'where this node keeps what it must not forget' },
  'secret-file': { takes: 'FILE', about: 'holds the secret that all nodes share' },
  user: { takes: 'NAME', about: 'a user of the server' },
  'password-file': { takes: 'FILE', about: "holds the user's password" },
  'acl-token-file': { takes: 'FILE', about: 'holds an ACL token of Consul' },
  'tls-ca': { takes: 'FILE', about: 'whom to trust, in PEM' },
  'tls-cert': { takes: 'FILE', about: "this node's certificate, in PEM" },
  'tls-key': { takes: 'FILE', about: 'its key, in PEM' },
};

/** They mean something to every elector. */
const forAll = new Set(['id', 'timings']);

export const electorFlags: FlagTable = {
  ...Object.fromEntries(Object.entries(table).map(([name, { takes, about }]) => [name, { takes, about }])),
  ...sharedFlags,
};

/** Opens what the flags ask for; nothing has started yet. */
export async function chooseElector(flags: Flags): Promise<ChosenElector> {
  const [name, { open, option }] = chosenRow(flags);
  const inOurs = (message: string): string => inFlags(message, { name, option });
  const logger = electorLog(inOurs);
  const id = text(flags, 'id') ?? hostname();
  // Whether there are such timings is checked by the elector.
  const timings = text(flags, 'timings') as TimingsName | undefined;
  const elector = await open(flags, { id, timings, logger }).catch((error) => {
    throw error instanceof InvalidOptionError ? new UsageError(inOurs(error.message)) : error;
  });
  const start = async () => {
    await elector.start().catch((error: Error) => {
      throw new UsageError(inOurs(error.message));
    });
    logger.started();
  };
  return { elector, id, election: text(flags, 'election') ?? null, start };
}

/** On standard error, in flags. Errors wait until it has started: why it has not is said by whoever started it. */
function electorLog(inOurs: (message: string) => string): Logger & { started(): void } {
  let errors: string[] | null = [];
  const write = (line: string): void => void process.stderr.write(`${inOurs(line)}\n`);
  return {
    info: write,
    warn: write,
    error: (line) => (errors === null ? write(line) : void errors.push(line)),
    started() {
      errors?.forEach(write);
      errors = null;
    },
  };
}

/** Refuses an elector that cannot be seen from outside: its nodes know of each other, and of nobody else. */
export function checkObservable(flags: Flags): void {
  const [name, { option }] = chosenRow(flags);
  if (option !== 'listen') return;
  throw new UsageError(`Nodes of --${name} are observed by way of one of them: --sidecar URL.`);
}

function chosenRow(flags: Flags): readonly [string, Row] {
  const chosen = names.filter((name) => flags[name] !== undefined);
  const [name, second] = chosen;
  if (name === undefined) {
    throw new UsageError(`Say how to elect: one of ${names.map((each) => `--${each}`).join(', ')}.`);
  }
  if (second !== undefined) throw new UsageError(`--${name} and --${second}: choose one of them.`);
  const row = table[name]!;
  const stranger = Object.keys(sharedFlags).find(
    (flag) => !forAll.has(flag) && flags[flag] !== undefined && !row.flags.includes(flag),
  );
  if (stranger !== undefined) throw new UsageError(`--${stranger} means nothing to --${name}; leave it out.`);
  return [name, row];
}

/** The elector's own sentence, in the words of the command line: `etcdElector: option 'hosts' …`, or `check 'hosts'`. */
export function inFlags(message: string, { name, option }: { name: string; option: string }): string {
  const flagOf: Record<string, string> = {
    [option]: name,
    secret: 'secret-file',
    auth: name === 'consul' ? 'acl-token-file' : 'user',
    ...{ tls: 'tls-ca', ca: 'tls-ca', cert: 'tls-cert', key: 'tls-key' },
  };
  return (
    message
      .replace(/^\w+: (option 'tls' is not right: )?/, '')
      .replace(/option '(\w+)'/g, (_words, given: string) => `--${flagOf[given] ?? given}`)
      .replace(/'(\w+)'/g, (word, given: string) =>
        Object.hasOwn(flagOf, given) ? `--${flagOf[given]}` : word,
      )
      .replace(/\btls\.(ca|cert|key)\b/g, '--tls-$1')
      // Of single settings there are no flags.
      .replace(/\btimings: '(\w+)', or a longer \w+( \([^)]*\))?/g, '--timings $1')
      .replace(' (connectTimeoutMs)', '')
  );
}

function coordinatorOptions(name: string, flags: Flags) {
  const { username, password } = login(flags);
  return {
    election: text(flags, 'election')!,
    hosts: list(flags, name)!,
    tls: tlsOptions(flags),
    auth: username === undefined ? undefined : { username, password: password! },
  };
}

type Login = Readonly<Record<'username' | 'password', string | undefined>>;

/** Either may be in the address instead, and a Redis with a password alone has no users. */
function loginBesides(flags: Flags): Login {
  return { username: text(flags, 'user'), password: line(flags, 'password-file') };
}

function login(flags: Flags): Login {
  const { username, password } = loginBesides(flags);
  if ((username === undefined) !== (password === undefined))
    throw new UsageError('--user and --password-file go together; give both or neither.');
  return { username, password };
}

/** A client that the user has to install: most users need one of them at most. */
async function driver<Module>(flag: string, name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    throw new UsageError(`--${flag} needs the package '${name}': install it beside hustings.`);
  }
}

/** This client waits instead of failing, so the elector hears nothing but silence; this is why. */
function sayOnce(server: string): (error: Error & { readonly code?: string }) => void {
  let last = '';
  return ({ message, code }) => {
    const reason = message || `${code}`;
    if (reason !== last) process.stderr.write(`hustings: ${server}: ${reason.replace(/\.$/, '')}.\n`);
    last = reason;
  };
}

/** Clients take what is no address for the name of a host, or of a database. */
function urlOf(flags: Flags, name: string, schemes: readonly string[]): string {
  const url = text(flags, name)!;
  if (URL.canParse(url) && schemes.includes(new URL(url).protocol)) return url;
  throw new UsageError(`--${name} takes an address such as ${schemes[0]}//10.0.0.1, not '${url}'.`);
}

/** Without what is undefined: clients take that for a value. */
function given(options: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(entries);
}

function peerOptions(name: string, flags: Flags, { id }: Common) {
  return {
    election: text(flags, 'election'),
    listen: address(flags, name)!,
    peers: peersOf(flags, id),
    directory: text(flags, 'directory')!,
    secret: line(flags, 'secret-file')!,
    tls: tlsOptions(flags),
  };
}

/** Editors end a file with a newline, which is no part of a secret. */
const line = (flags: Flags, name: string): string | undefined => contents(flags, name)?.replace(/\r?\n$/, '');

/** One list serves all nodes: the node that reads it leaves itself out. */
function peersOf(flags: Flags, id: string): Record<string, string> {
  const form = 'node-2=ws://10.0.0.2:7000,node-3=…';
  const given = list(flags, 'peers');
  if (given === undefined) {
    throw new UsageError(`--peers is missing: ${form}, the other nodes and their addresses.`);
  }
  const entries = given.map((entry) => {
    const [, peer, url] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    if (peer !== undefined && url !== undefined) return [peer, url] as const;
    throw new UsageError(`--peers takes ${form}, not '${entry}'.`);
  });
  return Object.fromEntries(entries.filter(([peer]) => peer !== id));
}

function tlsOptions(flags: Flags) {
  const [ca, cert, key] = ['tls-ca', 'tls-cert', 'tls-key'].map((name) => contents(flags, name));
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--tls-cert and --tls-key go together; give both or neither.');
  return ca === undefined && cert === undefined && key === undefined ? undefined : { ca, cert, key };
}
