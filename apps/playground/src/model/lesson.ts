import { explain, type Question, type Recording, type Statement } from '@hustings/simulator';
import { type Run, titleOf } from './run.js';
import { questionsOf, type Scenario } from './scenarios.js';
import { outcomeOf, type Verdict } from './verdict.js';

export interface Lesson {
  readonly title: string;
  readonly outcome: Verdict;
  readonly answers: readonly (readonly Statement[])[];
}

/** What is said about one elector when the scenario is over. */
export function lessonOf({ elector, recording }: Run, { themes, fromMs }: Scenario): Lesson {
  const questions = themes.flatMap((theme) => questionsOf(recording, theme, fromMs));
  const isTold = (question: Question): boolean =>
    question.type === 'tenure' && questions.some((other) => endsWith(recording, other, question.tenure));
  return {
    title: titleOf(elector),
    outcome: outcomeOf(recording),
    answers: questions
      .filter((question) => !isTold(question))
      .map((question) => explain(recording, question)),
  };
}

/** Why nobody led is told up to the next leader: why that one leads need not be told again. */
const endsWith = ({ facts }: Recording, question: Question, tenure: number): boolean =>
  question.type === 'reign' && question.reign.untilMs === facts.tenures[tenure]!.beganMs;
