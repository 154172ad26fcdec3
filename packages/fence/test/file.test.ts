import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fileFence, tokenFile } from '../src/file.js';
import { describeGuard } from './guard-suite.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-fence-'));
});
afterAll(() => rm(directory, { recursive: true }));

const pathOf = (resource: string) => join(directory, `${resource}.txt`);

describeGuard<void>({
  name: 'a file',
  guard: async (resource) => fileFence({ directory, resource }),
  write: (_access, resource, text) => writeFile(pathOf(resource), text),
  read: (resource) => readFile(pathOf(resource), 'utf8').catch(() => null),
  isTransactional: false,
  runs: 10,
});

describe('given another process at work on the same file', () => {
  const script = fileURLToPath(new URL('./file-process.mjs', import.meta.url));
  const newer = { token: 4n, holder: 'b#1' };

  it('waits until it has ended, and gives up when it has been patient', async () => {
    const other = await supervise(process.execPath, [script, directory, 'held']);
    await vi.waitUntil(() => other.lines.includes('at work'), { timeout: 20_000 });
    const impatient = fileFence({ directory, resource: 'held', patienceMs: 100 });
    await expect(impatient.run(newer, async () => {})).rejects.toThrow(`Process ${other.pid} uses it.`);
    const patient = fileFence({ directory, resource: 'held' }).run(newer, async () => 'done');
    await other.stop();
    expect(await patient).toBe('done');
  });
});

describe('given a directory in which nobody can be alone', () => {
  it('says so at once: no patience helps', async () => {
    const deep = join(directory, 'd'.repeat(100), 'e'.repeat(100));
    const fence = fileFence({ directory: deep, resource: 'any', patienceMs: 3_600_000 });
    await expect(fence.run({ token: 1n, holder: 'a#1' }, async () => {})).rejects.toThrow(
      /Its directory is too long/,
    );
  });
});

describe('the highest token in a file', () => {
  it('is there for the next process', async () => {
    const first = tokenFile({ directory, resource: 'kept' });
    expect(await first.load()).toBeUndefined();
    await first.save({ token: 2n ** 64n, holder: 'a#1' });
    await first.close();
    await using second = tokenFile({ directory, resource: 'kept' });
    expect(await second.load()).toEqual({ token: 2n ** 64n, holder: 'a#1' });
  });

  it('is refused when it is damaged: it would let everybody in', async () => {
    await writeFile(join(directory, 'damaged.json'), '{"token":"4"');
    await using damaged = tokenFile({ directory, resource: 'damaged' });
    await expect(damaged.load()).rejects.toThrow(/is damaged/);
  });
});
