import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const example = join(root, 'docs/examples/leader.mjs');
const running: ChildProcess[] = [];
const directories: string[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Starts the example once for each id, as a user would on as many machines. */
async function startCluster(ids: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'hustings-example-'));
  directories.push(directory);
  const ports = new Map(await Promise.all(ids.map(async (id) => [id, await freePort()] as const)));
  const said: string[] = [];
  const children = new Map<string, ChildProcess>();
  for (const id of ids) {
    const peers = Object.fromEntries(
      ids.filter((peer) => peer !== id).map((peer) => [peer, `ws://127.0.0.1:${ports.get(peer)}`]),
    );
    const listen = { host: '127.0.0.1', port: ports.get(id) };
    const config = { id, listen, peers, directory, secret: 'a secret of at least sixteen bytes' };
    const child = spawn(process.execPath, [example], {
      env: { ...process.env, NODE_CONFIG: JSON.stringify(config) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.on('data', (chunk: Buffer) => said.push(...chunk.toString().trimEnd().split('\n')));
    running.push(child);
    children.set(id, child);
  }
  return { said, children };
}

describe('the example of the README', () => {
  it('is the file that this test runs', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(readFileSync(example, 'utf8'));
  });

  it('has one node lead, and another one with a greater token when that one is killed', async () => {
    const { said, children } = await startCluster(['node-1', 'node-2', 'node-3']);
    const leaders = () =>
      said.flatMap((line) => {
        const [, id = '', token] = /^(\S+) leads with token (\d+)$/.exec(line) ?? [];
        return token === undefined ? [] : [{ id, token: Number(token) }];
      });
    await expect.poll(() => leaders().length, { timeout: 20_000 }).toBeGreaterThan(0);
    const killed = leaders().at(-1)!;
    children.get(killed.id)?.kill('SIGKILL');
    const succeeded = () => leaders().some(({ id, token }) => id !== killed.id && token > killed.token);
    await expect.poll(succeeded, { timeout: 20_000 }).toBe(true);
  });
});
