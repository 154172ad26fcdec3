import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { algorithmNames } from '../src/algorithms.js';
import { renderComparisonPage } from '../src/comparison-page.js';
import type { Digest } from '../src/digest.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
const simulated = JSON.parse(read('data/simulated.json')) as Digest;
const live = JSON.parse(read('data/live.json')) as Digest;
const safe: readonly string[] = ['raft', 'etcd', 'zookeeper'];

describe('docs/comparison.md', () => {
  it('is what its data says', () => {
    expect(read('comparison.md')).toBe(renderComparisonPage({ simulated, live }));
  });

  it('would differ if the data did', () => {
    const [first, ...rest] = live.rows;
    const altered = { ...live, rows: [{ ...first!, unresolved: 99 }, ...rest] };
    expect(renderComparisonPage({ simulated, live: altered })).not.toBe(read('comparison.md'));
  });
});

describe.each([
  ['simulated', simulated],
  ['live', live],
] as const)('the committed %s results', (_mode, { rows }) => {
  it('have every algorithm', () => {
    expect(rows.map(({ algorithm }) => algorithm)).toEqual(expect.arrayContaining([...algorithmNames]));
  });

  it('show two leaders of bully and ring when the network parts', () => {
    for (const algorithm of ['bully', 'ring']) {
      const parted = rows.filter(
        (row) => row.algorithm === algorithm && (row.fault === 'split' || row.fault === 'isolate'),
      );
      expect(parted.every(({ splitBrain }) => splitBrain.trialsAffected > 0)).toBe(true);
    }
  });

  it('show none of the others, and no stale write in a fenced store', () => {
    for (const row of rows.filter(({ algorithm }) => safe.includes(algorithm))) {
      expect(row).toMatchObject({ splitBrain: { incidents: 0 }, writes: { staleAcceptedFenced: 0 } });
    }
  });
});

describe('messages until the next one leads', () => {
  const messages = (algorithm: string, variant: string, fault: string, nodes: number): number =>
    simulated.rows.find(
      (row) =>
        row.algorithm === algorithm && row.variant === variant && row.fault === fault && row.nodes === nodes,
    )!.messages.failover!;
  const growth = (algorithm: string, variant: string, fault = 'crash') =>
    messages(algorithm, variant, fault, 101) / messages(algorithm, variant, fault, 25);

  it('stay the same in a queue, however many wait', () => {
    expect(growth('etcd', 'default')).toBe(1);
    expect(growth('zookeeper', 'default')).toBe(1);
  });

  it('grow with the candidates where all are woken', () => {
    for (const ratio of [growth('etcd', 'race'), growth('zookeeper', 'herd')]) {
      expect(ratio).toBeGreaterThan(3);
      expect(ratio).toBeLessThan(6);
    }
  });

  it('grow with the square of the nodes in the worst case of bully, and with the nodes in a ring', () => {
    expect(growth('bully', 'default')).toBeGreaterThan(12);
    expect(growth('ring', 'chang-roberts', 'isolate')).toBeLessThan(8);
  });
});
