import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hustings-lab-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** One of the simulator's tools, built, as a user runs it. */
export function startTool(name: string, ...parameters: readonly string[]) {
  return startToolIn(tmpdir(), name, ...parameters);
}

/** With a temporary directory of its own, so that a test can see what is left in it. */
export function startToolIn(temporary: string, name: string, ...parameters: readonly string[]) {
  const program = fileURLToPath(new URL(`../dist/tools/${name}.js`, import.meta.url));
  const child = spawn(process.execPath, [program, ...parameters], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = once(child, 'close').then(([exitCode]): Finished => ({ exitCode, stdout, stderr }));
  return {
    pid: child.pid!,
    finished,
    stderr: () => stderr,
    /** More has been written to standard error. */
    somethingHappens: () => once(child.stderr, 'data'),
    signal: (name: NodeJS.Signals) => void child.kill(name),
  };
}

export const tool = (name: string, ...parameters: string[]): Promise<Finished> =>
  startTool(name, ...parameters).finished;
