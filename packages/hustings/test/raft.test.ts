import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HustingsElector, lead, raftElector } from 'hustings/raft';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const secret = 'a secret of at least sixteen bytes';
let directory: string;
const electors: HustingsElector[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-'));
});

afterEach(async () => {
  await Promise.all(electors.splice(0).map((elector) => elector.stop()));
  await rm(directory, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function three(): Promise<HustingsElector[]> {
  const ports = new Map<string, number>();
  for (const id of ['node-1', 'node-2', 'node-3']) ports.set(id, await freePort());
  return [...ports].map(([id, port]) => {
    const others = [...ports].filter(([other]) => other !== id);
    const peers = Object.fromEntries(others.map(([other, at]) => [other, `ws://127.0.0.1:${at}`]));
    const listen = `127.0.0.1:${port}`;
    const elector = raftElector({ id, listen, secret, directory, peers, logger: false });
    electors.push(elector);
    return elector;
  });
}

describe('three nodes that were never started', () => {
  it('elect one leader at a time when they are asked to lead', async () => {
    const tokens: bigint[] = [];
    const runs = (await three()).map((elector) =>
      lead(elector, async ({ token }) => {
        tokens.push(token);
      }),
    );
    await Promise.all(runs);
    expect(new Set(tokens).size).toBe(3);
  });
});
