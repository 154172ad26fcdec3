import type { Exercise } from '../grading/check.js';
import { breakBullyExercise } from './break-bully.js';
import { bullyExercise } from './bully.js';
import { fenceExercise } from './fence-a-store.js';
import { raftVoteExercise } from './raft-vote.js';

/** An exercise whose kind of answer only it knows. */
type AnyExercise = Exercise<unknown>;

const anyExercise = <Answer>(exercise: Exercise<Answer>): AnyExercise => exercise as AnyExercise;

const exercises: ReadonlyMap<string, AnyExercise> = new Map(
  [
    anyExercise(breakBullyExercise),
    anyExercise(fenceExercise),
    anyExercise(bullyExercise),
    anyExercise(raftVoteExercise),
  ].map((exercise) => [exercise.id, exercise]),
);

export const exerciseIds: readonly string[] = [...exercises.keys()];

export function exerciseOf(id: string): AnyExercise {
  const found = exercises.get(id);
  if (found === undefined) throw new RangeError(`There is no exercise ${id}.`);
  return found;
}
