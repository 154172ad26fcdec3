#!/usr/bin/env node
import { existsSync, readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { interruption, runTool, tool, UsageError } from '@hustings/command';
import { answerFile, findExercise, fromRoot, hintsFor, remember } from '../course.js';
import { toResults } from '../exercism.js';
import type { ExerciseFacts } from '../grading/check.js';
import type { Report } from '../grading/report.js';
import { gradeFile } from '../runner/run.js';
import { tellReport } from '../tell.js';

interface Flags {
  readonly json: boolean;
  readonly watch: boolean;
  readonly hint: boolean;
  readonly student: string;
  readonly file?: string;
}

const command = tool('grade', 'Grades your answer to an exercise.')
  .argument('<exercise>', "the exercise, such as '05'")
  .option('--watch', 'grade again whenever the file changes', false)
  .option('--hint', 'a hint for the first check that fails', false)
  .option('--student <name>', 'whose seeds: the same name, the same runs', 'everyone')
  .option('--file <path>', 'another file than the one in my/');

await runTool<Flags>(command, async (flags) => {
  const facts = findExercise(command.args[0]!);
  const file = flags.file ?? answerFile(facts);
  if (!existsSync(file)) {
    throw new UsageError(
      `There is no ${fromRoot(file)} yet; begin with 'npm run exercise -- ${facts.id.slice(0, 2)}'.`,
    );
  }
  const gradeOnce = async (): Promise<void> => {
    const report = await gradeFile(facts, readFileSync(file, 'utf8'), {
      student: flags.student,
      tells: true,
    });
    if (flags.file === undefined) remember(report);
    process.stdout.write(print(facts, report, file, flags));
    // For programs. A person sees the points, and npm would make a page of errors of it.
    if (flags.json && report.earned < report.points) process.exitCode = 1;
  };
  await gradeOnce();
  if (flags.watch) await gradeOnChange(file, gradeOnce);
});

function print(facts: ExerciseFacts, report: Report, file: string, { json, hint }: Flags): string {
  if (json) return `${JSON.stringify(toResults(report))}\n`;
  const number = facts.id.slice(0, 2);
  const text = tellReport(report, { file: fromRoot(file), hintCommand: `npm run grade -- ${number} --hint` });
  return hint ? `${text}${tellHint(facts, report)}` : text;
}

function tellHint(facts: ExerciseFacts, report: Report): string {
  const failed = report.outcomes.find(({ detail }) => detail !== null);
  if (failed === undefined) return '';
  const hints = hintsFor(facts, failed.name);
  return `\n${failed.name}:\n${hints.map((hint) => `  ${hint.replaceAll('\n', '\n  ')}\n`).join('\n')}`;
}

/** Editors replace files, so the folder is watched; and save in two goes, so a moment is waited. */
async function gradeOnChange(file: string, gradeOnce: () => Promise<void>): Promise<void> {
  const settleMs = 100;
  const signal = interruption();
  let isGrading = false;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(dirname(file), (_, name) => {
    if (name !== basename(file) || isGrading) return;
    clearTimeout(timer);
    timer = setTimeout(async () => {
      isGrading = true;
      process.stdout.write('\n');
      await gradeOnce().finally(() => {
        isGrading = false;
      });
    }, settleMs);
  });
  process.stderr.write(`Watching ${fromRoot(file)}; end with Ctrl-C.\n`);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  clearTimeout(timer);
  watcher.close();
}
