#!/usr/bin/env node
import { checkOut, columnsOf, runTool, tool, UsageError, writeOut } from '@hustings/command';
import { HustingsError } from '@hustings/elector';
import type { Replay } from '../search/judged.js';
import { replay } from '../search/replay.js';

interface Flags {
  readonly mutant?: string;
  readonly out?: string;
  readonly json: boolean;
}

const failureExitCode = 1;

const command = tool(
  'replay',
  'Runs once more what a name stands for, exactly as it was, and shows what happened.',
)
  .argument('<token>', 'the name of a run, as search or the benchmark printed it')
  .option('--mutant <name>', 'the mutant that it was a run of')
  .option('--out <directory>', 'where to write report, diagram, traces and scenario');

await runTool<Flags>(command, ({ mutant, out, json }) => {
  if (out !== undefined) checkOut(out);
  const replayed = replayRun(command.args[0]!, mutant);
  process.stdout.write(json ? toJson(replayed) : replayed.report);
  if (!replayed.verdict.holds) process.exitCode = failureExitCode;
  if (out !== undefined) writeOut(out, replayed.files());
});

function replayRun(name: string, mutant: string | undefined): Replay {
  try {
    return replay(name, { width: columnsOf(process.stdout), ...(mutant && { mutant }) });
  } catch (error) {
    throw error instanceof HustingsError ? new UsageError(error.message) : error;
  }
}

function toJson({ token, verdict, events }: Replay): string {
  // Tokens of leaders are big integers, which JSON has not.
  const asText = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value;
  return `${JSON.stringify({ token, verdict, events }, asText, 2)}\n`;
}
