/** The TypeScript in the pages, as files that a compiler can read. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docs, type PageFile } from './pages.js';

export interface Snippet {
  readonly page: string;
  /** Of the page, in which the snippet begins. */
  readonly line: number;
  readonly code: string;
}

/** What a snippet takes for granted stands before it: `<!-- given: declare const elector: Elector; -->`. */
const block = /(?:<!-- given: (.*) -->\n)?^```ts\n([\s\S]*?)^```/gm;

export function snippetsOf({ path, text }: PageFile): Snippet[] {
  return [...text.matchAll(block)].map((match) => {
    const [, given = '', code = ''] = match;
    const line = text.slice(0, match.index).split('\n').length + 1;
    return { page: path, line, code: `${given}\n${code}export {};\n` };
  });
}

export const folder = join(docs, '.snippets');

const nameOf = ({ page, line }: Snippet): string =>
  `${page.replace(/\.md$/, '').replaceAll('/', '-')}-${line}.ts`;

const compilerOptions = {
  ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable', 'dom'], module: 'nodenext', types: ['node'] },
  ...{ strict: true, noEmit: true, skipLibCheck: true },
};

/** A folder with a file for each, below docs, so that packages are found. */
export function writeSnippets(snippets: readonly Snippet[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  for (const snippet of snippets) writeFileSync(join(folder, nameOf(snippet)), snippet.code);
}
