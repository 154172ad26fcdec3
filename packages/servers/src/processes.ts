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
  readonly #running = new Map<ChildProcess, Promise<void>>();
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
    let killed = false;
    const gone = new Promise<void>((resolve) => {
      child.once('exit', (exitCode) => {
        this.#running.delete(child);
        this.#tellGuardian({ type: 'forget', pid });
        if (!killed) events.failed(exitCode);
        resolve();
      });
    });
    this.#running.set(child, gone);
    child.on('message', (message) => events.received(message as From));
    const tell = (message: To) => void child.send(message, () => {});
    tell(first);
    return {
      pid,
      tell,
      signal: (name) => void child.kill(name),
      kill() {
        killed = true;
        child.kill('SIGKILL');
        return gone;
      },
    };
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
    for (const child of this.#running.keys()) child.kill('SIGKILL');
  }

  #tellGuardian(message: ToGuardian): void {
    if (this.#guardian.connected) this.#guardian.send(message, () => {});
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
