#!/usr/bin/env node
import { columnsOf, runTool, tool, wrapped } from '@hustings/command';
import { compare, renderComparisons } from '../reproduce/table.js';
import { tables } from '../reproduce/tables.js';

const driftExitCode = 1;

const command = tool('reproduce', 'Measures published results again and prints ours beside them.');

await runTool<{ readonly json: boolean }>(command, ({ json }) => {
  const comparisons = compare(tables);
  process.stdout.write(
    json
      ? `${JSON.stringify(comparisons, null, 2)}\n`
      : wrapped(renderComparisons(tables, comparisons), columnsOf(process.stdout)),
  );
  if (comparisons.some(({ ok }) => !ok)) process.exitCode = driftExitCode;
});
