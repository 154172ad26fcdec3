/** What a grader is made of: named checks, each of which finds nothing or says what it found. */

import type { Schedule } from '@hustings/simulator';

/** One line of an exercise's `exercise.json`. */
export interface CheckFacts {
  readonly name: string;
  readonly points: number;
  /** What is expected, in a sentence that a student reads. */
  readonly expects: string;
  /** The check without which this one means nothing: a node that does nothing is always safe. */
  readonly needs?: string;
}

export interface ExerciseFacts {
  /** `05-bully`: also the name of its folder. */
  readonly id: string;
  readonly title: string;
  readonly goal: string;
  /** The student's file. */
  readonly file: string;
  readonly minutes: number;
  /** How long an answer is, about. */
  readonly lines: number;
  /** Messages that flow while nothing happens. Stories leave them out. */
  readonly periodicMessages?: readonly string[];
  /** The messages and timers that `types.ts` names, where a misspelt one would do nothing and say nothing. */
  readonly messages?: readonly string[];
  readonly timers?: readonly string[];
  readonly checks: readonly CheckFacts[];
}

/** What a check found. */
export interface Finding {
  /** What happened instead, in a sentence. */
  readonly detail: string;
  /** The run in which it happened, as lines. */
  readonly story?: string;
  /** What replays it, and the moment to look at. */
  readonly schedule?: Schedule;
  readonly atMs?: number;
  /** Of whom it is a run. Default: of what the student wrote. */
  readonly algorithm?: string;
}

/** A source of seeds: the same for the same student, exercise and check. */
export interface Draw {
  seed(index: number): number;
  /** Whether a finding should be shrunk and told, or is only counted. */
  readonly tells: boolean;
}

export type Check<Answer> = (answer: Answer, draw: Draw) => Finding | null | Promise<Finding | null>;

/** A submission as the grader reads it. */
export interface Submission {
  readonly text: string;
  /** What a file with code exports; empty for other files. */
  readonly exports: Readonly<Record<string, unknown>>;
}

export interface Exercise<Answer> {
  readonly id: string;
  /** Modules of its own that a student's file may import, beside `@hustings/classroom`. */
  readonly given?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Throws a `Slip` when the file is no answer at all. */
  read(submission: Submission, watch: Watch, facts: ExerciseFacts): Answer;
  /** By name, as `exercise.json` has them. */
  readonly checks: Readonly<Record<string, Check<Answer>>>;
}

/** Told before each call of the student's code what it is about: `n3 heard ELECTION from n1`. */
export type Watch = (moment: () => string) => void;
