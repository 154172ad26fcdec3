/**
 * Measures many elections over one session in each of three processes, on a real ZooKeeper or in a Raft group of these
 * processes: what they cost while nothing happens, and what happens when one is killed. After `npm run build`:
 *
 *     node apps/lab/dist/measurements/session-kinds/live.js zookeeper|raft [elections] [timeout in ms]
 *
 * Prints JSON.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startZooKeeperEnsemble } from '@hustings/servers';
import { runTrial } from './trial.js';

const [, , kind = 'zookeeper', elections = '300', timeoutMs = '5000'] = process.argv;
const directory = await mkdtemp(join(tmpdir(), 'hustings-sessions-'));
const common = { elections: Number(elections), timeoutMs: Number(timeoutMs), quietMs: 20_000, directory };

async function onZooKeeper() {
  const ensemble = await startZooKeeperEnsemble();
  const requests = async (): Promise<number> =>
    Number(/zk_packets_received\s+(\d+)/.exec(await ensemble.ask(0, 'mntr'))?.[1]);
  try {
    return await runTrial({
      ...common,
      kind: 'zookeeper',
      hosts: ensemble.hosts.split(','),
      ports: [],
      requests,
    });
  } finally {
    await ensemble.stop();
  }
}

async function inGroup() {
  const ports = await Promise.all([1, 2, 3].map(freePort));
  return runTrial({ ...common, kind: 'raft', hosts: [], ports });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

try {
  console.log(JSON.stringify(await (kind === 'raft' ? inGroup() : onZooKeeper()), null, 2));
} finally {
  await rm(directory, { recursive: true, force: true });
}
