import { parseSchedule } from '@hustings/simulator';
import { electorOf } from '../src/model/address.js';
import { lessonOf } from '../src/model/lesson.js';
import { type Run, recordRun } from '../src/model/run.js';
import type { Scenario } from '../src/model/scenarios.js';

export const goldenPath = ({ id }: Scenario): string =>
  new URL(`./explanations/${id}.txt`, import.meta.url).pathname;

export async function runsOf({ electors, schedule }: Scenario): Promise<Run[]> {
  const runs: Run[] = [];
  for (const key of electors) {
    runs.push(await recordRun(electorOf(key), parseSchedule(schedule), async () => {}));
  }
  return runs;
}

/** All that the page says when the scenario is over, a line for each sentence. */
export async function tellScenario(scenario: Scenario): Promise<string> {
  const lessons = (await runsOf(scenario)).map((run) => lessonOf(run, scenario));
  const told = lessons.map(({ title, outcome, answers }) =>
    [title, outcome.text, ...answers.flatMap((statements) => statements.map(({ text }) => text))].join('\n'),
  );
  return `${told.join('\n\n')}\n`;
}
