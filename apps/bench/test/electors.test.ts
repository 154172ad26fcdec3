import {
  algorithmNames,
  configure,
  coordinatorOf,
  defaultBudgetMs,
  open,
  variantsOf,
} from '@hustings/catalogue';
import { silentProgress } from '@hustings/command';
import { beforeAll, describe, expect, it } from 'vitest';
import { coordinatorFaults, faultNames } from '../src/plan/faults.js';
import { type Experiment, rowNames } from '../src/plan/rows.js';
import type { Row } from '../src/report/results.js';
import { runSimulated } from '../src/run-simulated.js';

const experiment: Experiment = {
  ...{ algorithms: algorithmNames, variants: true, nodes: [5], faults: faultNames },
  ...{ profile: 'matched', budgetMs: defaultBudgetMs, trials: 5, seed: 'test' },
};

let rows: readonly Row[];
beforeAll(async () => {
  const signal = new AbortController().signal;
  ({ rows } = await runSimulated(experiment, { workers: 0, progress: silentProgress, signal }));
}, 120_000);

const of = (algorithm: string, variant = 'default'): readonly Row[] =>
  rows.filter((row) => row.algorithm === algorithm && row.variant === variant);
const row = (algorithm: string, fault: string, variant = 'default'): Row =>
  of(algorithm, variant).find((each) => each.fault === fault)!;

const safe = ['raft', 'zookeeper', 'etcd', 'lease']
  .flatMap((algorithm) => variantsOf(algorithm).map((variant) => [algorithm, variant] as const))
  // One forgets what it has acknowledged, the other has no lease; both are there to show what comes of that.
  .filter(([, variant]) => !['redis-replica', 'plain'].includes(variant));

describe('a leader that hands over to a node of its choice', () => {
  it('is replaced at once in raft', () => {
    const { unresolved, failoverMs } = row('raft', 'transfer');
    expect(unresolved).toBe(0);
    expect(failoverMs!.max).toBeLessThan(100);
  });

  it('is to be found nowhere else', () => {
    const able = rows.filter(({ fault }) => fault === 'transfer').map(({ algorithm }) => algorithm);
    expect([...new Set(able)]).toEqual(['raft']);
  });
});

describe.each(safe)('%s (%s)', (algorithm, variant) => {
  it('never has two leaders while clocks keep the bound that it declares', () => {
    // A clock at half speed does not: then a lease may outlast itself.
    for (const each of of(algorithm, variant).filter(({ fault }) => fault !== 'clock-drift')) {
      expect(each, each.fault).toMatchObject({ splitBrain: { incidents: 0 } });
    }
  });

  it('lets no stale write past the fence, whatever clocks do', () => {
    for (const each of of(algorithm, variant)) {
      expect(each, each.fault).toMatchObject({ writes: { staleAcceptedFenced: 0 } });
    }
  });

  it('replaces a leader that dies, hangs, is cut off or resigns', () => {
    const asked = ['crash', 'pause', 'isolate', 'split', 'graceful'];
    for (const each of of(algorithm, variant).filter(({ fault }) => asked.includes(fault))) {
      // Of one that hangs, the kernel says nothing: its README begins with that.
      const unresolved = variant === 'local' && each.fault === 'pause' ? 5 : 0;
      expect(each, each.fault).toMatchObject({ unresolved, kept: 0 });
    }
  });

  it('lets its next leader write as soon as it leads', () => {
    const { failoverMs, nextWriteMs } = row(algorithm, 'crash', variant);
    expect(nextWriteMs).toEqual(failoverMs);
  });
});

describe.each(['bully', 'ring'])('%s', (algorithm) => {
  it('has two leaders when the network is partitioned, and the fence stops one of them', () => {
    for (const fault of ['isolate', 'split']) {
      const { splitBrain, writes } = row(algorithm, fault);
      expect(splitBrain.trialsAffected).toBe(5);
      expect(splitBrain.worst!.tenures.length).toBeGreaterThan(1);
      expect(writes.staleAcceptedFenced).toBeLessThan(writes.staleAcceptedUnfenced);
    }
  });

  it('has one at a time when the leader dies', () => {
    expect(row(algorithm, 'crash').splitBrain).toMatchObject({ incidents: 0, worst: null });
  });
});

describe('the matched profile', () => {
  const configured = (algorithm: string, variant: string, budgetMs: number) =>
    open(algorithm)((opened) => {
      const { detectionMs, parameters } = configure(opened, variant, 'matched', budgetMs);
      return { detectionMs, parameters };
    });
  const everyVariant = algorithmNames.flatMap((algorithm) =>
    variantsOf(algorithm).map((variant) => [algorithm, variant] as const),
  );

  it.each(everyVariant)(
    'lets %s (%s) take the default budget to notice, and no longer',
    (algorithm, variant) => {
      expect(configured(algorithm, variant, defaultBudgetMs).detectionMs).toBe(defaultBudgetMs);
      // A store of one machine has no network, and does not notice a pause.
      for (const fault of variant === 'local' ? [] : ['pause', 'isolate', 'split']) {
        // The last heartbeat, renewal or ping may still be on its way when the fault strikes.
        expect(row(algorithm, fault, variant).detectionMs!.max).toBeLessThan(defaultBudgetMs + 10);
      }
    },
  );

  it('has bully, ring and raft draw their patience from one range', () => {
    for (const budgetMs of [1000, defaultBudgetMs, 8000]) {
      const range = [budgetMs / 2, budgetMs];
      for (const [algorithm, setting] of [
        ['bully', 'leaderTimeoutMs'],
        ['ring', 'leaderTimeoutMs'],
        ['raft', 'electionTimeoutMs'],
      ] as const) {
        expect(configured(algorithm, 'default', budgetMs).parameters[setting]).toEqual(range);
      }
    }
  });

  it.each([1500, 2000, 3700, 8000, 60_000])('exceeds a budget of %i ms nowhere', (budgetMs) => {
    for (const [algorithm, variant] of everyVariant) {
      expect(configured(algorithm, variant, budgetMs).detectionMs).toBeLessThanOrEqual(budgetMs);
    }
  });
});

describe('the faults of a coordinator', () => {
  const withCoordinator = algorithmNames.filter((name) => coordinatorOf(name) !== null);

  it('make rows for those that have one, and none for the others', () => {
    const struck = rowNames({ ...experiment, faults: coordinatorFaults }).map(({ algorithm }) => algorithm);
    expect([...new Set(struck)]).toEqual(withCoordinator);
  });

  it('make no row on servers that are not ours to kill, but for a cut link', () => {
    const named = { ...experiment, faults: coordinatorFaults, untouchable: withCoordinator };
    expect(new Set(rowNames(named).map(({ fault }) => fault))).toEqual(new Set(['isolate-from-coordinator']));
  });

  it('leave nobody in office while all of it is down', () => {
    for (const algorithm of withCoordinator) {
      expect(row(algorithm, 'coordinator-crash')).toMatchObject({ unresolved: 5, failoverMs: null });
    }
  });

  it('end with a leader when only one member dies', () => {
    for (const algorithm of withCoordinator) {
      expect(row(algorithm, 'coordinator-member-crash').unresolved).toBe(0);
    }
  });
});

describe('messages by kind', () => {
  it('add up to the total, and without the periodic ones to those of the election', () => {
    for (const { messages, trials } of rows.filter(({ convergenceMs }) => convergenceMs !== null)) {
      const kinds = Object.values(messages.byType);
      const sum = (of: typeof kinds) => of.reduce((total, { mean }) => total + mean, 0);
      // Each mean is rounded on its own.
      expect(Math.abs(sum(kinds) - messages.total!.mean)).toBeLessThan(0.01 * kinds.length * trials);
      const election = kinds.filter(({ periodic }) => !periodic);
      expect(Math.abs(sum(election) - messages.election!.mean)).toBeLessThan(0.01 * kinds.length * trials);
    }
  });

  it('are the same few for the next in a queue, and more for a crowd', () => {
    for (const [algorithm, crowd] of [
      ['etcd', 'race'],
      ['zookeeper', 'herd'],
    ] as const) {
      const queue = row(algorithm, 'crash').messages.failover!;
      expect(queue.min).toBe(queue.max);
      expect(row(algorithm, 'crash', crowd).messages.failover!.min).toBeGreaterThan(queue.max);
    }
  });
});
