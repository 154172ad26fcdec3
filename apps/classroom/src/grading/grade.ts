import { deriveSeed, formatRunName } from '@hustings/simulator';
import { SlipInRun, toSlip } from '../guard.js';
import type { Slip } from '../slips.js';
import type { CheckFacts, Draw, Exercise, ExerciseFacts, Finding, Submission, Watch } from './check.js';
import type { Outcome } from './report.js';

export interface GradeOptions {
  /** Whose seeds: the same name, the same runs. */
  readonly student: string;
  /** Whether findings are shrunk and told. */
  readonly tells: boolean;
  /** The checks that are left to do; all, unless it is here. */
  readonly from?: number;
  readonly watch?: Watch;
  /** By check: what came of those that drew nothing, of the same answer. It is the same for every student. */
  readonly settled?: Map<string, Outcome>;
  /** Told when a check begins, and when it has ended. */
  readonly begins?: (check: string) => void;
  readonly ended?: (outcome: Outcome) => void;
  /** The line of the student's file for a stack, and for a piece of its text. */
  readonly lineOf?: (stack: string | undefined) => number | null;
}

/** Grades an answer, check by check. The same answer and student, the same outcomes. */
export async function grade<Answer>(
  exercise: Exercise<Answer>,
  facts: ExerciseFacts,
  submission: Submission,
  options: GradeOptions,
): Promise<Outcome[]> {
  const { watch = () => {}, from = 0 } = options;
  const outcomes: Outcome[] = [];
  const end = (outcome: Outcome): void => {
    outcomes.push(outcome);
    options.ended?.(outcome);
  };
  let answer: Answer;
  try {
    answer = exercise.read(submission, watch, facts);
  } catch (error) {
    return refused(facts, toSlip(error), submission.text, options).map((outcome) => {
      options.ended?.(outcome);
      return outcome;
    });
  }
  for (const check of facts.checks.slice(from)) {
    options.begins?.(check.name);
    const needed = outcomes.find(({ name }) => name === check.needs);
    if (needed !== undefined && needed.earned === 0)
      end(lost(check, { detail: `Not asked before '${check.needs}' holds.` }));
    else
      end(
        options.settled?.get(check.name) ??
          (await outcomeOf(exercise, facts, check, answer, submission.text, options)),
      );
  }
  return outcomes;
}

async function outcomeOf<Answer>(
  exercise: Exercise<Answer>,
  facts: ExerciseFacts,
  check: CheckFacts,
  answer: Answer,
  text: string,
  options: GradeOptions,
): Promise<Outcome> {
  const find = exercise.checks[check.name];
  if (find === undefined) throw new RangeError(`${facts.id} has no check '${check.name}'.`);
  const draw = drawOf(facts.id, check.name, options);
  try {
    const finding = await find(answer, draw);
    const outcome = finding === null ? earned(check) : lost(check, finding, runOf(facts, finding));
    if (!draw.isUsed) options.settled?.set(check.name, outcome);
    return outcome;
  } catch (error) {
    const slip = error instanceof SlipInRun ? error.slip : toSlip(error);
    return slipped(check, slip, error instanceof SlipInRun ? error.message : slip.message, text, options);
  }
}

function drawOf(
  exercise: string,
  check: string,
  { student, tells }: GradeOptions,
): Draw & { readonly isUsed: boolean } {
  const base = deriveSeed(0, 'classroom', student, exercise, check);
  let isUsed = false;
  return {
    tells,
    seed(index) {
      isUsed = true;
      return deriveSeed(base, `${index}`);
    },
    get isUsed() {
      return isUsed;
    },
  };
}

const earned = ({ name, points, expects }: CheckFacts): Outcome => ({
  name,
  points,
  earned: points,
  expects,
  detail: null,
  story: null,
  run: null,
  slip: null,
  line: null,
});

const lost = (check: CheckFacts, { detail, story }: Finding, run: string | null = null): Outcome => ({
  ...earned(check),
  earned: 0,
  detail,
  story: story ?? null,
  run,
});

function slipped(
  check: CheckFacts,
  slip: Slip,
  sentence: string,
  text: string,
  { lineOf = () => null }: GradeOptions,
): Outcome {
  const line = lineOf(slip.stack) ?? lineQuoting(text, slip.quote);
  return { ...lost(check, { detail: sentence }), slip: slip.kind, line };
}

/** No check can be asked of what is no answer. */
export function refused(
  { checks }: ExerciseFacts,
  slip: Slip,
  text: string,
  options: GradeOptions,
): Outcome[] {
  return checks.slice(options.from ?? 0).map((check) => slipped(check, slip, slip.message, text, options));
}

function lineQuoting(text: string, quote: string | null): number | null {
  if (quote === null) return null;
  const index = text
    .split('\n')
    .findIndex((line) => line.includes(`'${quote}'`) || line.includes(`"${quote}"`));
  return index === -1 ? null : index + 1;
}

/** What the playground knows a student's elector by. */
export const guestName = (exercise: string): string => `my-${exercise}`;

/** Whether it is a run of what a student wrote. */
export const isOwnRun = (run: string): boolean => run.includes('.my-');

/** The run and the moment to look at, for the playground. */
function runOf({ id }: ExerciseFacts, finding: Finding): string | null {
  const { schedule, atMs, algorithm = guestName(id) } = finding;
  if (schedule === undefined) return null;
  const name = formatRunName({ algorithm, variant: 'default', type: 'schedule', schedule });
  return atMs === undefined ? name : `${name}&at=${atMs.toFixed(1)}`;
}
