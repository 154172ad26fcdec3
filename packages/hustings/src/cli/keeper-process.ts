/**
 * Starts the command, and ends it in time. It is a process of its own so that the command is ended in time although
 * the process that leads is stopped (SIGSTOP), stalled or killed: it knows the times, and no more words mean no more
 * time. It imports as little as it can.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';

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
  /** The answer to `started`. Whoever leads knows whom to kill should the keeper be killed. */
  | { readonly type: 'go' }
  | { readonly type: 'schedule'; readonly schedule: Schedule };

export type FromKeeper =
  | { readonly type: 'started'; readonly pid: number }
  | {
      readonly type: 'ended';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      /** Whether the schedule has ended it. */
      readonly wasTold: boolean;
    };

/** Becomes the command when it is told to, and ends when the keeper does before. */
const gate = 'read -r _ <&3 && exec "$0" "$@" 3<&-';
/** As a shell says that it could not start a command. */
const notStartedCode = 126;
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
  switch (message.type) {
    case 'start':
      return start(message);
    case 'go':
      return open();
    case 'schedule':
      return follow(message.schedule);
  }
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
  const started = spawn('/bin/sh', ['-c', gate, command, ...parameters], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    detached: true,
    env,
  });
  const { pid } = started;
  if (pid === undefined) {
    started.on('error', () => send({ type: 'ended', code: notStartedCode, signal: null, wasTold: false }));
    return;
  }
  child = started;
  wasTold = false;
  started.on('exit', (code, signal) => void end(pid, code, signal));
  send({ type: 'started', pid });
  follow(schedule);
}

function open(): void {
  const pipe = child?.stdio[3] as Writable | undefined;
  // It may have been killed meanwhile.
  pipe?.on('error', () => {});
  pipe?.end('\n');
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
  while (isGroupAlive(pid) && nowMs() < untilMs) await new Promise((resolve) => setTimeout(resolve, 2));
  child = null;
  if (isOrphan) process.exit();
  send({ type: 'ended', code, signal, wasTold });
}

/** In a container nobody may bury the dead, who then count as members still; but they do nothing any more. */
function isGroupAlive(group: number): boolean {
  if (!killGroup(group, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isLivingMember(name, group));
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    // `pid (name) state parent group …`; the name may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(itsGroup) === group && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function send(message: FromKeeper): void {
  // Should the channel be gone, 'disconnect' says what to do.
  if (process.connected) process.send?.(message, () => {});
}
