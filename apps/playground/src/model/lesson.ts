import { explain, type Statement } from '@hustings/simulator';
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
  return {
    title: titleOf(elector),
    outcome: outcomeOf(recording),
    answers: questions.map((question) => explain(recording, question)),
  };
}
