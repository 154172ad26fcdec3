/** `hustings run`: a command that runs only while this node leads, and is dead before another one may. */

import { type Leadership, LeadershipLostError } from '../index.js';
import { type Candidate, nowMs } from './candidate.js';
import { type Command, type Ending, Keeper } from './keeper.js';
import type { Schedule } from './keeper-process.js';
import { graceOf, scheduleOf, stopBy } from './schedule.js';

export interface RunOptions {
  readonly candidate: Candidate;
  readonly command: Command;
  readonly once: boolean;
  /** Between SIGTERM and SIGKILL when the lease runs out; default a fifth of it. */
  readonly graceMs: number | undefined;
  /** Between SIGTERM and SIGKILL when there is time: while the lease is renewed. */
  readonly stopMs: number;
  readonly stop: AbortSignal;
  readonly say: (sentence: string) => void;
}

/** With `--once`: leadership was lost before the command had ended. */
const lostCode = 75;
/** How often to look whether the lease was renewed. */
const lookEveryMs = 50;

/** The exit code. */
export async function run(options: RunOptions): Promise<number> {
  const { candidate, command, once, stop, say } = options;
  const keeper = new Keeper();
  const enough = new AbortController();
  let exitCode = 0;
  try {
    await candidate.lead(AbortSignal.any([stop, enough.signal]), async (leadership, leave) => {
      const ending = await new Shift(options, keeper, leadership, leave).work();
      const wasLost = ending.wasTold && !leave.aborted;
      exitCode = leave.aborted ? 0 : wasLost ? lostCode : ending.exitCode;
      if (once || !(wasLost || leave.aborted)) enough.abort();
      if (!wasLost) return;
      leadership.signal.throwIfAborted();
      throw new LeadershipLostError(leadership.token, 'lease-expired');
    });
  } finally {
    keeper.dismiss();
  }
  // It was asked to end while it waited to be elected again.
  if (stop.aborted) return 0;
  if (exitCode === lostCode) say(`Leadership was lost before '${command.command}' had ended.`);
  return exitCode;
}

/** One run of the command, under one Leadership. */
class Shift {
  readonly #options: RunOptions;
  readonly #keeper: Keeper;
  readonly #leadership: Leadership;
  readonly #leave: AbortSignal;
  #fullMs = 0;
  #stopAtMs: number | null = null;
  #told: Schedule = { terminateAtMs: null, killAtMs: null };
  #hasWarned = false;

  constructor(options: RunOptions, keeper: Keeper, leadership: Leadership, leave: AbortSignal) {
    this.#options = options;
    this.#keeper = keeper;
    this.#leadership = leadership;
    this.#leave = leave;
  }

  async work(): Promise<Ending> {
    const { token, holder, signal } = this.#leadership;
    const environment = { HUSTINGS_TOKEN: String(token), HUSTINGS_HOLDER: holder };
    const look = () => this.#look();
    this.#told = this.#schedule();
    const ended = this.#keeper.run(this.#options.command, environment, this.#told);
    const timer = setInterval(look, lookEveryMs);
    for (const each of [signal, this.#leave]) each.addEventListener('abort', look);
    try {
      return await ended;
    } finally {
      clearInterval(timer);
      for (const each of [signal, this.#leave]) each.removeEventListener('abort', look);
    }
  }

  #look(): void {
    const schedule = this.#schedule();
    if (isSame(schedule, this.#told)) return;
    this.#told = schedule;
    this.#keeper.follow(schedule);
  }

  #schedule(): Schedule {
    const { graceMs, stopMs, candidate } = this.#options;
    const { remainingMs } = this.#leadership;
    if (this.#leave.aborted || (remainingMs === 0 && !candidate.elector.guarantees.leased)) {
      this.#stopAtMs ??= nowMs();
    }
    this.#warnOfGrace(remainingMs);
    this.#fullMs = Math.max(this.#fullMs, remainingMs);
    const ofLease = candidate.elector.guarantees.leased ? this.#ofLease(remainingMs, graceMs) : noLease;
    return this.#stopAtMs === null ? ofLease : stopBy(ofLease, this.#stopAtMs, stopMs);
  }

  #ofLease(remainingMs: number, graceMs: number | undefined): Schedule {
    return scheduleOf({ nowMs: nowMs(), remainingMs, fullMs: this.#fullMs }, graceMs);
  }

  /** Said when a lease has been renewed: what is left of it at the election says little. */
  #warnOfGrace(remainingMs: number): void {
    const { graceMs, say } = this.#options;
    const wasRenewed = this.#fullMs > 0 && remainingMs > this.#fullMs;
    if (graceMs === undefined || this.#hasWarned || !wasRenewed) return;
    const mostMs = graceOf(remainingMs, graceMs);
    if (mostMs >= graceMs) return;
    this.#hasWarned = true;
    say(`--grace-ms ${graceMs} does not fit in the lease; the command is given ${Math.round(mostMs)} ms.`);
  }
}

const noLease: Schedule = { terminateAtMs: null, killAtMs: null };

/** The same but for what is lost in the last digits. */
function isSame(left: Schedule, right: Schedule): boolean {
  const near = (one: number | null, other: number | null): boolean =>
    one === other || (one !== null && other !== null && Math.abs(one - other) < 1);
  return near(left.terminateAtMs, right.terminateAtMs) && near(left.killAtMs, right.killAtMs);
}
