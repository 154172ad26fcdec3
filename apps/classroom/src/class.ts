/** A folder of submissions, and what became of them: one page and one table. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { UsageError } from '@hustings/command';
import type { ExerciseFacts } from './grading/check.js';
import type { Report } from './grading/report.js';

export interface Handed {
  readonly student: string;
  readonly facts: ExerciseFacts;
  readonly text: string;
}

/**
 * What was handed in, student by student: `submissions/ada/05-bully/bully.ts`, `submissions/ada/bully.ts`, or, for one
 * exercise alone, `submissions/ada.ts`. Throws `UsageError` when there is nothing.
 */
export function collect(folder: string, course: readonly ExerciseFacts[]): Handed[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`There is no folder '${folder}'; name the one that holds the submissions.`);
  }
  const handed = readdirSync(folder)
    .sort()
    .flatMap((name) => collectFrom(join(folder, name), course));
  if (handed.length > 0) return handed;
  const example = course[0]!;
  throw new UsageError(
    `There is no submission in '${folder}': it should hold files like ada/${example.id}/${example.file}.`,
  );
}

function collectFrom(path: string, course: readonly ExerciseFacts[]): Handed[] {
  if (statSync(path).isDirectory()) {
    return course.flatMap((facts) => {
      const file = [join(path, facts.id, facts.file), join(path, facts.file)].find((known) =>
        existsSync(known),
      );
      return file === undefined ? [] : [{ student: basename(path), facts, text: readFileSync(file, 'utf8') }];
    });
  }
  const [facts] = course;
  const isOnly = course.length === 1 && extname(path) === extname(facts!.file);
  return isOnly
    ? [{ student: basename(path, extname(path)), facts: facts!, text: readFileSync(path, 'utf8') }]
    : [];
}

/** For programs: points earned, of so many. */
export function toJson(reports: readonly Report[]): string {
  const rows = reports.map(({ earned, points, ...rest }) => ({ ...rest, points: earned, of: points }));
  return `${JSON.stringify(rows)}\n`;
}

/** A line for each submission, a column for each check. */
export function toCsv(reports: readonly Report[]): string {
  const checks = [...new Set(reports.flatMap(({ outcomes }) => outcomes.map(({ name }) => name)))];
  const header = ['student', 'exercise', 'earned', 'points', ...checks];
  const rows = reports.map(({ student, exercise, earned, points, outcomes }) => [
    student,
    exercise,
    earned,
    points,
    ...checks.map((check) => outcomes.find(({ name }) => name === check)?.earned ?? ''),
  ]);
  return [header, ...rows].map((row) => `${row.map(csvField).join(',')}\n`).join('');
}

/** A spreadsheet takes what begins with '=' for a formula, and students choose their names. */
function csvField(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t]/.test(value) ? `'${value}` : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function toHtml(reports: readonly Report[]): string {
  const exercises = [...new Set(reports.map(({ exercise }) => exercise))];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Class report</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1a1a1a; background: #fff }
  table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: 0.3rem 0.6rem; border-bottom: 1px solid #ccc; vertical-align: top }
  .bar { display: inline-block; height: 0.7rem; background: #1b6e53; vertical-align: middle } .lost { color: #a02020 } pre { overflow: auto; background: #f4f4f2; padding: 0.6rem; font-size: 13px }
  @media (prefers-color-scheme: dark) { body { color: #eee; background: #181818 } pre { background: #262626 } .lost { color: #ff9a90 } .bar { background: #5cc9a3 } th, td { border-color: #444 } }
</style>
<h1>Class report</h1>
${exercises.map((exercise) => exerciseHtml(reports.filter((report) => report.exercise === exercise))).join('\n')}
</html>
`;
}

function exerciseHtml(reports: readonly Report[]): string {
  const [first] = reports as [Report];
  const mean = reports.reduce((sum, { earned }) => sum + earned, 0) / reports.length;
  return `<h2>${escaped(first.title)}</h2>
<p>${reports.length} ${reports.length === 1 ? 'submission' : 'submissions'}, ${mean.toFixed(1)} of ${first.points} points on average.</p>
<table><thead><tr><th>check</th><th>earned by</th><th></th></tr></thead><tbody>
${first.outcomes.map(({ name, expects }) => checkHtml(reports, name, expects)).join('\n')}
</tbody></table>
<table><thead><tr><th>student</th><th>points</th><th>what is missing</th></tr></thead><tbody>
${reports.map(studentHtml).join('\n')}
</tbody></table>`;
}

function checkHtml(reports: readonly Report[], check: string, expects: string): string {
  const count = reports.filter(({ outcomes }) =>
    outcomes.some(({ name, detail }) => name === check && detail === null),
  ).length;
  const percent = Math.round((100 * count) / reports.length);
  return `<tr><td title="${escaped(expects)}">${escaped(check)}</td><td>${count} of ${reports.length}</td><td><span class="bar" style="width:${percent * 2}px"></span> ${percent} %</td></tr>`;
}

function studentHtml({ student, earned, points, outcomes }: Report): string {
  const lost = outcomes.filter(({ detail }) => detail !== null);
  const details = lost
    .map(({ name, detail, story, line }) => {
      const where = line === null ? '' : ` (line ${line})`;
      const run = story === null ? '' : `<pre>${escaped(story)}</pre>`;
      return `<p><b>${escaped(name)}</b>${where}: ${escaped(detail ?? '')}</p>${run}`;
    })
    .join('');
  const missing =
    lost.length === 0
      ? ''
      : `<details><summary class="lost">${lost.map(({ name }) => escaped(name)).join(', ')}</summary>${details}</details>`;
  return `<tr><td>${escaped(student)}</td><td>${earned} of ${points}</td><td>${missing}</td></tr>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
