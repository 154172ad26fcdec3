import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToGuardian } from './guardian-process.js';

/** CLOCK_MONOTONIC, which all processes of a machine share. A double holds it to the microsecond for centuries. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** One running process that is told what to do. */
export interface StartedProcess<To> {
  readonly pid: number;
  tell(message: To): void;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves once it is gone. A stopped process dies of it, too. */
  kill(): Promise<void>;
  /** A process that it has started itself, which is to be killed and stopped with it. */
  accompany(pid: number): void;
}

export interface ProcessEvents<From> {
  received(message: From): void;
  /** It ended although nobody killed it. */
  failed(exitCode: number | null): void;
}

/**
 * Every process that a live run starts, and a directory for their files. None of it outlives the run: `close` ends
 * them all, an exit of this process ends them all, and if it cannot, the guardian does, which also clears away.
 */
export class Processes {
  readonly directory: string;
  readonly #guardian: ChildProcess;
  readonly #running = new Map<Running, Promise<void>>();
  readonly #onExit = () => this.#killAll();

  /** `name` is what the directory's name begins with. */
  static async open(name: string): Promise<Processes> {
    return new Processes(await mkdtemp(join(tmpdir(), `${name}-`)));
  }

  private constructor(directory: string) {
    this.directory = directory;
    this.#guardian = forkScript(new URL('./guardian-process.js', import.meta.url));
    this.#tellGuardian({ type: 'clear-away', directory });
    process.on('exit', this.#onExit);
  }

  /** `first` is what it is told first. Everything goes over an IPC channel that can carry bigints. */
  start<To extends object, From>(script: URL, first: To, events: ProcessEvents<From>): StartedProcess<To> {
    const child = forkScript(script);
    const { pid } = child;
    if (pid === undefined) throw new Error('The operating system would not start another process.');
    this.#tellGuardian({ type: 'watch', pid });
    const running: Running = { child, companions: new Set() };
    let killed = false;
    const gone = new Promise<void>((resolve) => {
      child.once('exit', (exitCode) => {
        this.#bury(running, pid);
        if (!killed) events.failed(exitCode);
        resolve();
      });
    });
    this.#running.set(running, gone);
    child.on('message', (message) => events.received(message as From));
    const tell = (message: To) => void child.send(message, () => {});
    tell(first);
    return {
      pid,
      tell,
      signal: (name) => signalAll(running, name),
      kill() {
        killed = true;
        signalAll(running, 'SIGKILL');
        return gone;
      },
      accompany: (companion) => this.#accompany(running, companion),
    };
  }

  #bury(running: Running, pid: number): void {
    signalCompanions(running, 'SIGKILL');
    this.#running.delete(running);
    for (const each of [pid, ...running.companions]) this.#tellGuardian({ type: 'forget', pid: each });
  }

  #accompany(running: Running, pid: number): void {
    running.companions.add(pid);
    this.#tellGuardian({ type: 'watch', pid });
    // It may have been started by a process that has been killed since.
    if (!this.#running.has(running)) signalCompanions(running, 'SIGKILL');
  }

  /** A disk of its own, of this size, below `directory`. False where that takes rights which this process lacks. */
  mountDisk(name: string, bytes: number): boolean {
    const path = join(this.directory, name);
    mkdirSync(path, { recursive: true });
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path]);
    if (status === 0) this.#tellGuardian({ type: 'unmount', directory: path });
    return status === 0;
  }

  async close(): Promise<void> {
    this.#killAll();
    await Promise.all(this.#running.values());
    const gone = new Promise((resolve) => this.#guardian.once('exit', resolve));
    if (this.#guardian.connected) this.#guardian.disconnect();
    if (this.#guardian.exitCode === null && this.#guardian.signalCode === null) await gone;
    process.off('exit', this.#onExit);
  }

  #killAll(): void {
    for (const running of this.#running.keys()) signalAll(running, 'SIGKILL');
  }

  #tellGuardian(message: ToGuardian): void {
    if (this.#guardian.connected) this.#guardian.send(message, () => {});
  }
}

interface Running {
  readonly child: ChildProcess;
  /** What it has started itself, by number. */
  readonly companions: Set<number>;
}

/** What a process has started does the work, so it is struck first. */
function signalAll(running: Running, signal: NodeJS.Signals): void {
  signalCompanions(running, signal);
  running.child.kill(signal);
}

function signalCompanions({ companions }: Running, signal: NodeJS.Signals): void {
  for (const pid of companions) {
    try {
      process.kill(pid, signal);
    } catch {
      companions.delete(pid); // It has ended by itself.
    }
  }
}

function forkScript(script: URL): ChildProcess {
  return fork(fileURLToPath(script), {
    execArgv: [],
    // What gRPC has to say about connections is what the run does to them.
    env: { ...process.env, GRPC_VERBOSITY: 'NONE' },
    // Tokens are bigints, which JSON cannot carry.
    serialization: 'advanced',
    // Standard output belongs to the results.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
