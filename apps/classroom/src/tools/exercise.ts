#!/usr/bin/env node
import { runTool, tool } from '@hustings/command';
import { answerFile, begin, findExercise, fromRoot, pointsOf, readCourse, readProgress } from '../course.js';
import type { ExerciseFacts } from '../grading/check.js';
import { exercisesFolder } from '../places.js';

const command = tool('exercise', 'Lists the exercises, or begins one.').argument(
  '[exercise]',
  "the exercise to begin, such as '05'",
);

await runTool<{ json: boolean }>(command, ({ json }) => {
  const [name] = command.args;
  if (name !== undefined) process.stdout.write(tellBeginning(findExercise(name)));
  else if (json)
    process.stdout.write(`${JSON.stringify({ course: readCourse(), progress: readProgress() })}\n`);
  else process.stdout.write(tellCourse());
});

function tellCourse(): string {
  const course = readCourse();
  const progress = readProgress();
  const next = course.find((facts) => (progress[facts.id]?.earned ?? 0) < pointsOf(facts));
  const width = Math.max(...course.map(({ title }) => title.length));
  const lines = course.map((facts) => {
    const points = `${progress[facts.id]?.earned ?? '–'}`.padStart(3);
    const mark = facts === next ? '→' : ' ';
    return `${mark} ${facts.id.slice(0, 2)}  ${facts.title.padEnd(width)} ${points} of ${pointsOf(facts)} points, about ${facts.minutes} min`;
  });
  const hint = next === undefined ? 'All done.' : `Begin with:  npm run exercise -- ${next.id.slice(0, 2)}`;
  return `${lines.join('\n')}\n\n${hint}\n`;
}

function tellBeginning(facts: ExerciseFacts): string {
  const isNew = begin(facts);
  const number = facts.id.slice(0, 2);
  return [
    `${number} ${facts.title}. ${facts.goal}`,
    '',
    `Read:   ${fromRoot(exercisesFolder)}${facts.id}/README.md (about ${facts.minutes} minutes in all, ${facts.lines} lines)`,
    `Write:  ${fromRoot(answerFile(facts))}${isNew ? '' : ', which is there already and was left as it is'}`,
    `Grade:  npm run grade -- ${number}`,
    '',
  ].join('\n');
}
