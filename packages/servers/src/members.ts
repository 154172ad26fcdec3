import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './ports.js';
import { type SupervisedProcess, type SuperviseOptions, supervise } from './supervised.js';

/** Where everything listens. */
export const host = '127.0.0.1';

/** How to start one server of several, and how to tell that it is ready. */
export interface Member {
  readonly name: string;
  readonly command: string;
  readonly parameters: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Whose process it is; ours if left out. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The folder that it keeps its data in. */
  readonly dataDirectory: string;
  /** Whether it serves clients. */
  isServing(): Promise<boolean>;
}

/** What a member may use: a folder of its own, which does not exist yet, and free ports. */
export interface Place {
  readonly index: number;
  readonly name: string;
  readonly directory: string;
  readonly ports: readonly number[];
}

export interface MembersOptions<Each extends Member> {
  /** What they are called in messages: `etcd`. */
  readonly system: string;
  readonly count: number;
  readonly portsEach: number;
  /** Where their data go, in a folder of their own; the system's temporary directory if it is left out. */
  readonly directory?: string | undefined;
  /** How long each may take to serve; 20 s if it is left out. */
  readonly startWithinMs?: number;
  /** Lays out all members at once, since each must know of the others. */
  readonly layOut: (places: readonly Place[]) => Promise<readonly Each[]>;
}

const defaultStartWithinMs = 20_000;

/** Starts servers that belong together. They do not outlive this process, and leave nothing behind. */
export async function startMembers<Each extends Member>(
  options: MembersOptions<Each>,
): Promise<Members<Each>> {
  // Somebody else may take a free port before they do.
  for (let attempt = 1; ; attempt += 1) {
    const directory = await mkdtemp(
      join(options.directory ?? tmpdir(), `hustings-${options.system.toLowerCase()}-`),
    );
    const places = await placesIn(directory, options);
    const members = new Members(options, directory, await options.layOut(places));
    // All of them, so that none is still on its way up when the others are stopped.
    const starts = await Promise.allSettled(places.map(({ index }) => members.restart(index)));
    const failure = starts.find((start) => start.status === 'rejected');
    if (failure === undefined) return members;
    await members.stop();
    if (attempt === 3) throw failure.reason;
  }
}

/** Running servers, and the other programs of their test. */
export class Members<Each extends Member> {
  readonly all: readonly Each[];
  readonly #system: string;
  readonly #directory: string;
  readonly #startWithinMs: number;
  readonly #processes = new Map<Each, SupervisedProcess>();
  readonly #others: SupervisedProcess[] = [];

  constructor(
    { system, startWithinMs = defaultStartWithinMs }: Pick<MembersOptions<Each>, 'system' | 'startWithinMs'>,
    directory: string,
    all: readonly Each[],
  ) {
    this.#system = system;
    this.#startWithinMs = startWithinMs;
    this.#directory = directory;
    this.all = all;
  }

  at(index: number): Each {
    const member = this.all[index];
    if (member === undefined) throw new RangeError(`There is no member ${index} of ${this.#system}.`);
    return member;
  }

  isRunning(member: Each): boolean {
    return this.#processes.get(member)?.running ?? false;
  }

  /** Of its process; null when it is not running. */
  pid(index: number): number | null {
    const started = this.#processes.get(this.at(index));
    return started?.running ? started.pid : null;
  }

  async kill(index: number): Promise<void> {
    await this.#processes.get(this.at(index))?.stop();
  }

  signal(index: number, signal: NodeJS.Signals): void {
    this.#processes.get(this.at(index))?.signal(signal);
  }

  /** Starts it, again if need be, with the data that it had. Resolves once it serves clients. */
  async restart(index: number): Promise<void> {
    await this.kill(index);
    const member = this.at(index);
    const { command, parameters, env, user, dataDirectory } = member;
    const started = await supervise(command, parameters, {
      ...(env === undefined ? {} : { env }),
      // Another user may not be allowed into the folder that we are in.
      ...(user === undefined ? {} : { ...user, cwd: dataDirectory }),
    });
    this.#processes.set(member, started);
    await this.#untilServing(member, started);
  }

  /** Restarts all of them without the data that they had. */
  async loseData(): Promise<void> {
    await Promise.all(this.all.map((_, index) => this.kill(index)));
    await Promise.all(
      this.all.map(({ dataDirectory }) => rm(dataDirectory, { recursive: true, force: true })),
    );
    await Promise.all(this.all.map((_, index) => this.restart(index)));
  }

  /** Starts another program, which ends with the members at the latest. */
  async spawn(
    command: string,
    parameters: readonly string[],
    options: SuperviseOptions = {},
  ): Promise<SupervisedProcess> {
    const started = await supervise(command, parameters, options);
    this.#others.push(started);
    return started;
  }

  /** Kills everything and deletes its data. */
  async stop(): Promise<void> {
    await Promise.all([...this.#others, ...this.#processes.values()].map((each) => each.stop()));
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #untilServing(member: Each, started: SupervisedProcess): Promise<void> {
    const giveUpMs = performance.now() + this.#startWithinMs;
    while (!(started.running && (await member.isServing()))) {
      if (!started.running || performance.now() > giveUpMs) {
        const reason = started.running ? `did not serve within ${this.#startWithinMs} ms` : 'ended';
        throw new Error(`${member.name} of ${this.#system} ${reason}: ${started.lines.slice(-5).join('\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Servers of one system, as whoever tests with them handles them. */
export class ServerGroup<Each extends Member> {
  protected readonly members: Members<Each>;

  constructor(members: Members<Each>) {
    this.members = members;
  }

  killMember(index: number): Promise<void> {
    return this.members.kill(index);
  }

  pauseMember(index: number): void {
    this.members.signal(index, 'SIGSTOP');
  }

  resumeMember(index: number): void {
    this.members.signal(index, 'SIGCONT');
  }

  restartMember(index: number): Promise<void> {
    return this.members.restart(index);
  }

  loseData(): Promise<void> {
    return this.members.loseData();
  }

  stop(): Promise<void> {
    return this.members.stop();
  }
}

/** A server that is alone, as whoever tests with it handles it. */
export interface LoneServer {
  readonly url: string;
  /** Dies as if the machine had lost power; its data stay. */
  kill(): Promise<void>;
  /** Stops running, but keeps its connections, until resumed. */
  pause(): void;
  resume(): void;
  /** Starts it again with the data that it had. Resolves once it serves clients. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface LoneMember extends Member {
  readonly url: string;
}

export function loneServer(members: Members<LoneMember>): LoneServer {
  return {
    url: members.at(0).url,
    kill: () => members.kill(0),
    pause: () => members.signal(0, 'SIGSTOP'),
    resume: () => members.signal(0, 'SIGCONT'),
    restart: () => members.restart(0),
    stop: () => members.stop(),
  };
}

async function placesIn(
  directory: string,
  { count, portsEach }: Pick<MembersOptions<Member>, 'count' | 'portsEach'>,
): Promise<Place[]> {
  const ports = await freePorts(portsEach * count);
  return Array.from({ length: count }, (_, index) => ({
    index,
    name: `member-${index}`,
    directory: join(directory, `member-${index}`),
    ports: ports.slice(portsEach * index, portsEach * (index + 1)),
  }));
}
