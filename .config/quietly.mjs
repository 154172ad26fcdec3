// Runs a command and shows nothing of it, unless it fails: students want to see their points, not our build.
import { spawn } from 'node:child_process';

/** Longer than a build in which nothing has changed. */
const patienceMs = 3000;

const [command, ...options] = process.argv.slice(2);
const child = spawn(command, options, { stdio: ['ignore', 'pipe', 'pipe'] });
const said = [];
child.stdout.on('data', (part) => said.push(part));
child.stderr.on('data', (part) => said.push(part));

const sayWhy = () =>
  process.stderr.write('Building what has changed. The first time, this may take a minute.\n');
const timer = setTimeout(sayWhy, patienceMs);

child.once('close', (status) => {
  clearTimeout(timer);
  if (status !== 0) process.stderr.write(Buffer.concat(said));
  process.exitCode = status ?? 1;
});
