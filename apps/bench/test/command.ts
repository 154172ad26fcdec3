import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The built program, as a user runs it. */
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'hustings-bench-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly pid: number;
  readonly finished: Promise<Finished>;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  /** Closes the reading end of its standard output, as `head` does. */
  hangUp(): void;
}

/** With a temporary directory of its own, so that a test can see what is left in it. */
export function start(
  parameters: readonly string[],
  temporary = temporaryDirectory(),
  environment: NodeJS.ProcessEnv = {},
): Started {
  const out =
    parameters.includes('--out') || parameters[0] === 'compare' ? [] : ['--out', temporaryDirectory()];
  const child = spawn(process.execPath, [main, ...parameters, ...out], {
    env: { ...process.env, TMPDIR: temporary, ...environment },
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
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  return {
    pid: child.pid!,
    finished,
    stderr: () => stderr,
    signal: (name) => void child.kill(name),
    hangUp: () => void child.stdout.destroy(),
  };
}

export const bench = (...parameters: string[]): Promise<Finished> => start(parameters).finished;

export interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  /** The name of the program. */
  readonly program: string;
  /** SIGSTOP has reached it. */
  readonly stopped: boolean;
}

function everyProcess(): ProcessState[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' });
  return table
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [pid, parent, state, program] = line.trim().split(/\s+/);
      return {
        pid: Number(pid),
        parent: Number(parent),
        stopped: state!.startsWith('T'),
        program: program!,
      };
    });
}

export const childrenOf = (pid: number): ProcessState[] =>
  everyProcess().filter(({ parent }) => parent === pid);

/** Its children, their children, and so on. */
export function descendantsOf(pid: number): ProcessState[] {
  const all = everyProcess();
  const below = (each: number): ProcessState[] =>
    all.filter(({ parent }) => parent === each).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
