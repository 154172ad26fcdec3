/**
 * Measures how long the README's first example takes to hand over: from SIGTERM to the line of the next leader. Three
 * nodes; each that has left comes back. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/run/readme.js [trials] [FILE]
 *
 * FILE is the example, copied to where the packages are installed; default docs/examples/leader.mjs. Prints JSON.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { spread } from './spread.js';

const example = fileURLToPath(new URL('../../../../../docs/examples/leader.mjs', import.meta.url));
const [, , trials = '15', file = example] = process.argv;
const ids = ['node-1', 'node-2', 'node-3'];
const firstPort = 20_000 + (process.pid % 20_000);
const patienceMs = 30_000;

const directory = mkdtempSync(join(tmpdir(), 'hustings-readme-'));
const children = new Map<string, ChildProcess>();
const leaders: { readonly id: string; readonly atMs: number }[] = [];

try {
  console.log(JSON.stringify(await measure(Number(trials)), null, 2));
} finally {
  for (const child of children.values()) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}

async function measure(trials: number) {
  for (const id of ids) start(id);
  await until('somebody leads', patienceMs, () => leaders.length === 1);
  const handOverMs: number[] = [];
  while (handOverMs.length < trials) {
    // Long enough for the one that came back to be part of the majority again, on a busy machine, too.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    handOverMs.push(await handOver(leaders.at(-1)!.id));
    console.error(`${handOverMs.length} of ${trials}: ${Math.round(handOverMs.at(-1)!)} ms`);
  }
  return {
    what: 'SIGTERM to the next leader',
    nodes: ids.length,
    trials,
    load: loadavg()[0],
    handOverMs: spread(handOverMs),
  };
}

async function handOver(id: string): Promise<number> {
  const child = children.get(id)!;
  const before = leaders.length;
  const ended = once(child, 'exit');
  const atMs = monotonicMs();
  child.kill('SIGTERM');
  await until('the next one leads', patienceMs, () => leaders.length > before);
  await ended;
  start(id);
  return leaders[before]!.atMs - atMs;
}

function start(id: string): void {
  const address = (each: string) => `127.0.0.1:${firstPort + ids.indexOf(each)}`;
  const peers = Object.fromEntries(
    ids.filter((each) => each !== id).map((each) => [each, `ws://${address(each)}`]),
  );
  const config = { id, listen: address(id), peers, directory, secret: 'a secret of at least sixteen bytes' };
  const env = { ...process.env, NODE_CONFIG: JSON.stringify(config) };
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  children.set(id, child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('leads with token')) leaders.push({ id, atMs: monotonicMs() });
  });
}
