/** What a reader copies compiles; what stands in the pages of the start is what stands in docs/examples. */

import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { pages, read, root } from './pages.js';
import { folder, snippetsOf, writeSnippets } from './snippets.js';

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function complaintsOf(snippets: readonly ReturnType<typeof snippetsOf>[number][]): Promise<string> {
  writeSnippets(snippets);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

describe('the TypeScript of the pages', () => {
  it('compiles', async () => {
    const snippets = pages.flatMap(snippetsOf);
    expect(snippets.length).toBeGreaterThan(15);
    expect(await complaintsOf(snippets)).toBe('');
  }, 120_000);

  it('would not if it were wrong', async () => {
    const wrong = { path: 'page.md', text: "```ts\nimport { led } from 'hustings';\nled();\n```\n" };
    expect(await complaintsOf(snippetsOf(wrong))).toContain("'led'");
  }, 120_000);
});

describe('a program of the start', () => {
  it.each(['local', 'raft', 'etcd', 'postgres'])('is the file that docs/examples has: %s', (name) => {
    const page = name === 'local' ? 'one-machine' : name;
    const [, program] = /^```js\n([\s\S]*?)^```/m.exec(read(`docs/start/${page}.md`)) ?? [];
    expect(program).toBe(read(`docs/examples/start-${name}.mjs`));
  });
});

describe('the YAML of the pages', () => {
  const documents = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((match) => ({ path, yaml: match[1]! })),
  );

  it.each(documents)('in $path can be read', ({ yaml }) => {
    const errors = parseAllDocuments(yaml, { merge: true }).flatMap((document) => document.errors);
    expect(errors).toEqual([]);
  });

  it('is there', () => expect(documents.length).toBeGreaterThan(2));
});
