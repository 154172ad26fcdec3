import { silentProgress } from '@hustings/command';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../src/report/results.js';
import { type Calibrations, circumstancesOf, renderValidation, validate } from '../src/report/validation.js';
import { runSimulated } from '../src/run-simulated.js';
import { type Calibration, calibrationOf, type Measured, measuredOf } from '../src/trial/live/calibration.js';

const exactly = (ms: number): Measured => measuredOf([ms]);
const slowDisks: Calibration = {
  ...{ message: exactly(1), save: exactly(50), driver: exactly(2) },
  coordinator: null,
};

async function simulate(calibration: Calibration, algorithm = 'raft'): Promise<readonly Row[]> {
  const { rows } = await runSimulated(
    {
      ...{ algorithms: [algorithm], variants: false, nodes: [3], faults: ['crash', 'graceful'], trials: 20 },
      ...{ profile: 'matched', budgetMs: 2000, seed: 'test' },
    },
    {
      workers: 0,
      progress: silentProgress,
      signal: new AbortController().signal,
      circumstances: circumstancesOf(calibration),
    },
  );
  return rows;
}

const fastDisks: Calibration = { ...slowDisks, save: exactly(0.001) };
let simulated: readonly Row[];
beforeAll(async () => {
  simulated = await simulate(fastDisks);
});

/** Live rows that took this many times as long as the simulated ones with their driver, all trials alike. */
const slower = (factor: number): Row[] =>
  simulated.map((row) => {
    const p50 = factor * (row.failoverMs!.p50 + slowDisks.driver.p50Ms);
    return { ...row, failoverMs: { ...row.failoverMs!, p50, min: p50, max: p50 } };
  });
const calibrations: Calibrations = { raft: fastDisks };

describe('a live row beside its simulated twin', () => {
  it('is within the tolerance when it takes a fifth longer, and needs no reason', () => {
    expect(validate(simulated, slower(1.2), calibrations)).toMatchObject([
      { fault: 'crash', ratio: 1.2, within: true, reason: null },
      { fault: 'graceful', ratio: 1.2, within: true, reason: null },
    ]);
  });

  it('is not when it takes ten times as long, and the reason stands beside it, with what is missing', () => {
    const validation = validate(simulated, slower(10), calibrations);
    expect(validation).toMatchObject([
      { within: false, reason: expect.stringMatching(/more than .*: .* for each of \d+ messages/) },
      { within: false, reason: expect.stringMatching(/more than .*: .* for each of \d+ messages/) },
    ]);
    expect(renderValidation({ calibration: calibrations, validation })).toMatch(
      /raft +3 +graceful .* 10\.00 +differs: .* more/,
    );
  });

  it('is explained by chance when the simulated trials vary as much', () => {
    const [crash] = simulated;
    const live = { ...crash!, failoverMs: { ...crash!.failoverMs!, p50: crash!.failoverMs!.max } };
    const twin = { ...crash!, failoverMs: { ...crash!.failoverMs!, p50: crash!.failoverMs!.max / 2 } };
    expect(validate([twin], [live], calibrations)[0]!.reason).toMatch(/simulated trials' own spread/);
  });

  it('is explained by chance when the live trials do', () => {
    const wide = slower(10).map((row) => ({ ...row, failoverMs: { ...row.failoverMs!, min: 0.1 } }));
    expect(validate(simulated, wide, calibrations)[1]!.reason).toMatch(/live trials' own spread/);
  });

  it('is explained by the disk when a save was measured to take as long as what is missing', () => {
    const stalled = { ...fastDisks, save: measuredOf([...Array<number>(19).fill(0.001), 30_000]) };
    const [, { reason }] = validate(simulated, slower(10), { raft: stalled }) as [
      unknown,
      { reason: string },
    ];
    expect(reason).toMatch(/the slowest save that was measured took 30\.00 s/);
  });

  it('that nobody took over is no match for one that somebody did', () => {
    const none = simulated.map((row) => ({ ...row, failoverMs: null }));
    expect(validate(simulated, none, calibrations).every(({ within }) => within)).toBe(false);
  });
});

describe('what was measured on the machine', () => {
  it('is charged in the simulated twin: slow disks make a hand-over slow', async () => {
    const handOver = (rows: readonly Row[]) =>
      rows.find(({ fault }) => fault === 'graceful')!.failoverMs!.p50;
    // The next leader saves its new term, its voters save their votes, all at once, and then the term's first entry:
    // a lease begins with the first answers (decision 26).
    expect(handOver(await simulate(slowDisks)) - handOver(simulated)).toBeCloseTo(
      3 * slowDisks.save.p50Ms,
      1,
    );
  });

  it('is charged for a coordinator, too, and for it alone', async () => {
    const idle = { read: exactly(1), commit: exactly(0.001) };
    const handOver = async (calibration: Calibration) =>
      (await simulate(calibration, 'etcd')).find(({ fault }) => fault === 'graceful')!.failoverMs!.p50;
    const quick = await handOver({ ...fastDisks, coordinator: idle });
    const slow = await handOver({ ...fastDisks, coordinator: { ...idle, commit: exactly(40) } });
    expect(slow - quick).toBeGreaterThanOrEqual(39);
    // Nodes of etcd keep nothing of their own.
    expect(await handOver({ ...slowDisks, coordinator: idle })).toBe(quick);
  });

  it('becomes a range to draw from that has its least and its mean, without the slowest tenth', () => {
    const samples = [1, 2, 2, 2, 2, 2, 2, 2, 3, 1000];
    expect(measuredOf(samples)).toEqual({
      ...{ samples: 10, minMs: 1, p50Ms: 2, meanMs: 2, maxMs: 1000 },
      rangeMs: [1, 3],
    });
  });

  it('counts of a write only what it takes beyond a question, and of a hand-over only what is no message', () => {
    const { coordinator, driver } = calibrationOf({
      ...{ message: [1], save: [5], read: [2], write: [10] },
      'hand-over': [4],
    });
    expect(coordinator!.commit.p50Ms).toBe(6);
    expect(driver.p50Ms).toBe(3);
  });
});
