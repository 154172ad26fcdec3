#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { runTool, tool, UsageError, wholeNumberOption } from '@hustings/command';
import { findExercise } from '../course.js';
import { inParallel } from '../parallel.js';
import { killTable, type Proof, prove, provenExercises } from '../proof.js';

interface Flags {
  readonly json: boolean;
  readonly students: number;
  readonly right: boolean;
}

const command = tool(
  'prove',
  'Grades the grader: known answers, right and wrong, must lose what they should.',
)
  .argument('[exercise]', 'only this one')
  .option('--right', 'only the right answers, which must lose nothing', false)
  .addOption(
    wholeNumberOption(
      '--students',
      'how many students to grade each answer for, with seeds of their own',
      1,
    ).default(3),
  );

await runTool<Flags>(command, async ({ json, students, right }) => {
  const [name] = command.args;
  const exercises = name === undefined ? provenExercises() : [findExercise(name)];
  const names = Array.from({ length: students }, (_, index) => `student-${index + 1}`);
  const startedMs = performance.now();
  const proofs = (
    await inParallel(exercises, availableParallelism(), (facts) => prove(facts, names, { rightOnly: right }))
  ).flat();
  const tookMs = Math.round(performance.now() - startedMs);
  process.stdout.write(
    json ? `${JSON.stringify({ students, tookMs, proofs }, null, 1)}\n` : killTable(proofs),
  );
  const wrong = proofs.filter(isWrong);
  for (const proof of wrong) process.stderr.write(tellWrong(proof));
  process.stderr.write(
    `${proofs.length} answers for ${students} students in ${(tookMs / 1000).toFixed(1)} s\n`,
  );
  if (wrong.length > 0)
    throw new UsageError(`${wrong.length} answers do not lose what answers/*/expected.json says.`);
});

function isWrong({ expected, lost, wavering }: Proof): boolean {
  return expected.join() !== lost.join() || wavering.length > 0;
}

function tellWrong({ exercise, answer, expected, lost, wavering }: Proof): string {
  return `${exercise} ${answer}\n  expected ${expected.join(', ') || 'nothing'}\n  lost     ${lost.join(', ') || 'nothing'}\n  wavering ${wavering.join(', ') || 'nothing'}\n`;
}
