/** `hustings run` with every elector that has a flag and a server to try it on. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  findConsul,
  startConsul,
  startDynamoEmulator,
  startPostgres,
  startRedis,
  startZooKeeperEnsemble,
} from '@hustings/servers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Hustings } from './hustings.js';

let directory: string;
let passwordFile: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'hustings-electors-'));
  writeFileSync(join(directory, 'secret'), 'a secret of at least sixteen bytes\n');
  passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, 'of no user\n');
});
afterEach(() => void vi.unstubAllEnvs());
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

async function createTable(TableName: string): Promise<void> {
  const client = new DynamoDBClient({});
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'election', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'election', KeyType: 'HASH' }],
    }),
  );
  client.destroy();
}

// Where CI runs it must be there: `npm run setup` has fetched it.
const isConsulMissing = (await findConsul()) === null && process.env['CI'] === undefined;

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
      await runsWith('--postgres', postgres.url, '--election', 'billing', '--password-file', passwordFile);
    } finally {
      await postgres.stop();
    }
  });

  it('on Redis', async () => {
    const redis = await startRedis();
    try {
      await runsWith('--redis', redis.urls[0]!, '--election', 'billing');
      await redis.cli(0, 'CONFIG', 'SET', 'requirepass', 'of no user');
      await runsWith('--redis', redis.urls[0]!, '--election', 'billing', '--password-file', passwordFile);
    } finally {
      await redis.stop();
    }
  });

  it.skipIf(isConsulMissing)('on Consul', async () => {
    const consul = await startConsul();
    try {
      await runsWith('--consul', consul.url, '--election', 'billing');
    } finally {
      await consul.stop();
    }
  });

  it('on DynamoDB, as Amazon’s own programs find it', async () => {
    const emulator = await startDynamoEmulator();
    vi.stubEnv('AWS_REGION', 'local');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'any');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', emulator.url);
    try {
      await createTable('leases');
      await runsWith('--dynamodb', 'leases', '--election', 'billing');
    } finally {
      await emulator.stop();
    }
  });

  it('not on DynamoDB of no region', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_CONFIG_FILE', join(directory, 'none'));
    await using node = new Hustings('run', '--dynamodb', 'leases', '--election', 'billing', ...command);
    expect(await node.exitCode()).toBe(2);
    expect(node.said).toContain('--dynamodb needs a region: set AWS_REGION');
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
