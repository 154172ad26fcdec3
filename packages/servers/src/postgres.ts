import { execFile } from 'node:child_process';
import { access, chown, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { host, type Member, type Members, type Place, startMembers } from './members.js';

export interface PostgresOptions {
  /** Where to make a folder for the data. Default: the system's temporary directory. */
  readonly directory?: string;
  /** Settings of the server, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where `initdb` and `postgres` are. Default: the newest that Debian has installed, or those on the PATH. */
  readonly programs?: string;
}

export interface PostgresServer {
  readonly port: number;
  /** With its user and database, neither of which asks for a password. */
  readonly url: string;
  /** It and all its sessions die as if the machine had lost power; the data stay. */
  kill(): Promise<void>;
  /** It and all its sessions stop running, but keep their connections, until resumed. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Starts it, again if need be, with the data that it had. Resolves once it serves clients. */
  restart(): Promise<void>;
  /** Kills it and deletes its data. */
  stop(): Promise<void>;
}

/** A user that is not root. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

const run = promisify(execFile);
const advice = "run 'apt-get install postgresql', or put its programs on the PATH";

/** A real PostgreSQL on the loopback interface, on a free port and with temporary data. It does not outlive the test. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const programs = await findPrograms(options.programs);
  const user = await unprivileged();
  const members = await startMembers({
    system: 'PostgreSQL',
    count: 1,
    portsEach: 1,
    directory: options.directory,
    layOut: (places) => Promise.all(places.map((place) => layOut(place, { ...options, programs, user }))),
  });
  return new Server(members);
}

class Server implements PostgresServer {
  readonly #members: Members<PostgresMember>;

  constructor(members: Members<PostgresMember>) {
    this.#members = members;
  }

  get port(): number {
    return this.#members.at(0).port;
  }

  get url(): string {
    return `postgres://postgres@${host}:${this.port}/postgres`;
  }

  async kill(): Promise<void> {
    // Stopped, it starts no further sessions while those that it has are killed.
    await this.#signal('SIGSTOP', 'SIGKILL');
    await this.#members.kill(0);
  }

  pause(): Promise<void> {
    return this.#signal('SIGSTOP', 'SIGSTOP');
  }

  resume(): Promise<void> {
    return this.#signal('SIGCONT', 'SIGCONT');
  }

  async restart(): Promise<void> {
    await this.kill();
    // It would take a former self that is dead, but that nobody has asked for its exit code, for a living one.
    await rm(join(this.#members.at(0).dataDirectory, 'postmaster.pid'), { force: true });
    await this.#members.restart(0);
  }

  async stop(): Promise<void> {
    await this.kill();
    await this.#members.stop();
  }

  /** Each session is a process of its own. */
  async #signal(toServer: NodeJS.Signals, toSessions: NodeJS.Signals): Promise<void> {
    const pid = this.#members.pid(0);
    if (pid === null) return;
    process.kill(pid, toServer);
    for (const session of await childrenOf(pid)) killIfThere(session, toSessions);
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const numbers = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return numbers.split(' ').filter(Boolean).map(Number);
}

function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // That session has just ended.
  }
}

interface PostgresMember extends Member {
  readonly port: number;
}

interface LayOutOptions extends PostgresOptions {
  readonly programs: string;
  readonly user: User | null;
}

async function layOut(
  place: Place,
  { programs, user, settings = {} }: LayOutOptions,
): Promise<PostgresMember> {
  const { name, directory, ports } = place;
  const [port = 0] = ports;
  await mkdir(directory, { mode: 0o700 });
  // The folder above was made for us alone; the server has to pass through it.
  if (user !== null)
    for (const each of [dirname(directory), directory]) await chown(each, user.uid, user.gid);
  const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  await run(join(programs, 'initdb'), ['-D', directory, ...flags], { ...user, cwd: directory });
  const all = { ...defaultSettings, ...settings };
  return {
    name,
    port,
    command: join(programs, 'postgres'),
    dataDirectory: directory,
    parameters: [
      ...['-D', directory, '-p', `${port}`],
      ...Object.entries(all).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]),
    ],
    ...(user === null ? {} : { user }),
    isServing: () => isServing(port),
  };
}

const defaultSettings = {
  // What a process has written survives its death; after one, this saves seconds of flushing.
  fsync: 'off',
  listen_addresses: host,
  unix_socket_directories: '',
  shared_buffers: '16MB',
  // In its own folder, so that nothing of it is left behind when it is killed.
  dynamic_shared_memory_type: 'mmap',
};

/** It refuses to run as root, so root runs it as Debian's user for it, or else as nobody. */
async function unprivileged(): Promise<User | null> {
  if (process.getuid?.() !== 0) return null;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const found = ['postgres', 'nobody'].flatMap((name) => users.filter(([each]) => each === name))[0];
  if (found === undefined) throw new Error('PostgreSQL does not run as root, and there is no user nobody.');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

async function findPrograms(given: string | undefined): Promise<string> {
  const candidates = given === undefined ? await usualFolders() : [given];
  for (const directory of candidates) if (await hasPrograms(directory)) return directory;
  throw new Error(`PostgreSQL is not installed: ${advice}.`);
}

/** Debian keeps them off the PATH, in a folder for each version. */
async function usualFolders(): Promise<string[]> {
  const { PATH = '' } = process.env;
  const versions = '/usr/lib/postgresql';
  const names = await readdir(versions).catch(() => []);
  const newestFirst = names
    .toSorted((a, b) => Number(b) - Number(a))
    .map((name) => join(versions, name, 'bin'));
  return [...newestFirst, ...PATH.split(':')];
}

async function hasPrograms(directory: string): Promise<boolean> {
  try {
    await Promise.all(['initdb', 'postgres'].map((name) => access(join(directory, name))));
    return true;
  } catch {
    return false;
  }
}

/** Protocol 3.0, and the user; 'R' says that it is let in, 'E' that the server is still starting. */
function isServing(port: number): Promise<boolean> {
  const body = Buffer.from('\0\x03\0\0user\0postgres\0\0', 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write(Buffer.concat([length, body])));
    const answer = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.setTimeout(1000, () => answer(false));
    socket.once('data', (chunk) => answer(chunk[0] === 'R'.charCodeAt(0)));
    socket.on('error', () => answer(false));
    socket.on('close', () => answer(false));
  });
}
