import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const script = join(root, '.config/changelog.mjs');
const changelogOf = (directory: string): string =>
  execFileSync(process.execPath, [script, directory], { encoding: 'utf8' });

describe('CHANGELOG.md', () => {
  it('is what `npm run changelog` makes of the changelogs of the packages', () => {
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toBe(changelogOf(root));
  });
});

describe('given the changelogs of two packages', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'hustings-changelog-'));
    write(
      'raft',
      '## 0.10.0\n\n### Minor Changes\n\n- abcdef1: A vote is saved.\n\n  Always.\n- abcdef2: Locked.\n',
    );
    write(
      'ring',
      '## 0.10.0\n\n### Minor Changes\n\n- abcdef2: Locked.\n\n### Patch Changes\n\n- Updated dependencies [abcdef1]\n  - @hustings/elector@0.10.0\n\n## 0.9.0\n\n### Patch Changes\n\n- abcdef0: Quicker.\n',
    );
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function write(name: string, text: string): void {
    mkdirSync(join(directory, 'packages', name), { recursive: true });
    writeFileSync(join(directory, 'packages', name, 'CHANGELOG.md'), `# @hustings/${name}\n\n${text}`);
  }

  it('names each change once, with its packages, under its version, newest first', () => {
    const [, ...versions] = changelogOf(directory).split(/\n(?=## )/);
    expect(versions).toEqual([
      '## 0.10.0\n\n### Minor Changes\n\n- **raft**: A vote is saved.\n\n  Always.\n- **raft, ring**: Locked.\n',
      '## 0.9.0\n\n### Patch Changes\n\n- **ring**: Quicker.\n',
      expect.stringMatching(/^## 0\.1\.0\n/),
    ]);
  });

  it('does not count a sibling that moved along as a change', () => {
    expect(changelogOf(directory)).not.toContain('Updated dependencies');
  });
});
