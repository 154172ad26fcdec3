/**
 * The grader, graded: right answers must earn every point, and each wrong answer must lose the points that it deserves
 * to lose, and no others. `answers/NN-name/expected.json` says which.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCourse, starterOf } from './course.js';
import type { ExerciseFacts } from './grading/check.js';
import { classroomFolder } from './places.js';
import { gradeTrusted } from './runner/run.js';

const answersFolder = join(classroomFolder, 'answers');

interface WrongAnswer {
  /** The mistake, in a sentence. */
  readonly why: string;
  /** A file of its own; or a right answer, and what is put in place of what. */
  readonly file?: string;
  readonly of?: string;
  readonly edits?: readonly (readonly [from: string, to: string])[];
  readonly loses: readonly string[];
  readonly keeps: readonly string[];
}

interface Expected {
  readonly right: readonly string[];
  readonly wrong: Readonly<Record<string, WrongAnswer>>;
}

export interface KnownAnswer {
  readonly name: string;
  readonly why: string;
  readonly text: string;
  /** The checks that it is to lose. */
  readonly loses: readonly string[];
}

/** The exercises that have answers here: not in the students' archive. */
export const provenExercises = (): ExerciseFacts[] =>
  readCourse().filter(({ id }) => existsSync(join(answersFolder, id, 'expected.json')));

/** Right ones first, then the wrong ones, the starter and an empty file. */
export function readAnswers(facts: ExerciseFacts): KnownAnswer[] {
  const folder = join(answersFolder, facts.id);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const { right, wrong } = JSON.parse(read('expected.json')) as Expected;
  const all = facts.checks.map(({ name }) => name);
  return [
    ...right.map((file) => ({ name: file, why: 'Right.', text: read(file), loses: [] })),
    ...Object.entries(wrong).map(([name, answer]) => ({
      name,
      why: answer.why,
      text: wrongText(name, answer, read),
      loses: checkedLosses(facts, name, answer),
    })),
    {
      name: 'starter',
      why: 'Nothing was written.',
      text: readFileSync(starterOf(facts), 'utf8'),
      loses: all,
    },
    { name: 'empty', why: 'The file is empty.', text: '', loses: all },
  ];
}

function wrongText(
  name: string,
  { file, of, edits = [] }: WrongAnswer,
  read: (file: string) => string,
): string {
  if (file !== undefined) return read(file);
  let text = read(of!);
  for (const [from, to] of edits) {
    const pattern = text.includes(from) ? from : patternOf(from);
    if (text.split(pattern).length !== 2)
      throw new RangeError(`${name}: '${from}' is not there exactly once.`);
    text = text.replace(pattern, () => to);
  }
  return text;
}

/** Wherever a formatter may break a line, it may. */
function patternOf(text: string): RegExp {
  const words = text.split(/\b\s+|\s+(?=\S)/);
  return new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'));
}

/** What is lost and what is kept are all there is: a check that was added must be thought about. */
function checkedLosses(
  { id, checks }: ExerciseFacts,
  name: string,
  { loses, keeps }: WrongAnswer,
): readonly string[] {
  const said = [...loses, ...keeps].sort();
  const all = checks.map((check) => check.name).sort();
  if (said.join() !== all.join())
    throw new RangeError(`${id}, ${name}: 'loses' and 'keeps' should be ${all.join(', ')}.`);
  return loses;
}

/** What one answer lost, in the order of the checks, for each student's seeds. */
export interface Proof {
  readonly exercise: string;
  readonly answer: string;
  readonly why: string;
  readonly expected: readonly string[];
  /** The checks that some student's seeds lost. */
  readonly lost: readonly string[];
  /** Those that some lost and others did not. */
  readonly wavering: readonly string[];
}

export async function prove(
  facts: ExerciseFacts,
  students: readonly string[],
  { rightOnly = false }: { readonly rightOnly?: boolean } = {},
): Promise<Proof[]> {
  const answers = readAnswers(facts).filter(({ loses }) => !rightOnly || loses.length === 0);
  const files = answers.flatMap(({ text }) => students.map((student) => ({ text, student })));
  const reports = await gradeTrusted(facts, files);
  return answers.map(({ name, why, loses }, index) => {
    const own = reports.slice(index * students.length, (index + 1) * students.length);
    const timesLost = facts.checks.map(({ name: check }) => ({
      check,
      times: own.filter(({ outcomes }) =>
        outcomes.some((outcome) => outcome.name === check && outcome.earned === 0),
      ).length,
    }));
    return {
      exercise: facts.id,
      answer: name,
      why,
      expected: facts.checks.map(({ name: check }) => check).filter((check) => loses.includes(check)),
      lost: timesLost.filter(({ times }) => times > 0).map(({ check }) => check),
      wavering: timesLost.filter(({ times }) => times > 0 && times < own.length).map(({ check }) => check),
    };
  });
}

/** The table that is committed: which checks each wrong answer loses. */
export function killTable(proofs: readonly Proof[]): string {
  const rows = proofs.map(
    ({ exercise, answer, why, lost }) =>
      `| ${exercise} | ${answer} | ${why} | ${lost.join(', ') || 'nothing'} |`,
  );
  return [
    '# What each answer loses',
    '',
    'Made by `npm run prove -w apps/classroom`; a test compares it with what the grader says today.',
    '',
    '| exercise | answer | what is wrong with it | checks that it loses |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
