/** One word for one thing: what the glossary avoids, the pages avoid. */

import { describe, expect, it } from 'vitest';
import { pages, proseOf, readmes } from './pages.js';

interface Entry {
  readonly term: string;
  readonly avoided: readonly string[];
}

const glossary = pages.find(({ path }) => path === 'glossary.md')!.text;

const entries: readonly Entry[] = [...glossary.matchAll(/^- \*\*(.+?)\*\*.*$/gm)].map(([line, term]) => {
  const [, avoided = ''] = /\*Not\*: (.+?)\.$/.exec(line) ?? [];
  return { term: term!, avoided: avoided === '' ? [] : avoided.split(', ') };
});

const avoided = entries.flatMap(({ term, avoided }) => avoided.map((word) => ({ term, word })));

function found(text: string): string[] {
  const prose = proseOf(text);
  return avoided
    .filter(({ word }) => new RegExp(`(?<![\\w-])${word.replace(' ', '\\s')}s?(?![\\w-])`, 'i').test(prose))
    .map(({ term, word }) => `'${word}': say '${term}'`);
}

// Decisions are as they were when they were decided.
const spoken = [
  ...pages.filter(({ path }) => path !== 'glossary.md' && !path.startsWith('decisions/0')),
  ...readmes,
];

describe('the words of', () => {
  it.each(spoken)('$path are those of the glossary', ({ text }) => {
    expect(found(text)).toEqual([]);
  });

  it('a page that is careless are found', () => {
    expect(found('The master hands the office over.')).toEqual(["'master': say 'leader'"]);
    expect(found('A netsplit')).toEqual(["'netsplit': say 'partition'"]);
    expect(found('Mastery, and `master` in code.')).toEqual([]);
  });
});

describe('the glossary', () => {
  it('has every term once, and avoids no word that it explains', () => {
    const terms = entries.map(({ term }) => term);
    expect(new Set(terms).size).toBe(terms.length);
    expect(avoided.filter(({ word }) => terms.includes(word))).toEqual([]);
    expect(avoided.length).toBeGreaterThan(30);
  });
});
