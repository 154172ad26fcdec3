import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CalibrationSettings, FromCalibration, ToCalibration } from './calibration-process.js';
import type { ToGuardian } from './guardian-process.js';
import type { FromNode, NodeSettings, ToNode } from './messages.js';

/** One running process that is told what to do. */
export interface StartedProcess<To> {
  readonly pid: number;
  tell(message: To): void;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves once it is gone. A stopped process dies of it, too. */
  kill(): Promise<void>;
}

export type NodeProcess = StartedProcess<ToNode>;

export interface ProcessEvents<From> {
  received(message: From): void;
  /** It ended although nobody killed it. */
  failed(exitCode: number | null): void;
}

/**
 * Every process that a live run starts. None outlives the run: `close` ends them all, an exit of this process
 * ends them all, and if it cannot, the guardian does.
 */
export class Processes {
  readonly directory: string;
  readonly #guardian: ChildProcess;
  readonly #running = new Map<Running, Promise<void>>();
  readonly #onExit = () => this.#killAll();

  static async open(): Promise<Processes> {
    return new Processes(await mkdtemp(join(tmpdir(), 'hustings-bench-')));
  }

  private constructor(directory: string) {
    this.directory = directory;
    this.#guardian = forkFile('./guardian-process.js');
    this.#tellGuardian({ type: 'clear-away', directory });
    process.on('exit', this.#onExit);
  }

  startNode(settings: NodeSettings, events: ProcessEvents<FromNode>): NodeProcess {
    const file = settings.rival === null ? './node-process.js' : './rival-process.js';
    return this.#start<ToNode, FromNode>(file, { type: 'start', settings }, events);
  }

  startCalibration(
    settings: CalibrationSettings,
    events: ProcessEvents<FromCalibration>,
  ): StartedProcess<ToCalibration> {
    return this.#start('./calibration-process.js', { type: 'start', settings }, events);
  }

  #start<To extends object, From extends { readonly type: string }>(
    file: string,
    first: To,
    events: ProcessEvents<From>,
  ): StartedProcess<To> {
    const child = forkFile(file);
    const { pid } = child;
    if (pid === undefined) throw new Error('The operating system would not start another process.');
    this.#tellGuardian({ type: 'watch', pid });
    const node: Running = { child, companions: new Set() };
    let killed = false;
    const gone = new Promise<void>((resolve) => {
      child.once('exit', (exitCode) => {
        signalCompanions(node, 'SIGKILL');
        this.#running.delete(node);
        for (const each of [pid, ...node.companions]) this.#tellGuardian({ type: 'forget', pid: each });
        if (!killed) events.failed(exitCode);
        resolve();
      });
    });
    this.#running.set(node, gone);
    child.on('message', (received) => {
      const message = received as FromNode;
      if (message.type === 'child') this.#accompany(node, message.pid);
      events.received(received as From);
    });
    const tell = (message: To) => void child.send(message, () => {});
    tell(first);
    return {
      pid,
      tell,
      signal: (name) => signalAll(node, name),
      kill() {
        killed = true;
        signalAll(node, 'SIGKILL');
        return gone;
      },
    };
  }

  #accompany(node: Running, pid: number): void {
    node.companions.add(pid);
    this.#tellGuardian({ type: 'watch', pid });
    // It may have been started by a node that has been killed since.
    if (!this.#running.has(node)) signalCompanions(node, 'SIGKILL');
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
    for (const node of this.#running.keys()) signalAll(node, 'SIGKILL');
  }

  #tellGuardian(message: ToGuardian): void {
    if (this.#guardian.connected) this.#guardian.send(message, () => {});
  }
}

interface Running {
  readonly child: ChildProcess;
  /** What the node has started itself, by number. */
  readonly companions: Set<number>;
}

/** What a node has started does the work, so it is struck first. */
function signalAll(node: Running, signal: NodeJS.Signals): void {
  signalCompanions(node, signal);
  node.child.kill(signal);
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

function forkFile(file: string): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: [],
    // What gRPC has to say about connections is what the trial does to them.
    env: { ...process.env, GRPC_VERBOSITY: 'NONE' },
    // Tokens are bigints, which JSON cannot carry.
    serialization: 'advanced',
    // Standard output belongs to the results.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
