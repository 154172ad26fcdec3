/** What is published about these algorithms appears by itself, in clusters of three sizes. */

import { algorithmNames, defaultBudgetMs, variantsOf } from '@hustings/catalogue';
import { silentProgress } from '@hustings/command';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Experiment } from '../src/plan/rows.js';
import type { Row } from '../src/report/results.js';
import { runSimulated } from '../src/run-simulated.js';

const sizes = [3, 9, 25] as const;
const trials = 4;

const measure = async (
  algorithms: Experiment['algorithms'],
  faults: Experiment['faults'],
  count: number,
): Promise<readonly Row[]> => {
  const { rows } = await runSimulated(
    {
      ...{ algorithms, variants: true, nodes: sizes, faults },
      ...{ profile: 'matched', budgetMs: defaultBudgetMs, trials: count, seed: 'shape' },
    },
    { workers: 0, progress: silentProgress, signal: new AbortController().signal },
  );
  return rows;
};

let rows: readonly Row[];
/** Who of a crowd hears first is left to chance, so it takes more trials to see what is usual. */
let crowds: readonly Row[];
beforeAll(async () => {
  rows = await measure(algorithmNames, ['crash', 'isolate', 'split'], trials);
  crowds = await measure(['etcd', 'zookeeper'], ['crash'], 15 * trials);
}, 120_000);

const row = (
  algorithm: string,
  variant: string,
  nodes: number,
  fault: string,
  among: readonly Row[] = rows,
): Row =>
  among.find(
    (each) =>
      each.algorithm === algorithm &&
      each.variant === variant &&
      each.nodes === nodes &&
      each.fault === fault,
  )!;
const variants = (...algorithms: readonly string[]) =>
  algorithms.flatMap((algorithm) => variantsOf(algorithm).map((variant) => [algorithm, variant] as const));

describe('when the network is partitioned', () => {
  it.each(variants('bully', 'ring'))('%s (%s) has two leaders in every trial of every size', (...name) => {
    for (const nodes of sizes) {
      for (const fault of ['isolate', 'split']) {
        expect(row(...name, nodes, fault).splitBrain.trialsAffected, `${nodes} nodes, ${fault}`).toBe(trials);
      }
    }
  });

  // `plain` has no lease, and says so: a leader that is cut off goes on until it hears of the next one.
  const safe = variants('raft', 'zookeeper', 'etcd').filter(([, variant]) => variant !== 'plain');

  it.each(safe)('%s (%s) never has, and the fence holds', (...name) => {
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
  /** The power of the number of nodes that a count grows with. */
  const growth = (count: (nodes: number) => number): number =>
    Math.log(count(25) / count(9)) / Math.log(25 / 9);
  const power = (algorithm: string, variant: string, fault = 'crash'): number =>
    growth((nodes) => most(algorithm, variant, nodes, fault));

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
    const usual = growth((nodes) => row(algorithm, variant, nodes, 'crash', crowds).messages.failover!.p50);
    expect(usual).toBeGreaterThan(0.85);
    expect(usual).toBeLessThan(1.2);
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
