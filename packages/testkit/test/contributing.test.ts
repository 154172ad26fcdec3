/** CONTRIBUTING.md leads newcomers by the hand: every file and every name in it must be there. */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const text = read('CONTRIBUTING.md');
const { scripts } = JSON.parse(read('package.json'));

/** [`path`](path) `name`: what happens there. */
const stop = /^\d\. \[`([^`]+)`\]\([^)]+\) `([^`]+)`:/gm;

interface Walk {
  readonly title: string;
  readonly stops: readonly { readonly path: string; readonly name: string }[];
}

const walks: readonly Walk[] = text
  .split('\n### ')
  .slice(1)
  .map((section) => ({
    title: section.split('\n')[0]!,
    stops: [...section.matchAll(stop)].map(([, path, name]) => ({ path: path!, name: name! })),
  }));

describe('CONTRIBUTING.md', () => {
  it('links only to what is there', () => {
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1]!);
    const missing = links.filter((link) => !link.startsWith('https://') && !existsSync(`${root}${link}`));
    expect(missing).toEqual([]);
  });

  it('names only commands that there are', () => {
    const commands = [...text.matchAll(/npm run (?:-s )?([a-z:]+)/g)].map((match) => match[1]!);
    expect(commands.filter((command) => !(command in scripts))).toEqual([]);
  });

  it('has a walk for a frame, a message and a flag', () => {
    expect(walks.map(({ title }) => title)).toEqual([
      'A WebSocket frame',
      'A simulated message',
      'A flag on the command line',
    ]);
    for (const { stops } of walks) expect(stops.length).toBeGreaterThan(3);
  });

  it.each(walks)('$title passes names that are where it says', ({ stops }) => {
    for (const { path, name } of stops) expect(read(path), path).toContain(name);
  });

  it.each(walks)('$title goes one way: no package is entered twice', ({ stops }) => {
    const packages = stops.map(({ path }) => path.split('/').slice(0, 2).join('/'));
    const entered = packages.filter((name, index) => name !== packages[index - 1]);
    expect(new Set(entered).size).toBe(entered.length);
  });
});
