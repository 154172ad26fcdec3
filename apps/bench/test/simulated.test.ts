import { type Algorithm, configure, defaultBudgetMs, open } from '@hustings/catalogue';
import { silentProgress } from '@hustings/command';
import { beforeAll, describe, expect, it } from 'vitest';
import { faultNames } from '../src/plan/faults.js';
import type { Experiment } from '../src/plan/rows.js';
import { trialNames } from '../src/plan/rows.js';
import { formatTrialName, parseTrialName } from '../src/plan/trial-name.js';
import type { Row } from '../src/report/results.js';
import { type RunResult, runSimulated } from '../src/run-simulated.js';
import { type Onlooker, runConfigured, runTrial } from '../src/trial/simulated.js';

const experiment: Experiment = {
  ...{ algorithms: ['bully'], variants: false, nodes: [5], faults: faultNames },
  ...{ profile: 'matched', budgetMs: defaultBudgetMs, trials: 10, seed: 'test' },
};

const run = (changes: Partial<Experiment> = {}, signal = new AbortController().signal): Promise<RunResult> =>
  runSimulated({ ...experiment, ...changes }, { workers: 0, progress: silentProgress, signal });

describe('bully, simulated', () => {
  let rows: ReadonlyMap<string, Row>;
  beforeAll(async () => {
    rows = new Map((await run()).rows.map((row) => [row.fault, row]));
  });
  const row = (fault: string) => rows.get(fault)!;

  it.each(['crash', 'pause', 'isolate', 'split', 'graceful', 'restart'])(
    'replaces the leader after %s',
    (fault) => {
      expect(row(fault)).toMatchObject({ trials: 10, unresolved: 0, kept: 0 });
      expect(row(fault).failoverMs!.max).toBeLessThan(2 * defaultBudgetMs);
    },
  );

  it.each(['one-way', 'loss', 'duplicate', 'reorder', 'slow-link', 'clock-drift'])(
    'needs no new leader for %s',
    (fault) => expect(row(fault)).toMatchObject({ unresolved: 0, kept: 10, failoverMs: null }),
  );

  it('notices a killed leader at once by its closed connections', () => {
    expect(row('crash').detectionMs!.max).toBeLessThan(5);
  });

  it('notices a silent leader within the budget, and not before half of it less a heartbeat', () => {
    expect(row('pause').detectionMs!.min).toBeGreaterThan(0.4 * defaultBudgetMs);
    expect(row('pause').detectionMs!.max).toBeLessThan(defaultBudgetMs + 5);
  });

  it('detects before it fails over, and fails over before all agree', () => {
    for (const { detectionMs, failoverMs, convergenceMs } of rows.values()) {
      if (failoverMs === null) continue;
      expect(detectionMs!.p50).toBeLessThanOrEqual(failoverMs.p50);
      expect(failoverMs.p50).toBeLessThanOrEqual(convergenceMs!.p50);
    }
  });

  it('sends one heartbeat to each peer, ten times in a budget, while nothing happens', () => {
    const expected = (4 * 10 * 1000) / defaultBudgetMs;
    for (const { messages } of rows.values()) {
      expect(Math.abs(messages.steadyPerSecond! - expected)).toBeLessThan(0.15 * expected);
    }
  });

  it('spends more messages on a crash than the announcement alone, and fewer than the square of the nodes', () => {
    const { election, total } = row('crash').messages;
    expect(election!.min).toBeGreaterThan(3);
    expect(election!.max).toBeLessThanOrEqual(25);
    expect(total!.min).toBeGreaterThanOrEqual(election!.min);
  });

  it('has two leaders while the network is split, and fencing stops the stale one', () => {
    const { splitBrain, writes } = row('split');
    expect(splitBrain.trialsAffected).toBe(10);
    expect(splitBrain.overlapMs!.max).toBeGreaterThan(defaultBudgetMs);
    expect(writes.staleAcceptedUnfenced).toBeGreaterThan(1000);
    expect(writes.staleAcceptedFenced).toBeLessThan(writes.staleAcceptedUnfenced);
  });

  it('heals in every phase of the heartbeats, so that no overlap is like another', () => {
    const { min, max } = row('isolate').splitBrain.overlapMs!;
    expect(max - Math.max(min, defaultBudgetMs)).toBeGreaterThan(0.2 * defaultBudgetMs);
  });

  it('has one leader at a time when the old one is dead or has resigned', () => {
    for (const fault of ['crash', 'graceful']) {
      expect(row(fault)).toMatchObject({
        splitBrain: { incidents: 0, overlapMs: null },
        writes: { staleAttempted: 0 },
      });
    }
  });

  it('a leader that wakes from a pause writes once before it hears that it has been replaced', () => {
    const { staleAttempted, staleAcceptedFenced } = row('pause').writes;
    // In some trials the one it deposes in its turn has time for one, too.
    expect(staleAttempted).toBeGreaterThanOrEqual(10);
    expect(staleAttempted).toBeLessThan(20);
    expect(staleAcceptedFenced).toBe(0);
  });

  it('names the trial with the worst failover, and the name is enough to run it again', () => {
    for (const { fault, replay, failoverMs } of rows.values()) {
      const name = parseTrialName(replay!)!;
      expect(name).toMatchObject({ algorithm: 'bully', nodes: 5, fault });
      expect(runTrial(name).failoverMs?.toFixed(3)).toBe(failoverMs?.max.toFixed(3));
    }
  });
});

describe('the seed', () => {
  it('decides everything', async () => {
    expect(await run()).toEqual(await run());
  });

  it('when different gives different results', async () => {
    const [one, other] = [await run({ faults: ['pause'] }), await run({ faults: ['pause'], seed: 'other' })];
    expect(one.rows[0]!.failoverMs).not.toEqual(other.rows[0]!.failoverMs);
  });

  it('gives every trial of a row its own', () => {
    const row = { algorithm: 'bully', variant: 'default', nodes: 5, fault: 'crash' } as const;
    const seeds = trialNames(row, { ...experiment, trials: 1000 }).map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(1000);
  });
});

describe('a run that is called off', () => {
  it('keeps no row that is not finished', async () => {
    expect(await run({}, AbortSignal.abort())).toMatchObject({ rows: [], complete: false });
  });

  it('keeps the rows that are', async () => {
    const controller = new AbortController();
    let done = 0;
    const progress = {
      ...silentProgress,
      advance(count: number) {
        done += count;
        if (done >= 10) controller.abort();
      },
    };
    const result = await runSimulated(experiment, { workers: 0, progress, signal: controller.signal });
    expect(result).toMatchObject({ complete: false, rows: [{ fault: 'crash', trials: 10 }] });
  });
});

describe('etcd, simulated, in a split', () => {
  it('is noticed no later than it is replaced, and in every trial', () => {
    const name = { algorithm: 'etcd', variant: 'default', nodes: 5, fault: 'split' } as const;
    for (const trial of trialNames(name, { ...experiment, trials: 60 })) {
      const { detectionMs, failoverMs } = runTrial(trial);
      expect(detectionMs, formatTrialName(trial)).not.toBeNull();
      expect(detectionMs!).toBeLessThanOrEqual(failoverMs!);
    }
  });
});

describe('a fenced store that took a stale write of ring', () => {
  const trial = parseTrialName('ring.default.3.loss.matched.2500.1gaba6g')!;

  it('was offered the same token by two leaders, and kept the first', () => {
    const tokens: { node: string; token: bigint }[] = [];
    const { staleAcceptedFenced } = open('ring')(<State>(algorithm: Algorithm<State>) => {
      const configured = configure(algorithm, trial.variant, trial.profile, trial.budgetMs);
      const witness: Onlooker<State> = {
        attach() {},
        changed({ id: node, leadership }) {
          if (leadership !== null) tokens.push({ node, token: leadership.token });
        },
      };
      return runConfigured(configured, trial, [witness]);
    });
    expect(staleAcceptedFenced).toBeGreaterThan(0);
    const isShared = ({ node, token }: (typeof tokens)[number]): boolean =>
      tokens.some((other) => other.token === token && other.node !== node);
    expect(tokens.some(isShared)).toBe(true);
  });
});
