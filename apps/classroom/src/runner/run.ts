/**
 * Runs a student's code in a process of its own: it may read the grader's own files and nothing else, has no
 * environment, little memory and little time. A process that does not come back is started once more, and then tells
 * each call before it makes it: the last one told is the one that never returned.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Schedule } from '@hustings/simulator';
import type { ExerciseFacts } from '../grading/check.js';
import { refused } from '../grading/grade.js';
import { type Outcome, type Report, reportOf } from '../grading/report.js';
import { root } from '../places.js';
import { Slip, slips } from '../slips.js';
import { compile } from './compile.js';
import type { Job, Line } from './lines.js';

export interface Limits {
  readonly memoryMb: number;
  /**
   * How long a check may take, in processor time where the system tells it: a busy machine must not cost points. The
   * slowest takes about a second.
   */
  readonly checkMs: number;
}

export const defaultLimits: Limits = { memoryMb: 192, checkMs: 10_000 };

export interface RunOptions {
  readonly student: string;
  readonly tells: boolean;
  readonly limits?: Limits;
}

/** Grades one file. Never throws for what the file does. */
export async function gradeFile(facts: ExerciseFacts, text: string, options: RunOptions): Promise<Report> {
  const { student, limits = defaultLimits } = options;
  const job = jobOf(facts, text, options);
  if (job instanceof Slip) return reportOf(facts, student, refused(facts, job, text, options), []);
  const first = await runJob(job, limits);
  if (first.failure === null) return reportOf(facts, student, first.outcomes, first.output);
  const again = await runJob({ ...job, from: first.outcomes.length, logs: true }, limits);
  return reportOf(facts, student, concluded(facts, first, again), first.output);
}

/** Tells one run of what is in a file, or what keeps it from running; null where the exercise has no runs. */
export async function tellRunOf(
  facts: ExerciseFacts,
  text: string,
  replay: Schedule,
): Promise<string | null> {
  const job = jobOf(facts, text, { student: '', tells: true });
  if (job instanceof Slip) return `${job.message}\n`;
  const { failure, story, outcomes } = await runJob({ ...job, replay }, defaultLimits);
  const problem = failure?.message ?? outcomes[0]?.detail;
  return problem === undefined ? story : `${problem}\n`;
}

/** Grades files that are known to come to an end, in one process. Throws if one does not. */
export async function gradeTrusted(
  facts: ExerciseFacts,
  files: readonly { readonly text: string; readonly student: string }[],
): Promise<Report[]> {
  const jobs = files.map(({ text, student }) => {
    const job = jobOf(facts, text, { student, tells: false });
    if (job instanceof Slip) throw job;
    return job;
  });
  const ran = await runJobs(jobs, { memoryMb: 1024, checkMs: 120_000 });
  const failed = ran.findIndex(({ failure }) => failure !== null);
  if (failed !== -1) throw ran[failed]!.failure;
  return ran.map(({ outcomes, output }, index) => reportOf(facts, files[index]!.student, outcomes, output));
}

function jobOf(facts: ExerciseFacts, text: string, { student, tells }: RunOptions): Job | Slip {
  try {
    const compiled = /\.[mc]?[jt]s$/.test(facts.file) ? compile(text) : null;
    return { facts, text, compiled, student, tells, from: 0, logs: false };
  } catch (error) {
    if (error instanceof Slip) return error;
    throw error;
  }
}

interface Ran {
  readonly outcomes: readonly Outcome[];
  readonly output: readonly string[];
  /** Of a run that was to be told. */
  readonly story: string | null;
  /** Null when it ended by itself. */
  readonly failure: Slip | null;
  /** What it was about to do last. */
  readonly lastCall: string | null;
}

/** What was earned before the code failed to return stays earned. */
function concluded(facts: ExerciseFacts, first: Ran, again: Ran): Outcome[] {
  const outcomes = [...first.outcomes, ...again.outcomes];
  const slip = again.failure ?? first.failure;
  const rest = facts.checks.slice(outcomes.length);
  if (slip === null || rest.length === 0) return outcomes;
  const { lastCall } = again;
  const detail = `${whereOf(slip, lastCall)} ${slip.message}`;
  return [
    ...outcomes,
    ...rest.map(({ name, points, expects }, index) => ({
      name,
      points,
      earned: 0,
      expects,
      detail: index === 0 ? detail : 'Not asked: the code did not come back from the check before.',
      story: null,
      run: null,
      slip: slip.kind,
      line: null,
    })),
  ];
}

function whereOf({ kind }: Slip, moment: string | null): string {
  const what = kind === 'out-of-memory' ? 'Your code used up its memory' : 'Your code did not return';
  return moment === null ? `${what}.` : `${what} when ${moment}.`;
}

async function runJob(job: Job, limits: Limits): Promise<Ran> {
  const [ran] = await runJobs([job], limits);
  return ran!;
}

/** One after the other in one process: starting it takes longer than most answers. The first that fails is the last. */
async function runJobs(jobs: readonly Job[], limits: Limits): Promise<Ran[]> {
  const child = start(limits);
  const listener = new Listener(child, limits.checkMs);
  const errors = textOf(child.stderr!);
  child.stdin!.on('error', () => {}); // It may be gone before it has read everything.
  child.stdin!.end(jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
  await ended(child);
  const { ran, isLate } = await listener.end();
  if (ran.length === jobs.length) return ran;
  return [...ran, listener.unfinished(failureOf(isLate, await errors))];
}

/** A process that gets less of the processor than this is not waited for. */
const mostWaits = 30;
/** Linux counts in hundredths of a second, whatever its kernel does. */
const tickMs = 10;

/** How much processor time a process has had; null where the system does not say. */
function processorMsOf({ pid }: ChildProcess): number | null {
  try {
    const [, fields = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const [userTicks, systemTicks] = fields.split(' ').slice(11, 13).map(Number);
    return (userTicks! + systemTicks!) * tickMs;
  } catch {
    return null;
  }
}

/** Hears what the process tells, and ends it when it has been silent for too long. */
class Listener {
  readonly #child: ChildProcess;
  readonly #silenceMs: number;
  readonly #closed: Promise<unknown>;
  readonly #ran: Ran[] = [];
  #outcomes: Outcome[] = [];
  #output: readonly string[] = [];
  #story: string | null = null;
  #lastCall: Ran['lastCall'] = null;
  #isLate = false;
  #timer: NodeJS.Timeout | undefined;
  #spentMs: number | null = null;
  #waits = 0;

  constructor(child: ChildProcess, silenceMs: number) {
    this.#child = child;
    this.#silenceMs = silenceMs;
    const lines = createInterface({ input: child.stdio[3] as Readable });
    this.#closed = new Promise((resolve) => lines.once('close', resolve));
    lines.on('line', (text) => this.#hear(JSON.parse(text) as Line));
    this.#wait();
  }

  async end(): Promise<{ readonly ran: Ran[]; readonly isLate: boolean }> {
    await this.#closed;
    clearTimeout(this.#timer);
    return { ran: this.#ran, isLate: this.#isLate };
  }

  unfinished(failure: Slip | null): Ran {
    const story = this.#story;
    return { outcomes: this.#outcomes, output: this.#output, story, lastCall: this.#lastCall, failure };
  }

  #wait(): void {
    this.#spentMs = processorMsOf(this.#child);
    this.#waits = 0;
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onSilence(), this.#silenceMs);
  }

  #onSilence(): void {
    this.#waits += 1;
    const spentMs = processorMsOf(this.#child);
    const isStarved = spentMs !== null && spentMs - (this.#spentMs ?? 0) < this.#silenceMs;
    if (isStarved && this.#waits < mostWaits) this.#arm();
    else {
      this.#isLate = true;
      this.#child.kill('SIGKILL');
    }
  }

  #hear(line: Line): void {
    if (line.type === 'calls') {
      this.#lastCall = line.moment;
      return;
    }
    this.#wait();
    if (line.type === 'ended') this.#outcomes.push(line.outcome);
    if (line.type === 'output') this.#output = line.output;
    if (line.type === 'told') this.#story = line.story;
    if (line.type !== 'done') return;
    this.#ran.push(this.unfinished(null));
    this.#outcomes = [];
    this.#output = [];
  }
}

function failureOf(isLate: boolean, errors: string): Slip {
  if (isLate) return slips.infiniteLoop();
  if (/heap out of memory|Allocation failed/.test(errors)) return slips.outOfMemory();
  throw new Error(`The process that grades ended by itself:\n${errors}`);
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const part of stream) text += String(part);
  return text;
}

const program = `${root}apps/classroom/dist/src/runner/student-process.js`;

function start({ memoryMb }: Limits): ChildProcess {
  const readable = [
    `${root}apps/classroom/*`,
    `${root}packages/*`,
    `${root}node_modules/*`,
    `${root}package.json`,
  ];
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  return spawn(
    process.execPath,
    [
      permission,
      ...readable.map((path) => `--allow-fs-read=${path}`),
      '--experimental-vm-modules',
      '--disallow-code-generation-from-strings',
      '--no-warnings',
      `--max-old-space-size=${memoryMb}`,
      program,
    ],
    { env: {}, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] },
  );
}
