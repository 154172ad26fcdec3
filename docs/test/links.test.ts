/** In plain Markdown, as on GitHub; the built site is looked at in site.test.ts. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { navigation } from '../.vitepress/navigation.js';
import { docs, pages } from './pages.js';

const withoutCode = (text: string): string =>
  text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '``');

const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!);
  return new Set(headings.map(slugOf));
}

const withoutFences = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

const slugOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

function problemWith(page: string, link: string): string | null {
  if (/^https?:/.test(link)) return null;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(docs, page) : join(docs, dirname(page), decodeURI(path));
  if (!existsSync(target)) return `${link} is not there`;
  if (anchor === undefined || !target.endsWith('.md')) return null;
  return anchorsOf(readFileSync(target, 'utf8')).has(anchor) ? null : `${link} has no such heading`;
}

describe('the links of', () => {
  it.each(pages)('$path lead somewhere', ({ path, text }) => {
    expect(linksOf(text).flatMap((link) => problemWith(path, link) ?? [])).toEqual([]);
  });

  it('a page that is wrong are found', () => {
    expect(problemWith('index.md', 'nowhere.md')).toBe('nowhere.md is not there');
    expect(problemWith('index.md', 'ttl.md#nowhere')).toBe('ttl.md#nowhere has no such heading');
    expect(problemWith('index.md', 'ttl.md#what-you-give')).toBeNull();
  });
});

describe('the navigation', () => {
  it('has every page once', () => {
    const listed = navigation.flatMap((section) => section.pages.map(({ path }) => path));
    expect([...listed].sort()).toEqual(pages.map(({ path }) => path));
  });
});
