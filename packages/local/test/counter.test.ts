import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { raiseCounter, readCounter } from '../src/counter.js';

describe('a counter', () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hustings-counter-'));
    file = join(directory, 'token');
  });

  afterEach(() => rm(directory, { recursive: true }));

  it('is 0 before anybody has raised it, and counts from there', async () => {
    expect(await readCounter(file)).toBe(0n);
    for (const raised of [1n, 2n, 3n, 4n]) {
      expect(await raiseCounter(file)).toBe(raised);
      expect(await readCounter(file)).toBe(raised);
    }
    expect(await readdir(directory)).toEqual(['token']);
  });

  it('leaves the number that was used last alone while it writes the next one', async () => {
    await raiseCounter(file);
    for (let raised = 2; raised < 12; raised += 1) {
      await raiseCounter(file);
      const lines = (await readFile(file, 'utf8')).trim().split('\n');
      expect(lines.map(Number).toSorted((a, b) => a - b)).toEqual([raised - 1, raised]);
    }
  });

  it('goes on from a number that a person wrote', async () => {
    await writeFile(file, '41\n');
    expect([await raiseCounter(file), await raiseCounter(file)]).toEqual([42n, 43n]);
  });

  it('gives no number twice, whatever digits a crash left of one that was being written', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.stringMatching(/^\d{0,20}$/),
        async (raises, torn) => {
          await rm(file, { force: true });
          for (let raised = 0; raised < raises; raised += 1) await raiseCounter(file);
          const used = await readCounter(file);
          const lines = (await readFile(file, 'utf8')).split('\n');
          const other = BigInt(lines[0]!) < BigInt(lines[1]!) ? 0 : 1;
          lines[other] = torn + lines[other]!.slice(torn.length);
          await writeFile(file, lines.join('\n'));
          expect(await raiseCounter(file)).toBeGreaterThan(used);
        },
      ),
    );
  });

  it.each(['', 'seven\n', '7', `${'7'.repeat(21)}\n`, `${'0'.repeat(20)}\n\0\0\0`, '1\n2\n', '-1\n'])(
    'takes %j for damage: it says what to write, and writes nothing itself',
    async (damage) => {
      await writeFile(file, damage);
      await expect(raiseCounter(file)).rejects.toThrow('Write the highest token that was ever used');
      expect(await readFile(file, 'utf8')).toBe(damage);
    },
  );
});
