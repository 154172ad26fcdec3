/** What the grader and the process of the student's code tell each other: JSON, a line each. */

import type { Schedule } from '@hustings/simulator';
import type { ExerciseFacts } from '../grading/check.js';
import type { Outcome } from '../grading/report.js';
import type { Compiled } from './compile.js';

export interface Job {
  readonly facts: ExerciseFacts;
  readonly text: string;
  /** Null for an answer that is no code. */
  readonly compiled: Compiled | null;
  readonly student: string;
  readonly tells: boolean;
  /** A run to tell instead of grading. */
  readonly replay?: Schedule;
  /** The check to begin with: those before it are done. */
  readonly from: number;
  /** Whether every call of the student's code is told before it is made. */
  readonly logs: boolean;
}

export type Line =
  | { readonly type: 'begins'; readonly check: string }
  | { readonly type: 'ended'; readonly outcome: Outcome }
  | { readonly type: 'told'; readonly story: string | null }
  | { readonly type: 'calls'; readonly moment: string }
  | { readonly type: 'output'; readonly output: readonly string[] }
  | { readonly type: 'done' };
