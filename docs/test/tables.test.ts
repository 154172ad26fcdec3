/** `npm run docs:tables` writes them anew: vitest's -u, as for golden traces. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docs, pages } from './pages.js';
import { withTables } from './tables.js';

const withAny = pages.filter(({ text }) => text.includes('<!-- table: '));

describe('the tables of', () => {
  it.each(withAny)('$path are those of the results and the code', async ({ path, text }) => {
    await expect(withTables(path, text)).toMatchFileSnapshot(join(docs, path));
  });

  it('some pages, at least, are looked at', () => {
    expect(withAny.length).toBeGreaterThan(10);
  });

  it('a page that wants one which nobody makes are missed', () => {
    expect(() => withTables('page.md', '<!-- table: nonsense -->\n<!-- end -->')).toThrow(/nobody makes/);
  });
});
