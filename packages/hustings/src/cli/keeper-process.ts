/**
 * Starts the command, and ends it in time. It is a process of its own so that the command is ended in time although
 * the process that leads is stopped (SIGSTOP), stalled or killed: it knows the times, and no more words mean no more
 * time. It imports as little as it can.
 */

import { type ChildProcess, spawn } from 'node:child_process';

/** Times are of the monotonic clock, which all processes of a machine share. Null: no lease bounds it. */
export interface Schedule {
  readonly terminateAtMs: number | null;
  readonly killAtMs: number | null;
}

export type ToKeeper =
  | {
      readonly type: 'start';
      readonly command: string;
      readonly parameters: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      readonly schedule: Schedule;
    }
  | { readonly type: 'schedule'; readonly schedule: Schedule };

export type FromKeeper =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'failed'; readonly code: string | undefined; readonly message: string }
  | {
      readonly type: 'ended';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      /** Whether the schedule has ended it. */
      readonly wasTold: boolean;
    };

/** Without a lease nobody has said when the command must be dead. */
const patienceWithoutLeaseMs = 1000;
/** How long to wait for processes that have been sent SIGKILL. */
const burialMs = 1000;

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

let child: ChildProcess | null = null;
let schedule: Schedule = { terminateAtMs: null, killAtMs: null };
let wasTold = false;
let isOrphan = false;
let timer: NodeJS.Timeout | undefined;

// Ctrl-C and a closed terminal are for the process that leads, which says what they mean.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

process.on('message', (message: ToKeeper) => {
  if (message.type === 'start') start(message);
  else follow(message.schedule);
});

// Whoever leads has died: nobody renews the lease. What is left of it is for the command to end in order.
process.on('disconnect', () => {
  isOrphan = true;
  if (child === null) process.exit();
  const { killAtMs } = schedule;
  follow({ terminateAtMs: nowMs(), killAtMs: killAtMs ?? nowMs() + patienceWithoutLeaseMs });
});

function start({ command, parameters, environment, schedule }: Extract<ToKeeper, { type: 'start' }>): void {
  const env = { ...process.env, ...environment };
  // A session and a process group of its own, which can be killed as one.
  const started = spawn(command, parameters, { stdio: 'inherit', detached: true, env });
  started.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (started.pid === undefined) send({ type: 'failed', code, message });
  });
  const { pid } = started;
  if (pid === undefined) return;
  child = started;
  wasTold = false;
  started.on('exit', (code, signal) => void end(pid, code, signal));
  send({ type: 'started', pid });
  follow(schedule);
}

function follow(next: Schedule): void {
  schedule = next;
  clearTimeout(timer);
  if (child === null) return;
  const { terminateAtMs, killAtMs } = schedule;
  if (isDue(killAtMs)) signalGroup('SIGKILL');
  else if (isDue(terminateAtMs) && !wasTold) signalGroup('SIGTERM');
  const dueMs = wasTold ? killAtMs : terminateAtMs;
  // Rounded up: a timer that fires before its time would have to be set again.
  if (dueMs !== null && !isDue(dueMs)) timer = setTimeout(() => follow(schedule), Math.ceil(dueMs - nowMs()));
}

const isDue = (atMs: number | null): boolean => atMs !== null && nowMs() >= atMs;

function signalGroup(signal: 'SIGTERM' | 'SIGKILL'): void {
  wasTold = true;
  if (child?.pid !== undefined) killGroup(child.pid, signal);
}

/** Whether there was anybody left. */
function killGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** The command has ended. What it has started and left behind ends with it. */
async function end(pid: number, code: number | null, signal: NodeJS.Signals | null): Promise<void> {
  clearTimeout(timer);
  killGroup(pid, 'SIGKILL');
  const untilMs = nowMs() + burialMs;
  while (killGroup(pid, 0) && nowMs() < untilMs) await new Promise((resolve) => setTimeout(resolve, 2));
  child = null;
  if (isOrphan) process.exit();
  send({ type: 'ended', code, signal, wasTold });
}

function send(message: FromKeeper): void {
  // Should the channel be gone, 'disconnect' says what to do.
  if (process.connected) process.send?.(message, () => {});
}
