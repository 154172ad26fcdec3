import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const site = 'https://github.com/hustings/hustings';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

interface Member {
  /** Where it stands: `packages/bully`. */
  readonly directory: string;
  readonly manifest: Manifest;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const membersOf = (folder: string): Member[] =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}`)
    .filter((directory) => existsSync(join(root, directory, 'package.json')))
    .map((directory) => ({ directory, manifest: JSON.parse(read(`${directory}/package.json`)) }));

const members = [...membersOf('packages'), ...membersOf('apps')];
const version = members[0]?.manifest.version;

describe.each(members)('$directory', ({ directory, manifest }) => {
  it('has a README, a description, the license and the version of the rest', () => {
    expect(read(`${directory}/README.md`)).toMatch(/^# /);
    expect(manifest.name).toMatch(new RegExp(`^(@hustings/)?${directory.split('/')[1]}$`));
    expect(manifest).toMatchObject({ version, type: 'module', license: 'MIT' });
    expect(manifest.description).toMatch(/\.$/);
  });

  it('depends on its siblings in the version that they have', () => {
    const dependencies = {
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.peerDependencies,
    };
    const siblings = Object.entries(dependencies).filter(([name]) => name.startsWith('@hustings/'));
    for (const [name, wanted] of siblings) expect(wanted, name).toBe(version);
  });
});

const published = members.filter(({ manifest }) => manifest.private !== true);

describe.each(published)('$directory, which is published,', ({ directory, manifest }) => {
  it('has everything in its tarball that it points to', async () => {
    const { messages } = await publint({ pkgDir: join(root, directory), level: 'suggestion', pack: 'npm' });
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  });

  it('has a README under its own name', () => {
    expect(read(`${directory}/README.md`).split('\n')[0]).toBe(`# ${manifest.name}`);
  });

  it('says where its source, its questions and its license are', () => {
    expect(manifest).toMatchObject({
      homepage: `${site}/tree/main/${directory}#readme`,
      bugs: `${site}/issues`,
      repository: { type: 'git', url: `git+${site}.git`, directory },
    });
    expect(manifest.keywords).toContain('leader-election');
    expect(read(`${directory}/LICENSE`)).toBe(read('LICENSE'));
  });
});
