import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryPoints, Installation, run } from './installed.js';
import { published, root } from './members.js';

const { nodeProgram, nodeVersions } = await import(
  new URL('../../../.config/setup/node-versions.mjs', import.meta.url).href
);

const installation = new Installation();
beforeAll(() => installation.prepare(), 300_000);
afterAll(() => installation.remove());

describe.each(published)('$manifest.name, packed from a fresh clone,', ({ manifest }) => {
  const tarball = (): Buffer => readFileSync(installation.tarballs.get(manifest.name)!);

  it('has everything in its tarball that it points to', async () => {
    const pack = { tarball: Uint8Array.from(tarball()).buffer };
    const { messages } = await publint({ level: 'suggestion', pack });
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  });

  it('has types that say what it does', async () => {
    const result = await checkPackage(createPackageFromTarballData(tarball()));
    if (result.types === false) throw new Error('It has no types.');
    expect(result.problems.filter(concernsUs)).toEqual([]);
  });
});

/** The profile `esm-only` of Are The Types Wrong: programs that `require()` us do so by Node's way to ES modules. */
function concernsUs(problem: object): boolean {
  return !(
    'resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind as string)
  );
}

const importAll = entryPoints.map((name, index) => `import * as module${index} from '${name}';`);
const countAll = entryPoints.map((_name, index) => `  Object.keys(module${index}).length,`);
const esm = [...importAll, 'console.log(', ...countAll, ');'].join('\n');
const requireAll = entryPoints.map((name) => `  Object.keys(require('${name}')).length,`);
const commonJs = ['console.log(', ...requireAll, ');'].join('\n');
const awaitAll = entryPoints.map((name) => `  Object.keys(await import('${name}')).length,`);
const imported = ['(async () => console.log(', ...awaitAll, '))();'].join('\n');

describe('in an empty project with the tarballs', () => {
  const directories = { module: '', commonjs: '' };
  beforeAll(() => {
    for (const type of ['module', 'commonjs'] as const) {
      directories[type] = installation.project(type, type);
      writeFileSync(join(directories[type], 'all.ts'), esm);
    }
    writeFileSync(join(directories.module, 'all.js'), esm);
    writeFileSync(join(directories.commonjs, 'require.js'), commonJs);
    writeFileSync(join(directories.commonjs, 'import.js'), imported);
  });

  describe.each(nodeVersions as string[])('Node %s', (version) => {
    it.each([
      ['imports everything into an ES module', 'module', 'all.js'],
      ['requires everything from CommonJS', 'commonjs', 'require.js'],
      ['imports everything into CommonJS', 'commonjs', 'import.js'],
    ] as const)('%s', async (_what, type, file) => {
      const printed = await run(directories[type], await nodeProgram(version), file);
      const counts = printed.trim().split(' ').map(Number);
      expect(counts).toHaveLength(entryPoints.length);
      expect(Math.min(...counts)).toBeGreaterThan(0);
    });
  });

  it.each([
    ['nodenext', ['module/all.ts', 'commonjs/all.ts'], ['--module', 'nodenext']],
    ['bundler', ['module/all.ts'], ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])(
    'TypeScript finds nothing wrong with moduleResolution %s, in our declarations either',
    async (_, files, flags) => {
      const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
      const tsc = [
        join(root, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
      ];
      const parent = join(directories.module, '..');
      await run(parent, process.execPath, ...tsc, ...types, ...flags, ...files);
    },
    300_000,
  );
});
