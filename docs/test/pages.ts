/** The pages of docs, as files. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const docs = fileURLToPath(new URL('..', import.meta.url));
export const root = join(docs, '..');

export interface PageFile {
  /** Within docs. */
  readonly path: string;
  readonly text: string;
}

const isNoPage = /(^|\/)(node_modules|api|data|public|test|\.vitepress|\.snippets)\//;

export const pages: readonly PageFile[] = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && !isNoPage.test(path))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(docs, path), 'utf8') }));

/** Of the repository, the packages and the apps. Their paths are within docs, too. */
export const readmes: readonly PageFile[] = ['packages', 'apps']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `../${folder}/${name}/README.md`))
  .concat('../README.md')
  .filter((path) => existsSync(join(docs, path)))
  .map((path) => ({ path, text: readFileSync(join(docs, path), 'utf8') }));

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What is said, without what is shown: code, comments and the addresses of links. */
export const proseOf = (text: string): string =>
  text
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\]\([^)]*\)/g, ']');
