#!/usr/bin/env node
import { algorithmOption, columnsOf, runTool, tool, wrapped } from '@hustings/command';
import { type Kill, listKills, subjects } from '../mutants/kills.js';

interface Flags {
  readonly algorithm?: string;
  readonly json: boolean;
}

const survivorExitCode = 1;

const command = tool('mutants', 'Breaks the algorithms on purpose and says which check notices.').addOption(
  algorithmOption(
    'only the mutants of this algorithm',
    subjects.map((subject) => subject.algorithm),
  ),
);

await runTool<Flags>(command, ({ algorithm, json }) => {
  const chosen = subjects.filter((subject) => algorithm === undefined || subject.algorithm === algorithm);
  const kills = chosen.flatMap((subject) => {
    process.stderr.write(`${subject.algorithm}…\n`);
    return subject.kill();
  });
  process.stdout.write(
    json
      ? `${JSON.stringify(kills, null, 2)}\n`
      : wrapped(listKills(kills) + summary(kills), columnsOf(process.stdout)),
  );
  if (kills.some(({ killedBy }) => killedBy === null)) process.exitCode = survivorExitCode;
});

function summary(kills: readonly Kill[]): string {
  const survivors = kills.filter(({ killedBy }) => killedBy === null).length;
  return survivors === 0
    ? `\nAll ${kills.length} mutants were killed.\n`
    : `\n${survivors} of ${kills.length} mutants survived.\n`;
}
