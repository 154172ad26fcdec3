/**
 * What a cluster of five costs while nothing happens: processor time and memory of each node, heartbeats every
 * 50 ms. `node apps/lab/dist/measurements/raft/idle.js [seconds]`; Linux only, for it reads /proc.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { startOurs } from './cluster.js';

const seconds = Number(process.argv[2] ?? 600);
const samples = 10;
/** What /proc counts processor time in, on every Linux that Node runs on. */
const ticksPerSecond = 100;

function processorSeconds(pid: number): number {
  // The second field is the name, in brackets, and may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function residentMiB(pid: number): number {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 102.4) / 10;
}

const cluster = await startOurs({ heartbeatMs: 50, electionTimeoutMs: [250, 500] });
try {
  const { pids } = cluster;
  const before = pids.map(processorSeconds);
  const memory = [pids.map(residentMiB)];
  for (let sample = 1; sample <= samples; sample += 1) {
    await new Promise((resolve) => setTimeout(resolve, (seconds * 1000) / samples));
    memory.push(pids.map(residentMiB));
    process.stderr.write(`${(seconds * sample) / samples} s: ${memory.at(-1)?.join(', ')} MiB\n`);
  }
  const percentOfACore = pids.map(
    (pid, index) => Math.round(((processorSeconds(pid) - before[index]!) / seconds) * 10_000) / 100,
  );
  const results = { seconds, heartbeatMs: 50, percentOfACore, residentMiB: memory };
  writeFileSync(
    new URL('../../../../../docs/data/raft/idle.json', import.meta.url),
    `${JSON.stringify(results, null, 2)}\n`,
  );
  process.stdout.write(`percent of a core, by node: ${percentOfACore.join(', ')}\n`);
} finally {
  await cluster.stop();
}
