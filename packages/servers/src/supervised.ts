import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/**
 * The shell starts the program, says what its number is, and then waits for its own input to end. That happens
 * when this process ends, however it ends, SIGKILL included; and then the program is killed.
 */
const script = `"$0" "$@" </dev/null 3>&- &
echo $! >&3
exec 1>&- 2>&- 3>&-
read -r _
kill -9 $!`;

export interface SupervisedProcess {
  /** The program's own number, not the shell's. */
  readonly pid: number;
  /** Everything that it has printed so far, standard output and error, in lines. */
  readonly lines: readonly string[];
  /** Resolves when it has ended, by itself or not. */
  readonly ended: Promise<void>;
  readonly running: boolean;
  signal(signal: NodeJS.Signals): void;
  /** Kills it, if need be, and resolves when it is gone. */
  stop(): Promise<void>;
}

export interface SuperviseOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Whose process it is; ours if left out. */
  readonly uid?: number;
  readonly gid?: number;
  readonly onLine?: (line: string) => void;
}

/** Those that must be killed when this process ends; one listener serves them all. */
const survivors = new Set<number>();

/** Starts a program that does not outlive this process, whatever happens. */
export async function supervise(
  command: string,
  parameters: readonly string[],
  options: SuperviseOptions = {},
): Promise<SupervisedProcess> {
  const { onLine, ...rest } = options;
  const shell = spawn('/bin/sh', ['-c', script, command, ...parameters], {
    ...rest,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const outputs = [shell.stdout, shell.stderr].map((stream) => readLines(stream, lines, onLine));
  const pid = Number(await firstLine(shell.stdio[3] as Readable));
  return present(shell, pid, lines, Promise.all(outputs));
}

function present(
  shell: ChildProcess,
  pid: number,
  lines: readonly string[],
  outputs: Promise<unknown>,
): SupervisedProcess {
  let running = true;
  const shellGone = once(shell, 'exit');
  if (survivors.size === 0) process.on('exit', killSurvivors);
  survivors.add(pid);
  // The shell has closed its own ends, so the output is over when the program is.
  const ended = outputs.then(() => {
    running = false;
    survivors.delete(pid);
    if (survivors.size === 0) process.off('exit', killSurvivors);
    shell.stdin?.end();
  });
  shell.stdin?.on('error', () => {}); // The shell may be gone already.
  return {
    pid,
    lines,
    ended,
    get running() {
      return running;
    },
    signal(signal) {
      if (running) process.kill(pid, signal);
    },
    async stop() {
      if (running) tryToKill(pid);
      await ended;
      await shellGone;
    },
  };
}

function killSurvivors(): void {
  for (const pid of survivors) tryToKill(pid);
}

function tryToKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}

async function readLines(
  stream: Readable | null,
  lines: string[],
  onLine: ((line: string) => void) | undefined,
): Promise<void> {
  if (stream === null) return;
  for await (const line of createInterface({ input: stream })) {
    lines.push(line);
    onLine?.(line);
  }
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('The shell ended before it had started the program.');
}
