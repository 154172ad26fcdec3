/** `hustings run` with every elector that has a flag and a server to try it on. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, startRedis, startZooKeeperEnsemble } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Hustings } from './hustings.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'hustings-electors-'));
  writeFileSync(join(directory, 'secret'), 'a secret of at least sixteen bytes\n');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const command = ['--', 'sh', '-c', 'echo token=$HUSTINGS_TOKEN'];

async function runsWith(...flags: string[]): Promise<void> {
  await using node = new Hustings('run', ...flags, ...command);
  expect(await node.exitCode()).toBe(0);
  expect(node.said).toMatch(/^token=\d+$/m);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('hustings run elects', () => {
  it('on ZooKeeper', async () => {
    const zookeeper = await startZooKeeperEnsemble();
    try {
      await runsWith('--zookeeper', zookeeper.hosts, '--election', 'billing');
    } finally {
      await zookeeper.stop();
    }
  });

  it('on PostgreSQL', async () => {
    const postgres = await startPostgres();
    try {
      await runsWith('--postgres', postgres.url, '--election', 'billing');
    } finally {
      await postgres.stop();
    }
  });

  it('on Redis', async () => {
    const redis = await startRedis();
    try {
      await runsWith('--redis', redis.urls[0]!, '--election', 'billing');
    } finally {
      await redis.stop();
    }
  });

  it('on this machine', async () => {
    await runsWith('--local', join(directory, 'local'), '--election', 'billing');
  });

  it.each(['raft', 'bully', 'ring'])('by %s, with one list of peers for all nodes', async (name) => {
    const ids = ['node-1', 'node-2', 'node-3'];
    const ports = await Promise.all(ids.map(freePort));
    const peers = ids.map((id, index) => `${id}=ws://127.0.0.1:${ports[index]}`).join(',');
    const start = (id: string, index: number) =>
      new Hustings(
        ...['run', `--${name}`, `127.0.0.1:${ports[index]}`, '--id', id, '--peers', peers],
        ...['--directory', join(directory, name, id), '--secret-file', join(directory, 'secret')],
        ...['--', 'sh', '-c', 'echo token=$HUSTINGS_TOKEN; sleep 300'],
      );
    await using first = start('node-1', 0);
    await using second = start('node-2', 1);
    await using third = start('node-3', 2);
    await Promise.any([first, second, third].map((node) => node.says(/^token=\d+$/m)));
  });
});
