/** A report as `results.json` of Exercism's test runners, version 3, with what that format has no field for. */

import type { Outcome, Report } from './grading/report.js';
import { playgroundLink } from './tell.js';

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
  readonly hustings: {
    readonly exercise: string;
    /** Earned, of so many. */
    readonly points: number;
    readonly of: number;
    /** The student's name: all seeds are drawn from it. */
    readonly seed: string;
    /** The first run that fails, by its name, and where the playground shows it; null where there is none. */
    readonly token: string | null;
    readonly link: string | null;
    /** The mildest hint for the first check that fails. */
    readonly hint: string | null;
    /** How long grading took. */
    readonly ms: number;
  };
}

export function toResults(
  { exercise, student, earned, points, outcomes, output }: Report,
  { hint, ms }: { readonly hint: string | null; readonly ms: number },
): Results {
  const run = outcomes.find((outcome) => outcome.run !== null)?.run ?? null;
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
    hustings: {
      exercise,
      points: earned,
      of: points,
      seed: student,
      token: run?.replace(/&at=.*$/, '') ?? null,
      link: run === null ? null : playgroundLink(run),
      hint,
      ms,
    },
  };
}
