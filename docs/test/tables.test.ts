/** `npm run docs:tables` writes them anew: vitest's -u, as for golden traces. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docs, pages, readmes } from './pages.js';
import { withTables } from './tables.js';

const withAny = [...pages, ...readmes].filter(({ text }) => /<!-- (table|of): /.test(text));

describe('the tables and numbers of', () => {
  it.each(withAny)('$path are those of the results and the code', async ({ path, text }) => {
    await expect(withTables(path, text)).toMatchFileSnapshot(join(docs, path));
  });

  it('some pages, at least, are looked at', () => {
    expect(withAny.length).toBeGreaterThan(10);
  });

  it('a page that wants one which nobody makes are missed', () => {
    expect(() => withTables('page.md', '<!-- table: nonsense -->\n<!-- end -->')).toThrow(/nobody makes/);
  });

  it.each([
    ['stores/promotion trials', '15'],
    ['etcd/cut-off ttlSeconds=2.abortedBeforeSuccessorStarted.trials', '15'],
  ])('a page that quotes %s wrongly are put right', (place, right) => {
    expect(withTables('page.md', `<!-- of: ${place} -->16<!-- end --> trials`)).toContain(`-->${right}<!--`);
  });

  it('a page that quotes a number which is not there are missed', () => {
    const text = '<!-- of: stores/promotion trails -->15<!-- end -->';
    expect(() => withTables('page.md', text)).toThrow('There is no number trails in stores/promotion.json.');
  });
});
