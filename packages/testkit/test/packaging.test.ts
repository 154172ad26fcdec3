import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { minVersion, satisfies } from 'semver';
import { describe, expect, it } from 'vitest';
import { members, published, read, root } from './members.js';

const site = 'https://github.com/hustings/hustings';
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

describe.each(published)('$directory, which is published,', ({ directory, manifest }) => {
  it('is built before it is packed', () => {
    expect(manifest.scripts).toHaveProperty('prepack', 'tsc -b');
  });

  it('has a README under its own name', () => {
    expect(read(`${directory}/README.md`).split('\n')[0]).toBe(`# ${manifest.name}`);
  });

  it('has a README that says how to set it before it says how it works', () => {
    const headings: readonly string[] = read(`${directory}/README.md`).match(/^## .*$/gm) ?? [];
    const [settings, rules] = ['## Settings', '## The rules'].map((heading) => headings.indexOf(heading));
    if (rules !== -1) expect(settings).toBeLessThan(rules!);
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

describe('tsc', () => {
  it('is the native compiler, although TypeScript 6 brings a command of that name, too', () => {
    expect(readlinkSync(join(root, 'node_modules/.bin/tsc'))).toContain('@typescript/native');
  });
});

describe('package-lock.json', () => {
  const locked = Object.entries(JSON.parse(read('package-lock.json')).packages) as [
    string,
    { engines?: { node?: string }; hasInstallScript?: true; resolved?: string },
  ][];

  it('has nothing that refuses the oldest Node we support, so that `npm ci` warns of nothing', () => {
    const oldest = minVersion(JSON.parse(read('package.json')).engines.node)!;
    const refusing = locked.filter(([_path, { engines }]) => !satisfies(oldest, engines?.node ?? '*'));
    expect(refusing.map(([path]) => path)).toEqual([]);
  });

  it('has no install script that nobody has decided about: npm would ask the newcomer', () => {
    const decided = Object.keys(JSON.parse(read('package.json')).allowScripts);
    const scripted = locked.filter(([_path, { hasInstallScript }]) => hasInstallScript);
    const names = scripted.map(([path]) => path.split('node_modules/').at(-1));
    expect(names.filter((name) => !decided.includes(name!))).toEqual([]);
  });

  it('names no registry, so that it installs from any', () => {
    expect(locked.filter(([_path, { resolved }]) => resolved?.includes(':'))).toEqual([]);
  });
});
