/** The command line as a user has it: a process, started from what was built. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '@hustings/testkit/check';

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const patienceMs = 30_000;

export class Hustings {
  readonly process: ChildProcess;
  /** Standard output and error. */
  said = '';
  readonly #ended: Promise<unknown>;

  constructor(...words: string[]) {
    this.process = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
      });
    }
    // Not before everything that it has started has closed its output as well.
    this.#ended = once(this.process, 'close');
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    await until(`it says ${pattern}; it said ${this.said}`, patienceMs, () => pattern.test(this.said));
    return pattern.exec(this.said)!;
  }

  /** Where it answers. */
  async url(): Promise<string> {
    return (await this.says(/answers at (http:\S+)/))[1]!;
  }

  async exitCode(): Promise<number | null> {
    await this.#ended;
    return this.process.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Its keeper ends the command. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#ended;
  }
}

/** One that is dead and not yet buried by its parent is not. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z]/.test(stdout.trim());
}

export function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}
