import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const generator = join(repository, '.config/new-algorithm/new-algorithm.mjs');

const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome');
// The one that built the siblings: another would build them again, in the midst of other tests.
const tsc = join(repository, 'node_modules/@typescript/native/bin/tsc');
const vitest = join(repository, 'node_modules/vitest/vitest.mjs');

/** Fails with what the program printed. */
async function run(directory: string, ...program: string[]): Promise<string> {
  // Whatever it starts ends with it, and before the test's own patience does.
  const options = { cwd: directory, env: { ...process.env, NO_COLOR: '1' }, timeout: 170_000 };
  const { stdout } = await promisify(execFile)(process.execPath, program, options).catch((error) => {
    throw new Error(`${program.join(' ')}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

const generate = (root: string, ...args: string[]): Promise<string> =>
  run(root, generator, '--in', root, ...args);

describe('the package that `npm run new:algorithm -- town-crier` makes', () => {
  let root: string;
  let directory: string;

  // A repository of its own, so that no other test sees the package come and go. The siblings are the real ones.
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'hustings-new-algorithm-'));
    directory = join(root, 'packages/town-crier');
    mkdirSync(join(root, 'packages'));
    symlinkSync(join(repository, 'packages/elector'), join(root, 'packages/elector'));
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
    for (const name of ['.config', '.gitignore', 'biome.json', 'tsconfig.base.json']) {
      cpSync(join(repository, name), join(root, name), { recursive: true });
    }
    await generate(root, 'town-crier');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('has the shape of an algorithm', () => {
    const bully = join(repository, 'packages/bully');
    const shape = (path: string) =>
      readdirSync(path).filter((name) => !/^(dist|\.turbo|.*\.tsbuildinfo)$/.test(name));
    expect(shape(directory)).toEqual(shape(bully));
    expect(shape(join(directory, 'src'))).toEqual([
      'index.ts',
      'invariants.ts',
      'messages.ts',
      'state.ts',
      'step.ts',
      'town-crier.ts',
    ]);
    expect(shape(join(directory, 'test'))).toEqual(
      expect.arrayContaining(['conformance.test.ts', 'paper.test.ts', 'properties.test.ts', 'scenarios']),
    );
  });

  it('speaks of itself and not of the template', () => {
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'utf8');
      expect(text.match(/roll.?call/i), join(parentPath, name)).toBeNull();
    }
    expect(readFileSync(join(directory, 'src/town-crier.ts'), 'utf8')).toContain(
      'export function townCrier(settings: Partial<TownCrierSettings>',
    );
  });

  it('builds, and passes types and lint', async () => {
    await run(directory, tsc, '-b');
    await run(directory, tsc, '-p', 'test');
    await run(root, biome, 'check', '--error-on-warnings', 'packages/town-crier');
  }, 180_000);

  it('passes its own tests', async () => {
    const config = '.config/vitest.config.ts';
    const printed = await run(root, vitest, 'run', '--config', config, 'packages/town-crier');
    expect(printed).toMatch(/^[1-9]\d* passed, 0 failed, 0 skipped$/m);
  }, 180_000);

  it('is not made twice', async () => {
    await expect(generate(root, 'town-crier')).rejects.toThrow('There is a packages/town-crier already');
  });

  it.each(['', 'Town-Crier', '../escape', 'two names'])("is not made under the name '%s'", async (text) => {
    const names = text.split(' ').filter((name) => name !== '');
    const refusal = 'Give the algorithm one name in small letters';
    await expect(generate(root, ...names)).rejects.toThrow(refusal);
  });
});
