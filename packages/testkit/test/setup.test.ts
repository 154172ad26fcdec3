import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Machine {
  readonly hasApt: boolean;
  readonly isRoot: boolean;
  readonly beforeTests: boolean;
}

const setup = new URL('../../../.config/setup/', import.meta.url);
const { planFor } = await import(new URL('plan.mjs', setup).href);
const { withFile } = await import(new URL('without-daemons.mjs', setup).href);
const { needs } = await import(new URL('needs.mjs', setup).href);
const { mirrorIn } = await import(new URL('debian.mjs', setup).href);

const debian: Machine = { hasApt: true, isRoot: true, beforeTests: true };
const missing = [{ packages: ['etcd-server'] }, { packages: ['make', 'g++'] }];

describe('given a machine that lacks servers', () => {
  it('tells before it installs, in one line, what and how to do that alone', () => {
    expect(planFor(missing, debian)).toEqual({
      installs: true,
      sentence:
        "The tests need etcd-server, make, g++: installing with apt-get, starting nothing (to do only this: 'npm run setup').",
    });
  });

  it.each([
    ['the user may not install', { ...debian, isRoot: false }, 'sudo npm run setup'],
    ['there is no apt-get', { ...debian, hasApt: false }, 'by the means of this system'],
  ])('installs nothing when %s, and says what to do', (_when, machine: Machine, advice) => {
    expect(planFor(missing, machine)).toEqual({
      installs: false,
      sentence: expect.stringMatching(new RegExp(`etcd-server, make, g\\+\\+.*${advice}`)),
    });
  });
});

describe('given a machine that has everything', () => {
  it('says so when asked, and nothing before the tests', () => {
    expect(planFor([], debian)).toEqual({ installs: false, sentence: null });
    expect(planFor([], { ...debian, beforeTests: false }).sentence).toMatch(/is there/);
  });

  it('finds all that it knows of on this one, or these tests would not run', () => {
    for (const { packages, isThere } of needs) expect([packages, isThere()]).toEqual([packages, true]);
  });
});

describe('given what apt on a machine fetches from', () => {
  const others = 'https://a.test/linux/debian bookworm stable\nhttps://b.test/apt bookworm main\n';

  it('takes the mirror of Debian that is among it', () => {
    const fetched = `${others}http://c.test/debian-security/ bookworm-security main\nhttp://c.test/debian/ trixie main\n`;
    expect(mirrorIn(fetched)).toBe('http://c.test/debian/');
  });

  it('takes nothing else for one', () => {
    expect(mirrorIn(`${others}http://d.test/ubuntu/ noble main\n`)).toBeUndefined();
  });
});

describe('given an installation that would start servers', () => {
  let directory: string;
  let path: string;
  const text = '#!/bin/sh\nexit 101\n';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'hustings-setup-'));
    path = join(directory, 'policy-rc.d');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('forbids that while it runs, and not afterwards', async () => {
    await withFile({ path, text }, async () => expect(spawnSync(path).status).toBe(101));
    expect(existsSync(path)).toBe(false);
  });

  it('leaves no folder behind that it has made, unless something else is in it', async () => {
    const inside = { path: join(directory, 'a/b/hustings.conf'), text };
    await withFile(inside, async () => expect(existsSync(inside.path)).toBe(true));
    expect(readdirSync(directory)).toEqual([]);
    await withFile(inside, async () => writeFileSync(join(directory, 'a/package.conf'), ''));
    expect(readdirSync(join(directory, 'a'))).toEqual(['package.conf']);
  });

  it('forbids it no longer when the installation fails', async () => {
    const failing = withFile({ path, text }, async () => {
      throw new Error('no space left');
    });
    await expect(failing).rejects.toThrow('no space left');
    expect(existsSync(path)).toBe(false);
  });

  it("leaves the machine's own policy as it is", async () => {
    writeFileSync(path, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await withFile({ path, text }, async () => expect(spawnSync(path).status).toBe(0));
    expect(readFileSync(path, 'utf8')).toContain('exit 0');
  });
});
