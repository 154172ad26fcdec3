/** What is published about these algorithms appears by itself, in clusters of three sizes. */

import { beforeAll, describe, expect, it } from 'vitest';
import { algorithmNames, variantsOf } from '../src/algorithms.js';
import { silentProgress } from '../src/progress.js';
import type { Row } from '../src/results.js';
import { defaultBudgetMs } from '../src/settings.js';
import { runSimulated } from '../src/simulated/run.js';

const sizes = [3, 9, 25] as const;
const trials = 4;

let rows: readonly Row[];
beforeAll(async () => {
  ({ rows } = await runSimulated(
    {
      ...{ algorithms: algorithmNames, variants: true, nodes: sizes, faults: ['crash', 'isolate', 'split'] },
      ...{ profile: 'matched', budgetMs: defaultBudgetMs, trials, seed: 'shape' },
    },
    { workers: 0, progress: silentProgress, signal: new AbortController().signal },
  ));
}, 120_000);

const row = (algorithm: string, variant: string, nodes: number, fault: string): Row =>
  rows.find(
    (each) =>
      each.algorithm === algorithm &&
      each.variant === variant &&
      each.nodes === nodes &&
      each.fault === fault,
  )!;
const variants = (...algorithms: readonly string[]) =>
  algorithms.flatMap((algorithm) => variantsOf(algorithm).map((variant) => [algorithm, variant] as const));

describe('when the network parts', () => {
  it.each(variants('bully', 'ring'))('%s (%s) has two leaders in every trial of every size', (...name) => {
    for (const nodes of sizes) {
      for (const fault of ['isolate', 'split']) {
        expect(row(...name, nodes, fault).splitBrain.trialsAffected, `${nodes} nodes, ${fault}`).toBe(trials);
      }
    }
  });

  it.each(variants('raft', 'zookeeper', 'etcd'))('%s (%s) never has, and the fence holds', (...name) => {
    for (const nodes of sizes) {
      for (const fault of ['crash', 'isolate', 'split']) {
        expect(row(...name, nodes, fault), `${nodes} nodes, ${fault}`).toMatchObject({
          unresolved: 0,
          splitBrain: { incidents: 0 },
          writes: { staleAcceptedFenced: 0 },
        });
      }
    }
  });
});

describe('messages until the next one leads', () => {
  const most = (algorithm: string, variant: string, nodes: number, fault = 'crash'): number =>
    row(algorithm, variant, nodes, fault).messages.failover!.max;
  /** The power of the number of nodes that they grow with. */
  const power = (algorithm: string, variant: string, fault = 'crash'): number =>
    Math.log(most(algorithm, variant, 25, fault) / most(algorithm, variant, 9, fault)) / Math.log(25 / 9);

  it.each(['etcd', 'zookeeper'])(
    'are the same for the next in line of %s, however many wait',
    (algorithm) => {
      const counts = sizes.map((nodes) => most(algorithm, 'default', nodes));
      expect(new Set(counts).size).toBe(1);
    },
  );

  it.each([
    ['etcd', 'race'],
    ['zookeeper', 'herd'],
  ])('grow with the number of nodes where %s wakes all of them (%s)', (algorithm, variant) => {
    expect(power(algorithm, variant)).toBeGreaterThan(0.85);
    expect(power(algorithm, variant)).toBeLessThan(1.2);
  });

  it.each(variants('ring'))(
    'grow with the number of nodes in %s (%s), whoever notices',
    (algorithm, variant) => {
      for (const fault of ['crash', 'isolate']) {
        expect(power(algorithm, variant, fault)).toBeGreaterThan(0.85);
        expect(power(algorithm, variant, fault)).toBeLessThan(1.2);
        // An election, the elections that end in it, and their acknowledgements; the announcement is still to come.
        for (const nodes of sizes)
          expect(most(algorithm, variant, nodes, fault)).toBeLessThanOrEqual(6 * nodes);
      }
    },
  );

  it('grow with the square of them in the worst case of bully, n² − n − 1', () => {
    expect(sizes.map((nodes) => most('bully', 'default', nodes))).toEqual(
      sizes.map((nodes) => nodes * nodes - nodes - 1),
    );
    expect(power('bully', 'default')).toBeGreaterThan(1.9);
  });
});
