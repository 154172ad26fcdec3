import { describe, expect, it, vi } from 'vitest';
import type { ExerciseFacts, Finding } from '../src/grading/check.js';
import { grade } from '../src/grading/grade.js';
import type { Outcome } from '../src/grading/report.js';

const facts: ExerciseFacts = {
  ...{ id: '99-test', title: 'Test', goal: '', file: 'test.txt', minutes: 1, lines: 1 },
  checks: [
    { name: 'fixed', points: 1, expects: 'The same.' },
    { name: 'drawn', points: 1, expects: 'By lot.' },
  ],
};

describe('an answer that is graded for two students', () => {
  const fixed = vi.fn((): Finding | null => ({ detail: 'No.' }));
  const drawn = vi.fn((_answer: string, draw: { seed(index: number): number }): Finding | null => ({
    detail: `${draw.seed(0)}`,
  }));
  const exercise = { id: facts.id, read: () => '', checks: { fixed, drawn } };
  const settled = new Map<string, Outcome>();
  const gradeFor = (student: string): Promise<Outcome[]> =>
    grade(exercise, facts, { text: '', exports: {} }, { student, tells: false, settled });

  it('is asked once what does not depend on the student, and what does for each', async () => {
    const [ada, grace] = [await gradeFor('ada'), await gradeFor('grace')];
    expect([fixed.mock.calls.length, drawn.mock.calls.length]).toEqual([1, 2]);
    expect(grace[0]).toEqual(ada[0]);
    expect(grace[1]).not.toEqual(ada[1]);
  });
});
