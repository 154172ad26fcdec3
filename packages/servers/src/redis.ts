import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { host, type Member, type Place, ServerGroup, startMembers } from './members.js';

export interface RedisOptions {
  /** How many, which know nothing of each other. Default 1. */
  readonly members?: number;
  /** Where to make a folder for the data. Default: the system's temporary directory. */
  readonly directory?: string;
  /**
   * Default `always`: what was answered is on disk. `no`: a member that is killed comes back with nothing, as a cache
   * does.
   */
  readonly durability?: 'always' | 'no';
}

export interface RedisServers {
  /** One a member. */
  readonly urls: readonly string[];
  readonly ports: readonly number[];
  /** Dies as if the machine had lost power; its data stay. */
  killMember(index: number): Promise<void>;
  /** Stops running, but keeps its connections, until resumed. */
  pauseMember(index: number): void;
  resumeMember(index: number): void;
  /** Starts a member that was killed, with the data that it had. Resolves once it serves clients. */
  restartMember(index: number): Promise<void>;
  /** Runs `redis-cli` against one member and returns what it prints: `cli(1, 'REPLICAOF', 'NO', 'ONE')`. */
  cli(index: number, ...parameters: readonly string[]): Promise<string>;
  /** Kills every member and deletes its data. */
  stop(): Promise<void>;
}

const run = promisify(execFile);

/**
 * Real Redis on the loopback interface, on free ports and with temporary data. It does not outlive the test. Each member
 * is on its own: `cli` makes one the replica of another, through a proxy if need be.
 */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServers> {
  const program = await findProgram();
  const members = await startMembers({
    system: 'Redis',
    count: options.members ?? 1,
    portsEach: 1,
    directory: options.directory,
    layOut: (places) =>
      Promise.all(places.map((place) => layOut(place, program, options.durability ?? 'always'))),
  });
  return new Servers(members);
}

class Servers extends ServerGroup<RedisMember> implements RedisServers {
  get ports(): readonly number[] {
    return this.members.all.map(({ port }) => port);
  }

  get urls(): readonly string[] {
    return this.ports.map((port) => `redis://${host}:${port}`);
  }

  cli(index: number, ...parameters: readonly string[]): Promise<string> {
    return ask(this.members.at(index).port, parameters);
  }
}

interface RedisMember extends Member {
  readonly port: number;
}

async function layOut(
  { name, directory, ports: [port = 0] }: Place,
  program: string,
  durability: 'always' | 'no',
): Promise<RedisMember> {
  await mkdir(directory);
  // Debian's tools and the server are one program, which goes by the name that it is called.
  const command = join(directory, 'redis-server');
  await symlink(program, command);
  const persistence = durability === 'always' ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
  return {
    name,
    port,
    command,
    dataDirectory: directory,
    parameters: [
      ...['--port', `${port}`, '--bind', host, '--dir', directory],
      ...['--save', '', '--daemonize', 'no', '--loglevel', 'warning'],
      // A replica is of use at once, not after the seconds in which others might join.
      ...['--repl-diskless-sync-delay', '0'],
      ...persistence,
    ],
    isServing: async () => (await ask(port, ['PING']).catch(() => '')) === 'PONG',
  };
}

async function ask(port: number, parameters: readonly string[]): Promise<string> {
  const { stdout } = await run('redis-cli', ['-h', host, '-p', `${port}`, ...parameters], { timeout: 2000 });
  return stdout.trim();
}

async function findProgram(): Promise<string> {
  const { HUSTINGS_REDIS_SERVER } = process.env;
  if (HUSTINGS_REDIS_SERVER !== undefined) return HUSTINGS_REDIS_SERVER;
  for (const name of ['redis-server', 'redis-check-rdb', 'valkey-server']) {
    const found = await run('which', [name]).catch(() => null);
    if (found !== null) return found.stdout.trim();
  }
  const advice = "run 'apt-get install redis-tools', or put redis-server and redis-cli on the PATH";
  throw new Error(`Redis is not installed: ${advice}.`);
}
