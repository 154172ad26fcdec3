/** The folders of the course: what there is to do, and what has been done. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { UsageError } from '@hustings/command';
import type { ExerciseFacts } from './grading/check.js';
import type { Report } from './grading/report.js';
import { exercisesFolder, myFolder, root } from './places.js';

/** In their order. */
export function readCourse(folder: string = exercisesFolder): ExerciseFacts[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'exercise.json')))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name, 'exercise.json'), 'utf8')) as ExerciseFacts);
}

/** By `05`, `5`, `bully` or `05-bully`. Throws `UsageError`. */
export function findExercise(name: string): ExerciseFacts {
  const course = readCourse();
  const found = course.find(
    ({ id }) => id === name || id.startsWith(`${name.padStart(2, '0')}-`) || id.slice(3) === name,
  );
  if (found !== undefined) return found;
  const known = course.map(({ id }) => id.slice(0, 2)).join(', ');
  throw new UsageError(
    `There is no exercise '${name}'; choose from ${known}, as 'npm run exercise' lists them.`,
  );
}

export const pointsOf = ({ checks }: ExerciseFacts): number =>
  checks.reduce((total, { points }) => total + points, 0);

export const starterOf = ({ id, file }: ExerciseFacts): string =>
  join(exercisesFolder, id, `starter${extname(file)}`);

export const answerFile = ({ id, file }: ExerciseFacts, folder: string = myFolder): string =>
  join(folder, id, file);

/** Paths as one types them, from the root of the repository. */
export const fromRoot = (path: string): string => (path.startsWith(root) ? path.slice(root.length) : path);

/** Copies the starter, unless there is an answer already, and says whether it did. */
export function begin(facts: ExerciseFacts, folder: string = myFolder): boolean {
  const target = answerFile(facts, folder);
  mkdirSync(dirname(target), { recursive: true });
  writeEditorSettings(folder);
  for (const name of ['types.ts', 'cases.txt']) {
    const source = join(exercisesFolder, facts.id, name);
    if (existsSync(source)) cpSync(source, join(dirname(target), name));
  }
  if (existsSync(target)) return false;
  cpSync(starterOf(facts), target);
  return true;
}

/** So that an editor checks types as the repository does. */
function writeEditorSettings(folder: string): void {
  const settings = join(folder, 'tsconfig.json');
  if (existsSync(settings)) return;
  const compilerOptions = {
    composite: false,
    declaration: false,
    declarationMap: false,
    noEmit: true,
    noUnusedLocals: false,
    noUnusedParameters: false,
  };
  const contents = { extends: '../tsconfig.base.json', compilerOptions, include: ['.'] };
  writeFileSync(settings, `${JSON.stringify(contents, null, 2)}\n`);
}

/** The best result of each exercise. */
export type Progress = Readonly<Record<string, { readonly earned: number; readonly points: number }>>;

const progressFile = (folder: string): string => join(folder, 'progress.json');

export function readProgress(folder: string = myFolder): Progress {
  if (!existsSync(progressFile(folder))) return {};
  return JSON.parse(readFileSync(progressFile(folder), 'utf8')) as Progress;
}

export function remember({ exercise, earned, points }: Report, folder: string = myFolder): void {
  const progress = readProgress(folder);
  if ((progress[exercise]?.earned ?? -1) >= earned) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    progressFile(folder),
    `${JSON.stringify({ ...progress, [exercise]: { earned, points } }, null, 2)}\n`,
  );
}

/** The hints for one check, from the mildest on: paragraphs below its name in `hints.md`. */
export function hintsFor({ id }: ExerciseFacts, check: string): string[] {
  const text = readFileSync(join(exercisesFolder, id, 'hints.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.split('\n')[0]?.trim() === check);
  return (section ?? '')
    .split('\n')
    .slice(1)
    .join('\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
}
