/**
 * The process in which a student's code runs, with what grades it. It reads jobs from its input, a line each, and
 * writes lines to its fourth file. Both are read and written at once, without waiting: code that never returns must not
 * keep back what was found before.
 */

import { readFileSync, writeSync } from 'node:fs';
import { exerciseOf } from '../exercises/index.js';
import { type GradeOptions, grade, refused } from '../grading/grade.js';
import type { Outcome } from '../grading/report.js';
import { tellAgain } from '../grading/runs.js';
import { SlipInRun, toSlip } from '../guard.js';
import type { Job, Line } from './lines.js';
import { type Loaded, load } from './world.js';

const linesFile = 3;

const tell = (line: Line): void => {
  writeSync(linesFile, `${JSON.stringify(line)}\n`);
};

/** Of the answer that was graded last: a proof grades one for two hundred students. */
let settled = new Map<string, Outcome>();
let settledText: string | null = null;

const nothing: Loaded = { exports: {}, output: [], lineOf: () => null };

async function work(job: Job): Promise<void> {
  const { facts, text, student, tells, replay, from, logs } = job;
  const exercise = exerciseOf(facts.id);
  let loaded = nothing;
  if (text !== settledText) settled = new Map();
  settledText = text;
  const options: GradeOptions = {
    student,
    tells,
    from,
    settled,
    ...(logs && { watch: (moment: () => string) => tell({ type: 'calls', moment: moment() }) }),
    begins: (check) => tell({ type: 'begins', check }),
    ended: (outcome) => tell({ type: 'ended', outcome }),
    lineOf: (stack) => loaded.lineOf(stack),
  };
  try {
    if (job.compiled !== null) loaded = await load(job.compiled, exercise.given ?? {});
  } catch (error) {
    for (const outcome of refused(facts, toSlip(error), text, options)) tell({ type: 'ended', outcome });
    tell({ type: 'done' });
    return;
  }
  const submission = { text, exports: loaded.exports };
  if (replay === undefined) await grade(exercise, facts, submission, options);
  else
    tell({
      type: 'told',
      story: storyOf(() =>
        tellAgain(
          exercise.read(submission, () => {}, facts),
          replay,
        ),
      ),
    });
  tell({ type: 'output', output: loaded.output });
  tell({ type: 'done' });
}

/** What the student's code does wrong is told as well as what it does. */
function storyOf(story: () => string | null): string | null {
  try {
    return story();
  } catch (error) {
    return `${error instanceof SlipInRun ? error.message : toSlip(error).message}\n`;
  }
}

const jobs = readFileSync(0, 'utf8').trimEnd().split('\n');
for (const job of jobs) await work(JSON.parse(job) as Job);
