#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { checkOut, reportProgress, runTool, tool, wholeNumberOption, writeOut } from '@hustings/command';
import { Option } from 'commander';
import { collect, toCsv, toHtml } from '../class.js';
import { findExercise, readCourse } from '../course.js';
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

const command = tool('class', 'Grades a folder of submissions.')
  .argument('<folder>', 'one folder for each student, with the files as they are in my/')
  .option('--exercise <number>', 'only this exercise')
  .addOption(
    new Option('--seeds <kind>', 'the same runs for all, or varied for each student')
      .choices(['same', 'varied'])
      .default('same'),
  )
  .option('--out <folder>', 'where report.html and report.csv go', 'class-report')
  .addOption(wholeNumberOption('--jobs', 'how many at once', 1, 256).default(availableParallelism()));

await runTool<Flags>(command, async ({ json, exercise, seeds, out, jobs }) => {
  const course = exercise === undefined ? readCourse() : [findExercise(exercise)];
  const handed = collect(resolve(command.args[0]!), course);
  checkOut(out);
  const progress = reportProgress(process.stderr, undefined, 'submissions');
  progress.begin(handed.length);
  const reports = await inParallel(handed, jobs, async ({ student, facts, text }) => {
    const report = await gradeFile(facts, text, {
      student: seeds === 'varied' ? student : 'everyone',
      tells: true,
      limits,
    });
    progress.advance(1, student);
    return { ...report, student };
  });
  progress.end();
  writeOut(out, { 'report.html': toHtml(reports), 'report.csv': toCsv(reports) });
  if (json) process.stdout.write(`${JSON.stringify(reports)}\n`);
  else process.stdout.write(`${handed.length} submissions graded: open ${out}/report.html\n`);
});
