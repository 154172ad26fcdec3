/** A report for a terminal: what was expected, what happened instead, and where to look. */

import { isOwnRun } from './grading/grade.js';
import type { Outcome, Report } from './grading/report.js';

export interface TellOptions {
  /** The file that was graded, as one types it. */
  readonly file: string;
  /** What to type to grade it. */
  readonly command: string;
  /** Whether every run is told, and not only the first that is long. */
  readonly all?: boolean;
}

/** More lines than this push what is above them off the screen. */
const longStoryLines = 12;

/** Where `npm run playground` shows a run. */
export const playgroundLink = (run: string): string => `http://localhost:4173/#run=${run}`;

export function tellReport(report: Report, options: TellOptions): string {
  const { title, earned, points, outcomes, output } = report;
  const failed = outcomes.filter((outcome) => outcome.detail !== null);
  const isDone = failed.length === 0;
  return [
    `${title}: ${earned} of ${points} points\n\n`,
    ...outcomes.map(tellLine),
    ...tellFailures(failed, options),
    ...(output.length === 0 ? [] : [`\nYour code printed:\n${output.map((line) => `  ${line}\n`).join('')}`]),
    isDone ? '\nAll done. What is next: npm run exercise\n' : '',
  ].join('');
}

const tellLine = ({ name, points, earned, detail }: Outcome): string =>
  `  ${detail === null ? '✓' : '✗'} ${`${earned}/${points}`.padEnd(4)} ${name}\n`;

/** The same slip is told once, however many checks it costs. */
function tellFailures(failed: readonly Outcome[], options: TellOptions): string[] {
  const told: string[] = [];
  const known = new Map<string, string>();
  const waiting: Outcome[] = [];
  let hasLongStory = false;
  for (const outcome of failed) {
    const first = outcome.slip === null ? undefined : known.get(slipKey(outcome));
    if (first !== undefined) told.push(`\n✗ ${outcome.name}: as in ${first}.\n`);
    else if (outcome.story === null && outcome.detail?.startsWith('Not asked')) waiting.push(outcome);
    else {
      const isLong = (outcome.story ?? '').split('\n').length > longStoryLines;
      told.push(tellFailure(outcome, options, isLong && hasLongStory && options.all !== true));
      hasLongStory ||= isLong;
      known.set(slipKey(outcome), outcome.name);
    }
  }
  return [...told, ...tellWaiting(waiting)];
}

function tellWaiting(waiting: readonly Outcome[]): string[] {
  const reasons = [...new Set(waiting.map(({ detail }) => detail ?? ''))];
  return reasons.map((reason) => {
    const names = waiting.filter(({ detail }) => detail === reason).map(({ name }) => name);
    return `\n✗ ${names.join(', ')}: ${reason.replace(/^N/, 'n')}\n`;
  });
}

const slipKey = ({ slip, line, detail }: Outcome): string => `${slip} ${line ?? detail}`;

function tellFailure(outcome: Outcome, { file, command }: TellOptions, isBrief: boolean): string {
  const { name, expects, detail, story, run, line } = outcome;
  return [
    `\n✗ ${name}\n`,
    `  Expected: ${expects}\n`,
    `  Instead:  ${detail}\n`,
    ...(line === null ? [] : [`  Look at:  ${file}:${line}\n`]),
    ...(story === null ? [] : [isBrief ? `  The run:  ${command} --all\n` : `\n${story}`]),
    ...(run === null || isBrief
      ? []
      : [
          `\n  In the playground (npm run playground${isOwnRun(run) ? ` -- --with ${file}` : ''}):\n  ${playgroundLink(run)}\n`,
        ]),
  ].join('');
}
