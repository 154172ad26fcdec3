#!/usr/bin/env node
import { readFileSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { interruption, runTool, tool, UsageError, wholeNumber } from '@hustings/command';
import { MalformedError } from '@hustings/elector/protocol';
import { parseRunName, type Schedule } from '@hustings/simulator';
import { answerFile, findExercise, fromRoot, hintsFor, remember } from '../course.js';
import { toResults } from '../exercism.js';
import type { ExerciseFacts } from '../grading/check.js';
import { guestName } from '../grading/grade.js';
import type { Report } from '../grading/report.js';
import { gradeFile, tellRunOf } from '../runner/run.js';
import { tellReport } from '../tell.js';

interface Flags {
  readonly json: boolean;
  readonly watch: boolean;
  /** True for one, or how many. */
  readonly hint?: true | number;
  readonly all: boolean;
  readonly student: string;
  readonly replay?: string;
  readonly file?: string;
}

const command = tool('grade', 'Grades your answer to an exercise.')
  .argument('<exercise>', "the exercise, such as '05'")
  .option('--watch', 'grade again whenever the file changes', false)
  .option(
    '--hint [count]',
    'a hint for the first check that fails; --hint 2 for another',
    wholeNumber('--hint', 1, 9),
  )
  .option('--all', 'tell every run, and not only the first that is long', false)
  .option('--student <name>', 'whose seeds: the same name, the same runs', nameOfStudent, 'everyone')
  .option(
    '--replay <run>',
    'tells one run again, as the file runs it now; the run is in the link to the playground',
  )
  .option('--file <path>', 'another file than the one in my/');

await runTool<Flags>(command, async (flags) => {
  const facts = findExercise(command.args[0]!);
  const file = flags.file ?? answerFile(facts);
  if (!isFile(file)) throw new UsageError(whyNoFile(facts, flags));
  if (flags.replay !== undefined) {
    const story = await tellRunOf(facts, readFileSync(file, 'utf8'), scheduleOf(flags.replay, facts));
    process.stdout.write(story ?? `Exercise ${facts.id} has no runs to replay.\n`);
    return;
  }
  const gradeOnce = async (): Promise<void> => {
    const beganMs = performance.now();
    const report = await gradeFile(facts, readFileSync(file, 'utf8'), {
      student: flags.student,
      tells: true,
    });
    if (flags.file === undefined) remember(report);
    const ms = Math.round(performance.now() - beganMs);
    process.stdout.write(print(facts, report, file, flags, ms));
    // For programs. A person sees the points, and npm would make a page of errors of it.
    if (flags.json && report.earned < report.points) process.exitCode = 1;
  };
  await gradeOnce();
  if (flags.watch) await gradeOnChange(file, gradeOnce);
});

/** A flag that was forgotten would be taken for the name. */
function nameOfStudent(text: string): string {
  if (/^[^\s-]/.test(text)) return text;
  throw new UsageError(`--student takes a name, not '${text}'.`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function whyNoFile(facts: ExerciseFacts, { file }: Flags): string {
  const number = facts.id.slice(0, 2);
  return file === undefined
    ? `There is no ${fromRoot(answerFile(facts))} yet; begin with 'npm run exercise -- ${number}'.`
    : `There is no file '${file}'; --file names the answer to exercise ${number} that is to be graded.`;
}

function scheduleOf(run: string, { id }: ExerciseFacts): Schedule {
  try {
    const name = parseRunName(run.replace(/^.*#run=/, '').replace(/&.*$/, ''));
    if (name.type === 'schedule' && name.algorithm === guestName(id)) return name.schedule;
    throw new UsageError(`--replay takes a run of ${guestName(id)}; this is one of ${name.algorithm}.`);
  } catch (error) {
    if (error instanceof MalformedError) throw new UsageError(error.message);
    throw error;
  }
}

function print(
  facts: ExerciseFacts,
  report: Report,
  file: string,
  { json, hint, all }: Flags,
  ms: number,
): string {
  const failed = report.outcomes.find(({ detail }) => detail !== null);
  const hints = failed === undefined ? [] : hintsFor(facts, failed.name);
  if (json) return `${JSON.stringify(toResults(report, { hint: hints[0] ?? null, ms }))}\n`;
  const command = `npm run grade -- ${facts.id.slice(0, 2)}`;
  const text = tellReport(report, { file: fromRoot(file), command, all });
  return failed === undefined ? text : text + tellHints(hints, failed.name, command, Number(hint ?? 0));
}

/** The first hints, and how to get the next. */
function tellHints(hints: readonly string[], check: string, command: string, count: number): string {
  const given = hints.slice(0, count).map((hint) => `  ${hint.replaceAll('\n', '\n  ')}\n`);
  const more = count === 0 ? `A hint: ${command} --hint` : `Another hint: ${command} --hint ${count + 1}`;
  return [
    count === 0 ? '' : `\n${check}:\n${given.join('\n')}`,
    count < hints.length ? `\n${more}\n` : '',
  ].join('');
}

/** Editors replace files, so the folder is watched; and save in two goes, so a moment is waited. */
async function gradeOnChange(file: string, gradeOnce: () => Promise<void>): Promise<void> {
  const settleMs = 100;
  const signal = interruption();
  let isGrading = false;
  let isStale = false;
  let timer: NodeJS.Timeout | undefined;
  const gradeAgain = async (): Promise<void> => {
    isStale = true;
    if (isGrading) return;
    isGrading = true;
    while (isStale && isFile(file)) {
      isStale = false;
      process.stdout.write('\n');
      await gradeOnce();
    }
    isGrading = false;
  };
  const watcher = watch(dirname(file), (_, name) => {
    if (name !== basename(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void gradeAgain(), settleMs);
  });
  process.stderr.write(`Watching ${fromRoot(file)}; end with Ctrl-C.\n`);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  clearTimeout(timer);
  watcher.close();
}
