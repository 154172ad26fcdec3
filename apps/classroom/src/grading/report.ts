/** What became of one submission: plain data, for the terminal, for JSON, for a table of two hundred. */

import type { SlipKind } from '../slips.js';
import type { ExerciseFacts } from './check.js';

/** What became of one check. */
export interface Outcome {
  readonly name: string;
  readonly points: number;
  readonly earned: number;
  readonly expects: string;
  /** What happened instead. Null where the points were earned. */
  readonly detail: string | null;
  readonly story: string | null;
  /** The run by its name, and the moment to look at, as the playground's address has them. */
  readonly run: string | null;
  readonly slip: SlipKind | null;
  /** In the student's file. */
  readonly line: number | null;
}

export interface Report {
  readonly exercise: string;
  readonly title: string;
  readonly student: string;
  readonly earned: number;
  readonly points: number;
  readonly outcomes: readonly Outcome[];
  /** What the student's code printed. */
  readonly output: readonly string[];
}

export function reportOf(
  facts: ExerciseFacts,
  student: string,
  outcomes: readonly Outcome[],
  output: readonly string[],
): Report {
  const sum = (field: 'earned' | 'points'): number =>
    outcomes.reduce((total, outcome) => total + outcome[field], 0);
  return {
    exercise: facts.id,
    title: facts.title,
    student,
    earned: sum('earned'),
    points: sum('points'),
    outcomes,
    output,
  };
}
