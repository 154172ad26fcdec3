/**
 * Pages link to files of the repository as Markdown does, relative to themselves. In the site, what is no page of it
 * becomes a link to the repository.
 */

import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

const repository = 'https://github.com/hustings/hustings';

export function repositoryLinks(markdown: MarkdownRenderer, docs: string): void {
  const root = join(docs, '..');
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const outside = inRepository(token.attrGet('href') ?? '', env.path, docs, root);
      if (outside !== null) token.attrSet('href', outside);
    }
  });
}

function inRepository(href: string, page: string, docs: string, root: string): string | null {
  if (/^[a-z]+:|^\/|^#/.test(href)) return null;
  const [path = '', anchor] = href.split('#');
  const target = join(dirname(page), decodeURI(path));
  const inDocs = relative(docs, target);
  const isPage = !inDocs.startsWith('..') && /\.md$/.test(inDocs) && !inDocs.startsWith('data');
  if (isPage || !existsSync(target)) return null;
  const kind = statSync(target).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${relative(root, target)}${anchor === undefined ? '' : `#${anchor}`}`;
}
