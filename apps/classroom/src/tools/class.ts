#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { basename, dirname, extname, resolve } from 'node:path';
import {
  checkOut,
  interruption,
  reportProgress,
  runTool,
  tool,
  wholeNumberOption,
  writeOut,
} from '@hustings/command';
import { Option } from 'commander';
import { collect, toCsv, toHtml, toJson } from '../class.js';
import { findExercise, readCourse } from '../course.js';
import type { Report } from '../grading/report.js';
import { inParallel } from '../parallel.js';
import { defaultLimits, gradeFile } from '../runner/run.js';

interface Flags {
  readonly json: boolean;
  readonly exercise?: string;
  readonly seeds: 'same' | 'varied';
  readonly out: string;
  readonly jobs: number;
}

/** Where all cores are busy, a check takes longer. */
const limits = { ...defaultLimits, checkMs: 3 * defaultLimits.checkMs };

const forms: Readonly<Record<string, (reports: readonly Report[]) => string>> = {
  '.html': toHtml,
  '.csv': toCsv,
  '.json': toJson,
};

const command = tool('class', 'Grades a folder of submissions.')
  .argument('<folder>', 'one folder for each student, with the files as they are in my/')
  .option('--exercise <number>', 'only this exercise')
  .addOption(
    new Option('--seeds <kind>', 'the same runs for all, or varied for each student')
      .choices(['same', 'varied'])
      .default('same'),
  )
  .option(
    '--out <path>',
    'a folder for report.html and report.csv, or one file that ends with .html, .csv or .json',
    'class-report',
  )
  .addOption(wholeNumberOption('--jobs', 'how many at once', 1, 256).default(availableParallelism()));

await runTool<Flags>(command, async ({ json, exercise, seeds, out, jobs }) => {
  const course = exercise === undefined ? readCourse() : [findExercise(exercise)];
  const handed = collect(resolve(command.args[0]!), course);
  checkOut(isOneFile(out) ? dirname(out) : out);
  const progress = reportProgress(process.stderr, undefined, 'submissions');
  progress.begin(handed.length);
  const signal = interruption();
  const graded = await inParallel(handed, jobs, async ({ student, facts, text }) => {
    if (signal.aborted) return null;
    try {
      const seedsOf = seeds === 'varied' ? student : 'everyone';
      const report = await gradeFile(facts, text, { student: seedsOf, tells: true, limits });
      progress.advance(1, student);
      return { ...report, student };
    } catch (error) {
      // Ctrl-C reaches the processes of students, too.
      if (signal.aborted) return null;
      throw error;
    }
  });
  progress.end();
  const reports = graded.filter((report) => report !== null);
  write(out, reports);
  const count = signal.aborted ? `Interrupted; ${reports.length} of ${handed.length}` : `${handed.length}`;
  if (json) process.stdout.write(toJson(reports));
  else
    process.stdout.write(
      `${count} submissions graded: open ${isOneFile(out) ? out : `${out}/report.html`}\n`,
    );
});

function isOneFile(out: string): boolean {
  return extname(out) in forms;
}

/** A file whose name says what it should be; or a folder. */
function write(out: string, reports: readonly Report[]): void {
  const form = forms[extname(out)];
  if (form !== undefined) writeOut(dirname(out), { [basename(out)]: form(reports) });
  else writeOut(out, { 'report.html': toHtml(reports), 'report.csv': toCsv(reports) });
}
