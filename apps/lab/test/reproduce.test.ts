import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { splitProbability } from '../src/reproduce/raft.js';
import { type Comparison, compare, exact, renderComparisons, type Table } from '../src/reproduce/table.js';
import { tables } from '../src/reproduce/tables.js';

/** As a user makes them: all of it takes long enough to be done once. */
const program = fileURLToPath(new URL('../dist/tools/reproduce.js', import.meta.url));
const { status, stdout } = spawnSync(process.execPath, [program, '--json'], { encoding: 'utf8' });
const comparisons: readonly Comparison[] = JSON.parse(stdout);

describe('published results', () => {
  it('are one JSON document, and all is well where nothing has drifted', () => {
    expect(status).toBe(0);
    expect(comparisons[0]).toEqual({
      table: 'bully-messages',
      cell: 'n=3 k=1 ELECTION',
      published: 3,
      ours: 3,
      tolerance: 0,
      ok: true,
    });
  });

  for (const table of tables) {
    it(`are reproduced: ${table.name}`, () => {
      const cells = comparisons.filter((comparison) => comparison.table === table.name);
      expect(cells.length).toBeGreaterThan(0);
      expect(cells.filter(({ ok }) => !ok)).toEqual([]);
    });
  }

  it('include the numbers that the papers give', () => {
    const published = new Map(
      comparisons.map(({ table, cell, published: value }) => [`${table} ${cell}`, value]),
    );
    expect(published.get('bully-messages n=5 worst')).toBe(19);
    expect(published.get('bully-messages n=9 worst')).toBe(71);
    expect(published.get('chang-roberts-messages n=5 mean of every ring: ELECTION')).toBeCloseTo(11.417, 3);
    expect(published.get('chang-roberts-messages n=9 mean of 4000 random rings: ELECTION')).toBeCloseTo(
      25.461,
      3,
    );
  });
});

describe('a comparison', () => {
  const table = (ours: number, tolerance = 0): Table => ({
    name: 'table',
    describes: 'numbers',
    measure: () => [{ ...exact('cell', 10, ours), tolerance }],
  });

  it('agrees within the tolerance', () => {
    expect(compare([table(10)])[0]).toMatchObject({
      table: 'table',
      cell: 'cell',
      published: 10,
      ours: 10,
      ok: true,
    });
    expect(compare([table(10.4, 0.5)])[0]!.ok).toBe(true);
  });

  it('drifts beyond it, and when there is no number at all', () => {
    for (const drifted of [table(11), table(10.6, 0.5), table(Number.NaN, 5)]) {
      const compared = compare([drifted]);
      expect(compared[0]!.ok).toBe(false);
      expect(renderComparisons([drifted], compared)).toContain('1 of 1 cells have drifted');
    }
  });
});

describe('the probability that a vote splits', () => {
  it.each([
    [3, 2, [0.0199, 0.19, 0.36]],
    [5, 5, [0, 0.0086, 0.0579]],
    [5, 4, [0.0006, 0.0523, 0.181]],
    [5, 3, [0.0297, 0.271, 0.488]],
    [9, 6, [0.0015, 0.114, 0.345]],
  ])('for n=%i and s=%i is as printed', (size, alive, printed) => {
    const computed = [0.01, 0.1, 0.2].map((latency) => splitProbability(size, alive, latency));
    for (const [index, value] of computed.entries()) expect(value).toBeCloseTo(printed[index]!, 3);
  });
});
