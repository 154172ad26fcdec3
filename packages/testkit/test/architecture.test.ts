import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../', import.meta.url));
const apps = fileURLToPath(new URL('../../../apps/', import.meta.url));
const algorithms = readdirSync(packages).filter((name) => existsSync(join(packages, name, 'src/step.ts')));
/** They touch a server, a disk or the application, which is their purpose; no algorithm imports them. */
const impure = /^(gateway|storage|replica)/;

interface Source {
  readonly path: string;
  readonly text: string;
}

const sourcesOf = (name: string): Source[] => sourcesIn(join(packages, name, 'src'));

function sourcesIn(root: string): Source[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|svelte)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);

const hustingsImportsOf = (text: string): string[] =>
  importsOf(text).flatMap((name) => /^@hustings\/([a-z]+)/.exec(name)?.[1] ?? []);

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*/g, '');

/** Comments and messages may speak of clocks; the code may not read one. */
const codeOf = (text: string): string => withoutComments(text).replace(/'[^'\n]*'|`[^`]*`/g, "''");

const restless =
  /\b(Date\b|performance\.|Math\.random|setTimeout|setInterval|setImmediate|queueMicrotask|crypto\.|process\.|async\b|await\b|new Promise)/;

describe.each([...algorithms, 'simulator', 'elector', 'catalogue'])('the package %s', (name) => {
  const pure = sourcesOf(name).filter(({ path }) => !impure.test(path));

  it('imports nothing of the machine', () => {
    for (const { path, text } of pure) {
      expect(
        importsOf(text).filter((module) => module.startsWith('node:')),
        path,
      ).toEqual([]);
    }
  });

  // lead() awaits the work of the application, which is all that it is for.
  const still = pure.filter(({ path }) => !(name === 'elector' && path === 'lead.ts'));
  it('reads no clock, sets no timer, draws no lot and waits for nothing', () => {
    for (const { path, text } of still) expect(restless.exec(codeOf(text))?.[0] ?? null, path).toBeNull();
  });
});

describe('dependencies point one way', () => {
  const allowed: Record<string, readonly string[]> = {
    elector: [],
    transport: ['elector'],
    runtime: ['elector', 'transport'],
    simulator: ['elector'],
    testkit: ['elector', 'transport', 'runtime', 'simulator', 'lease'],
    catalogue: ['elector', 'simulator', ...algorithms],
    fence: ['elector', 'runtime'],
    postgres: ['elector', 'fence', 'lease'],
    redis: ['elector', 'fence', 'lease'],
    servers: [],
    command: [],
  };
  // A gateway is a transport to a real server, and a storage a file that the runtime writes to.
  for (const algorithm of algorithms) allowed[algorithm] = ['elector', 'transport', 'runtime'];

  it.each(Object.entries(allowed))('%s imports only %j of the other packages', (name, others) => {
    const imported = new Set(sourcesOf(name).flatMap(({ text }) => hustingsImportsOf(withoutComments(text))));
    expect([...imported].filter((other) => other !== name && !others.includes(other))).toEqual([]);
  });

  it.each(algorithms)('%s leaves the transport to its gateway', (name) => {
    for (const { path, text } of sourcesOf(name).filter(({ path }) => !impure.test(path))) {
      expect(hustingsImportsOf(withoutComments(text)), path).not.toContain('transport');
    }
  });

  it.each(algorithms)('%s leaves the runtime to its storage', (name) => {
    for (const { path, text } of sourcesOf(name).filter(({ path }) => !path.startsWith('storage'))) {
      expect(hustingsImportsOf(withoutComments(text)), path).not.toContain('runtime');
    }
  });

  it('apps import what they declare, the lab the benchmark, and nobody the lab', () => {
    for (const app of ['bench', 'lab', 'playground', 'classroom']) {
      const manifest = JSON.parse(readFileSync(join(apps, app, 'package.json'), 'utf8'));
      const imported = new Set(
        sourcesIn(join(apps, app, 'src')).flatMap(({ text }) => hustingsImportsOf(withoutComments(text))),
      );
      for (const name of imported) expect(Object.keys(manifest.dependencies)).toContain(`@hustings/${name}`);
      expect([...imported]).not.toContain('lab');
      if (app === 'bench') expect([...imported]).not.toContain('bench');
    }
  });

  it('the playground draws recordings: it imports no algorithm, and nothing of the machine', () => {
    for (const { path, text } of sourcesIn(join(apps, 'playground/src'))) {
      const code = withoutComments(text);
      const known = ['catalogue', 'elector', 'simulator'];
      expect(
        hustingsImportsOf(code).filter((name) => !known.includes(name)),
        path,
      ).toEqual([]);
      expect(
        importsOf(code).filter((name) => name.startsWith('node:')),
        path,
      ).toEqual([]);
    }
  });

  it('notices an import that points the wrong way', () => {
    expect(hustingsImportsOf("import { step } from '@hustings/raft';")).toEqual(['raft']);
    expect(restless.test('const now = Date.now();')).toBe(true);
  });
});
