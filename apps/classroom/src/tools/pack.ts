#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { runTool, tool, UsageError } from '@hustings/command';
import { root } from '../places.js';

/** What students must not have, and what they do not need. */
const leftOut = [
  'apps/classroom/answers',
  'apps/classroom/test',
  'docs/data/classroom/kills.md',
  'docs/data/classroom/trial.md',
];

const command = tool(
  'class:pack',
  "Makes the students' archive: the repository as it was committed, without the answers.",
).option('--out <file>', 'the archive', 'hustings-classroom.tar.gz');

await runTool<{ out: string }>(command, ({ out }) => {
  const paths = leftOut.map((path) => `:(exclude)${path}`);
  const { status, stderr, error } = spawnSync(
    'git',
    ['archive', '--format=tar.gz', '--prefix=hustings/', '-o', resolve(out), 'HEAD', '.', ...paths],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) {
    const reason = error?.message ?? stderr.trim();
    throw new UsageError(
      `Could not pack what was committed (${reason}); run it in a clone of the repository, with an --out that can be written.`,
    );
  }
  process.stdout.write(`Wrote ${out}, without ${leftOut.join(', ')}.\n`);
});
