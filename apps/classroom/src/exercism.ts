/** A report as `results.json` of Exercism's test runners, version 3, with what that format has no field for. */

import type { Outcome, Report } from './grading/report.js';

export interface Results {
  readonly version: 3;
  readonly status: 'pass' | 'fail' | 'error';
  /** Set where the file could not be run at all. */
  readonly message: string | null;
  readonly tests: readonly (Outcome & {
    readonly status: 'pass' | 'fail';
    readonly message: string | null;
    readonly test_code: string;
    readonly output: string | null;
  })[];
  readonly exercise: string;
  readonly student: string;
  readonly earned: number;
  readonly points: number;
}

export function toResults({ exercise, student, earned, points, outcomes, output }: Report): Results {
  const unrunnable = outcomes.every(
    ({ slip }) => slip === 'syntax' || slip === 'no-export' || slip === 'forbidden-import',
  );
  return {
    version: 3,
    status: unrunnable ? 'error' : earned === points ? 'pass' : 'fail',
    message: unrunnable ? (outcomes[0]?.detail ?? null) : null,
    tests: outcomes.map((outcome) => ({
      ...outcome,
      status: outcome.detail === null ? 'pass' : 'fail',
      message:
        outcome.detail === null
          ? null
          : [outcome.detail, outcome.story].filter((part) => part !== null).join('\n'),
      test_code: outcome.expects,
      output: output.length === 0 ? null : output.join('\n'),
    })),
    exercise,
    student,
    earned,
    points,
  };
}
