/** A report for a terminal: what was expected, what happened instead, and where to look. */

import type { Outcome, Report } from './grading/report.js';

export interface TellOptions {
  /** The file that was graded, as one types it. */
  readonly file: string;
  /** What to type for a hint. */
  readonly hintCommand: string;
}

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
    isDone ? '\nAll done. What is next: npm run exercise\n' : `\nA hint: ${options.hintCommand}\n`,
  ].join('');
}

const tellLine = ({ name, points, earned, detail }: Outcome): string =>
  `  ${detail === null ? '✓' : '✗'} ${`${earned}/${points}`.padEnd(4)} ${name}\n`;

/** The same slip is told once, however many checks it costs. */
function tellFailures(failed: readonly Outcome[], options: TellOptions): string[] {
  const told: string[] = [];
  const known = new Map<string, string>();
  for (const outcome of failed) {
    const detail = outcome.detail ?? '';
    const first = outcome.slip === null ? undefined : known.get(slipKey(outcome));
    if (first !== undefined) told.push(`\n✗ ${outcome.name}: as in ${first}.\n`);
    else if (outcome.story === null && detail.startsWith('Not asked')) continue;
    else told.push(tellFailure(outcome, options));
    known.set(slipKey(outcome), outcome.name);
  }
  return told;
}

const slipKey = ({ slip, line, detail }: Outcome): string => `${slip} ${line ?? detail}`;

function tellFailure(outcome: Outcome, { file }: TellOptions): string {
  const { name, expects, detail, story, run, line } = outcome;
  return [
    `\n✗ ${name}\n`,
    `  Expected: ${expects}\n`,
    `  Instead:  ${detail}\n`,
    ...(line === null ? [] : [`  Look at:  ${file}:${line}\n`]),
    ...(story === null ? [] : [`\n${story}`]),
    ...(run === null
      ? []
      : [`\n  In the playground (npm run playground -- --with ${file}):\n  ${playgroundLink(run)}\n`]),
  ].join('');
}
