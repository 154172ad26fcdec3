import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readCourse } from '../src/course.js';
import { exerciseIds, exerciseOf } from '../src/exercises/index.js';
import { classroomFolder, root } from '../src/places.js';
import { killTable, type Proof, prove, provenExercises, readAnswers } from '../src/proof.js';

const course = readCourse();
const proofs = new Map<string, Proof[]>();

describe('the course', () => {
  it('has a grader for each exercise, and an exercise for each grader', () => {
    expect(course.map(({ id }) => id)).toEqual([...exerciseIds].sort());
  });

  it.each(course)('$id has a check for each of its lines', (facts) => {
    expect(Object.keys(exerciseOf(facts.id).checks).sort()).toEqual(
      facts.checks.map(({ name }) => name).sort(),
    );
  });

  it.each(course)('$id has a hint for each check, and its README names the time and the size', (facts) => {
    const read = (file: string): string =>
      readFileSync(`${classroomFolder}exercises/${facts.id}/${file}`, 'utf8');
    const hinted = [...read('hints.md').matchAll(/^## (\S+)$/gm)].map((match) => match[1]);
    expect(hinted).toEqual(facts.checks.map(({ name }) => name));
    expect(read('README.md')).toContain(`about ${facts.minutes} minutes`);
    expect(read('README.md')).toContain(`${facts.lines} lines`);
  });
});

describe.each(provenExercises())('$id', (facts) => {
  const answers = readAnswers(facts);

  it('has two right answers and six wrong ones, if it is about code', () => {
    const right = answers.filter(({ loses }) => loses.length === 0);
    const isCode = facts.file.endsWith('.ts');
    expect(right.length).toBeGreaterThanOrEqual(isCode ? 2 : 1);
    // The starter and the empty file are two more.
    expect(answers.length - right.length).toBeGreaterThanOrEqual(isCode ? 8 : 4);
  });

  it('takes from each answer what it deserves to lose, and nothing else', async () => {
    const found = await prove(facts, ['a-student']);
    proofs.set(facts.id, found);
    const lost = found.map(({ answer, lost: checks }) => ({ answer, checks }));
    expect(lost).toEqual(found.map(({ answer, expected }) => ({ answer, checks: expected })));
  });
});

interface Measured {
  readonly students: number;
  readonly exercises: Readonly<Record<string, unknown>>;
}

describe('right answers over two hundred students', () => {
  const measured = JSON.parse(readFileSync(`${root}docs/data/classroom/right.json`, 'utf8')) as Measured;

  it.each(provenExercises().filter(({ file }) => file.endsWith('.ts')))(
    '$id: none of them lost a point',
    (facts) => {
      const right = readAnswers(facts).flatMap(({ name, loses }) => (loses.length === 0 ? [name] : []));
      expect(measured.students).toBe(200);
      expect(measured.exercises[facts.id]).toEqual({ answers: right, lost: 0 });
    },
  );
});

describe('the kill table', () => {
  it('is the one that is committed', () => {
    const committed = readFileSync(`${root}docs/data/classroom/kills.md`, 'utf8');
    expect(killTable(provenExercises().flatMap(({ id }) => proofs.get(id) ?? []))).toBe(committed);
  });
});
