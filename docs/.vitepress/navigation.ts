/** Every page, in the order in which one would read. A test looks that none is missing. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme } from 'vitepress';

export interface Page {
  readonly text: string;
  /** Within docs. */
  readonly path: string;
}

export interface Section {
  readonly text: string;
  /** Its folder, if the rest of its pages is listed there alone, for it has many. */
  readonly folder: string | null;
  readonly pages: readonly Page[];
}

const docs = fileURLToPath(new URL('..', import.meta.url));

/** Its first heading. */
function titleOf(path: string): string {
  const [, title = path] = /^# (.+)$/m.exec(readFileSync(`${docs}${path}`, 'utf8')) ?? [];
  return title;
}

const page = (path: string): Page => ({ text: titleOf(path), path });

/** The first of them first, and the rest in the order of their names. */
function folder(name: string, ...first: readonly string[]): readonly Page[] {
  const names = readdirSync(`${docs}${name}`).filter((file) => file.endsWith('.md'));
  const rest = names.filter((file) => !first.includes(file)).sort();
  return [...first, ...rest].map((file) => page(`${name}/${file}`));
}

const section = (text: string, pages: readonly Page[], folder: string | null = null): Section => ({
  ...{ text, folder, pages },
});

export const navigation: readonly Section[] = [
  section('Start here', [
    page('index.md'),
    ...folder('start', 'index.md', 'one-machine.md', 'raft.md', 'etcd.md', 'postgres.md'),
  ]),
  section('Choosing', ['choosing.md', 'ttl.md', 'comparison.md'].map(page)),
  section('Chapters', [...folder('chapters'), page('teachers.md')]),
  section(
    'Electors',
    folder('electors', 'index.md', 'raft.md', 'etcd.md', 'zookeeper.md', 'postgres.md', 'redis.md'),
  ),
  section('Operating it', folder('operating', 'index.md', 'alerts.md', 'shutdown.md')),
  section('Errors and diagnostics', folder('errors', 'index.md'), 'errors'),
  section('Decisions', folder('decisions', 'index.md'), 'decisions'),
  section('Words', [page('glossary.md')]),
];

const linkOf = (path: string): string => `/${path.replace(/index\.md$|\.md$/, '')}`;

/** Of a page in this folder; null for any other. */
function sidebarIn(here: string | null): DefaultTheme.SidebarItem[] {
  return navigation.map(({ text, folder, pages }) => {
    const shown = folder === null || folder === here ? pages : pages.slice(0, 1);
    return { text, items: shown.map(({ text, path }) => ({ text, link: linkOf(path) })) };
  });
}

/** What typedoc has written of it; nothing before `npm run docs:api`. */
const apiSidebar = `${docs}api/typedoc-sidebar.json`;
const api: DefaultTheme.SidebarItem[] = existsSync(apiSidebar)
  ? JSON.parse(readFileSync(apiSidebar, 'utf8'))
  : [];

const apiReference = { text: 'API reference', link: '/api/' };

export const sidebars: DefaultTheme.SidebarMulti = {
  '/api/': [{ ...apiReference, items: api }],
  '/errors/': [...sidebarIn('errors'), apiReference],
  '/decisions/': [...sidebarIn('decisions'), apiReference],
  '/': [...sidebarIn(null), apiReference],
};
