import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentProgress } from '@hustings/command';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareResults, renderComparison } from '../src/report/compare.js';
import type { Results, Row } from '../src/report/results.js';
import { runSimulated } from '../src/run-simulated.js';
import { bench, temporaryDirectory } from './command.js';

async function measure(seed: string): Promise<Results> {
  const run = await runSimulated(
    {
      ...{
        algorithms: ['raft', 'bully'],
        variants: false,
        nodes: [3],
        faults: ['crash', 'split'],
        trials: 40,
      },
      ...{ profile: 'matched', budgetMs: 2000, seed },
    },
    { workers: 0, progress: silentProgress, signal: new AbortController().signal },
  );
  return {
    ...{ schema: 'hustings-bench/1', mode: 'simulated', seed, profile: 'matched', budgetMs: 2000 },
    ...{ commit: null, machine: { node: '20.19.0', cpus: 2 }, wallMs: 1, ...run },
  };
}

let first: Results;
beforeAll(async () => {
  first = await measure('one');
});

const altered = (alter: (row: Row) => Row): Results => ({ ...first, rows: first.rows.map(alter) });

describe('a comparison', () => {
  it('finds nothing between a run and itself', () => {
    const comparison = compareResults(first, first);
    expect(comparison).toMatchObject({ compared: 4, changes: [] });
    expect(renderComparison(comparison)).toContain('Nothing changed beyond noise in 4 rows.');
  });

  it('finds a failover that takes half as long again', () => {
    const slower = altered((row) =>
      row.algorithm === 'raft'
        ? { ...row, failoverMs: { ...row.failoverMs!, p50: 1.5 * row.failoverMs!.p50 } }
        : row,
    );
    const { changes } = compareResults(first, slower);
    expect(changes.map(({ row, quantity }) => `${row}: ${quantity}`)).toEqual([
      'raft, 3 nodes, crash: failover ms',
      'raft, 3 nodes, split: failover ms',
    ]);
  });

  it('takes no notice of a median that moved less than its spread', async () => {
    const { changes } = compareResults(first, await measure('two'));
    expect(changes.filter(({ quantity }) => quantity === 'failover ms')).toEqual([]);
  });

  it('finds a single stale write in a fenced store', () => {
    const broken = altered((row) => ({ ...row, writes: { ...row.writes, staleAcceptedFenced: 1 } }));
    expect(compareResults(first, broken).changes).toContainEqual(
      expect.objectContaining({ quantity: 'stale writes accepted by the fenced store', before: 0, after: 1 }),
    );
  });

  it('names the rows that only one of them has', () => {
    const fewer = { ...first, rows: first.rows.slice(1) };
    expect(compareResults(first, fewer).onlyBefore).toEqual(['raft, 3 nodes, crash']);
    expect(compareResults(fewer, first).onlyAfter).toEqual(['raft, 3 nodes, crash']);
  });
});

describe('the command', () => {
  it('prints what changed, and as JSON when asked', async () => {
    const file = join(temporaryDirectory(), 'results.json');
    writeFileSync(file, JSON.stringify(first));
    expect(await bench('compare', file, file)).toMatchObject({ exitCode: 0 });
    const { stdout } = await bench('compare', file, file, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ compared: 4, changes: [] });
  });

  it('refuses what is no results file, in one sentence', async () => {
    const { exitCode, stderr } = await bench('compare', import.meta.filename, import.meta.filename);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^[^\n]+name a results\.json\.\n$/);
  });
});
