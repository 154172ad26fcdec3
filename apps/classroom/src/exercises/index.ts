import type { Exercise } from '../grading/check.js';
import { breakBullyExercise } from './break-bully.js';
import { bullyExercise } from './bully.js';
import { capstoneExercise } from './capstone.js';
import { chooseTtlExercise } from './choose-a-ttl.js';
import { fenceExercise } from './fence-a-store.js';
import { findTheEventExercise } from './find-the-event.js';
import { gcPauseExercise } from './gc-pause.js';
import { killMutantsExercise } from './kill-the-mutants.js';
import { leaseGuardExercise } from './lease-with-a-guard.js';
import { middleCandidateExercise } from './middle-candidate.js';
import { preVoteExercise } from './pre-vote.js';
import { predecessorExercise } from './predecessor.js';
import { raftVoteExercise } from './raft-vote.js';
import { ringExercise } from './ring.js';
import { transferExercise } from './transfer.js';

/** An exercise whose kind of answer only it knows. */
type AnyExercise = Exercise<unknown>;

const anyExercise = <Answer>(exercise: Exercise<Answer>): AnyExercise => exercise as AnyExercise;

const exercises: ReadonlyMap<string, AnyExercise> = new Map(
  [
    anyExercise(breakBullyExercise),
    anyExercise(findTheEventExercise),
    anyExercise(chooseTtlExercise),
    anyExercise(fenceExercise),
    anyExercise(bullyExercise),
    anyExercise(gcPauseExercise),
    anyExercise(leaseGuardExercise),
    anyExercise(killMutantsExercise),
    anyExercise(raftVoteExercise),
    anyExercise(preVoteExercise),
    anyExercise(ringExercise),
    anyExercise(predecessorExercise),
    anyExercise(middleCandidateExercise),
    anyExercise(transferExercise),
    anyExercise(capstoneExercise),
  ].map((exercise) => [exercise.id, exercise]),
);

export const exerciseIds: readonly string[] = [...exercises.keys()];

export function exerciseOf(id: string): AnyExercise {
  const found = exercises.get(id);
  if (found === undefined) throw new RangeError(`There is no exercise ${id}.`);
  return found;
}
