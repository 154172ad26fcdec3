/**
 * How often the leader of three nodes changes while other processes compute without end, one for each processor, with
 * the timings of the front door. `node apps/lab/dist/measurements/calm/hogs.js [minutes] [timings] [hogs]`
 *
 * With the default timings there should be none. Every change counts, and so does a leader that is lost for a moment.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { freePorts, Processes } from '@hustings/servers';
import type { FromNode, NodeSettings } from './node-process.js';

const minutes = Number(process.argv[2] ?? 10);
const timings = (process.argv[3] ?? 'lan') as NodeSettings['timings'];
const ids = ['node-1', 'node-2', 'node-3'];
const hogs = Number(process.argv[4] ?? availableParallelism());

const heard: (FromNode & { readonly atMs: number })[] = [];
const startMs = performance.now();
const count = (type: FromNode['type']): number => heard.filter((each) => each.type === type).length;
const longestStallMs = (): number =>
  Math.max(0, ...heard.map(({ message }) => Number(/stood still for (\d+) ms/.exec(message)?.[1] ?? 0)));

const processes = await Processes.open('hustings-calm');
let isOver = false;
const failed = (): void => {
  if (!isOver) throw new Error('A process ended before its time.');
};
try {
  const ports = await freePorts(ids.length);
  const addresses = new Map(ids.map((id, index) => [id, `127.0.0.1:${ports[index]}`]));
  for (const id of ids) {
    const others = [...addresses].filter(([other]) => other !== id);
    const peers = Object.fromEntries(others.map(([other, address]) => [other, `ws://${address}`]));
    const directory = join(processes.directory, id);
    const settings: NodeSettings = { id, listen: addresses.get(id)!, peers, directory, timings };
    processes.start<NodeSettings, FromNode>(new URL('./node-process.js', import.meta.url), settings, {
      received: (event) => void heard.push({ ...event, atMs: Math.round(performance.now() - startMs) }),
      failed,
    });
  }
  while (count('leads') === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  for (let hog = 0; hog < hogs; hog += 1) {
    processes.start(new URL('./hog-process.js', import.meta.url), {}, { received: () => {}, failed });
  }
  for (let minute = 0; minute < minutes; minute += 1) {
    await new Promise((resolve) => setTimeout(resolve, 60_000 * Math.min(1, minutes - minute)));
    process.stderr.write(
      `after ${minute + 1} min: ${count('lost-leadership')} lost, longest stall ${longestStallMs()} ms\n`,
    );
  }
} finally {
  isOver = true;
  await processes.close();
}
const results = {
  minutes,
  timings,
  processors: availableParallelism(),
  hogs,
  elections: count('leads'),
  leadershipsLost: count('lost-leadership'),
  stalls: count('stalled'),
  longestStallMs: longestStallMs(),
  events: heard.filter(({ type }) => type === 'leads' || type === 'lost-leadership'),
};
const directory = new URL('../../../../../docs/data/calm/', import.meta.url);
mkdirSync(directory, { recursive: true });
writeFileSync(new URL(`${timings}.json`, directory), `${JSON.stringify(results, null, 2)}\n`);
process.stdout.write(
  `${timings}: ${results.leadershipsLost} leaderships lost in ${minutes} min beside ${hogs} hogs on ${results.processors} processors; longest stall ${results.longestStallMs} ms\n`,
);
