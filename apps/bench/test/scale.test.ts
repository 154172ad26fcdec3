/** What many elections cost: the plan, what is simulated, and the committed results of both kinds. */

import { readFileSync } from 'node:fs';
import { silentProgress } from '@hustings/command';
import { describe, expect, it } from 'vitest';
import { electionsPerService, servicesOf, ttlSeconds, ways } from '../src/scale/plan.js';
import { renderScale, type ScaleResults, type ScaleRow } from '../src/scale/rows.js';
import { simulateScale } from '../src/scale/run-simulated.js';
import { bench } from './command.js';

const { signal } = new AbortController();
const options = { seed: 'test', trials: 2, mostServices: 10, workers: 0, progress: silentProgress, signal };

describe('the services that elections belong to', () => {
  it('are no larger than a thousand elections, and have all of them', () => {
    for (const elections of [3, 999, 1000, 1001, 3000, 100_000]) {
      const services = servicesOf(elections);
      expect(Math.max(...services)).toBeLessThanOrEqual(electionsPerService);
      expect(services.reduce((sum, size) => sum + size, 0)).toBe(elections);
    }
  });
});

describe('simulated elections', () => {
  const names = ways.flatMap((way) => [10, 30].map((elections) => ({ way, elections })));
  const simulated = simulateScale(names, options);
  const rowOf = async (way: string, elections: number): Promise<ScaleRow> =>
    (await simulated).rows.find((row) => row.way === way && row.elections === elections)!;

  it('cost three renewals and three reads each in every third of the lease, where each is alone', async () => {
    for (const elections of [10, 30]) {
      const row = await rowOf('alone', elections);
      const perSecond = (3 * elections) / (ttlSeconds / 3);
      expect(row.renewalsPerSecond / perSecond).toBeCloseTo(1, 1);
      expect(row.readsPerSecond / perSecond).toBeCloseTo(1, 1);
      expect(row).toMatchObject({ leases: 3 * elections, watches: 3 * elections, processes: 3 });
    }
  });

  it('cost no more of them over sessions, however many there are', async () => {
    const [few, many] = [await rowOf('session', 10), await rowOf('session', 30)];
    expect(many.renewalsPerSecond).toBeCloseTo(few.renewalsPerSecond, 1);
    expect(many).toMatchObject({ leases: 3, watches: 3 });
  });

  it('cost the coordinator one election behind an aggregator, and the aggregator no more calls with each', async () => {
    const [few, many] = [await rowOf('aggregator', 10), await rowOf('aggregator', 30)];
    expect(many).toMatchObject({ leases: 3, watches: few.watches });
    expect(many.renewalsPerSecond).toBeCloseTo(few.renewalsPerSecond, 1);
    // Decision 33: what the elections of a process ask goes together.
    expect(many.callsPerSecond!).toBeCloseTo(few.callsPerSecond!, 0);
  });

  it('are led again within the lease and half a second of the death of a process, all that it led', async () => {
    for (const row of (await simulated).rows) {
      expect(row.lost).toBeGreaterThan(0);
      expect(row.unresolved).toBe(0);
      expect(row.failoverMs!.max).toBeLessThan(1000 * ttlSeconds + 600);
      expect(row.failoverMs!.min).toBeGreaterThan((2 / 3) * 1000 * ttlSeconds - 100);
    }
  });

  it('come out the same for the same seed, and otherwise for another', async () => {
    expect(await simulateScale(names, options)).toEqual(await simulated);
    expect((await simulateScale(names, { ...options, seed: 'another' })).rows).not.toEqual(
      (await simulated).rows,
    );
  });

  it('are multiplied from fewer services, and say so, where there are more than may be simulated', async () => {
    const name = { way: 'session', elections: 3000 } as const;
    const { rows } = await simulateScale([name], { ...options, trials: 1, mostServices: 1 });
    expect(rows).toMatchObject([{ basis: 'extrapolated', processes: 9, leases: 36, watches: 9, lost: 334 }]);
  }, 60_000);

  it('keep the rows that were finished when they are interrupted', async () => {
    const controller = new AbortController();
    const advance = () => controller.abort();
    const stopped = {
      ...options,
      trials: 1,
      signal: controller.signal,
      progress: { ...silentProgress, advance },
    };
    const { rows, complete } = await simulateScale(names, stopped);
    expect({ rows: rows.length, complete }).toEqual({ rows: 1, complete: false });
  });
});

describe('the command', () => {
  it('prints one document of rows, with --json, that does not depend on the threads', async () => {
    const flags = ['scale', '--elections', '10', '--trials', '2', '--json'];
    const runs = [await bench(...flags, '--workers', '1'), await bench(...flags, '--workers', '2')];
    const [one, two] = runs.map(({ stdout }) => JSON.parse(stdout) as ScaleResults);
    expect(one).toMatchObject({ schema: 'hustings-scale/1', mode: 'simulated', complete: true, refused: [] });
    expect(one!.rows.map(({ way }) => way)).toEqual([...ways]);
    expect(two!.rows).toEqual(one!.rows);
  });
});

// ---- What is committed ---------------------------------------------------------------------------------

const committed = (name: string): ScaleResults =>
  JSON.parse(readFileSync(new URL(`../../../docs/data/scale/${name}.json`, import.meta.url), 'utf8'));

describe('the committed results', () => {
  const [simulated, live] = [committed('simulated'), committed('live')];
  const twins = live.rows.flatMap((measured) => {
    const twin = simulated.rows.find(
      ({ way, elections }) => way === measured.way && elections === measured.elections,
    );
    return twin === undefined ? [] : [{ ...measured, measured, twin }];
  });

  it('have every way, simulated from ten to a hundred thousand elections', () => {
    for (const way of ways) {
      const sizes = simulated.rows.filter((row) => row.way === way).map(({ elections }) => elections);
      expect(sizes).toEqual([10, 100, 1000, 10_000, 100_000]);
      expect(twins.some((row) => row.way === way)).toBe(true);
    }
  });

  it.each(twins)('agree within a quarter: $way, $elections elections', ({ measured, twin }) => {
    const ratios = {
      renewals: measured.renewalsPerSecond / twin.renewalsPerSecond,
      watches: measured.watches / twin.watches,
      ...(measured.callsPerSecond === null ? {} : { calls: measured.callsPerSecond / twin.callsPerSecond! }),
      one: measured.failoverMs!.mean / twin.failoverMs!.mean,
      all: measured.lastFailoverMs!.mean / twin.lastFailoverMs!.mean,
    };
    for (const [quantity, ratio] of Object.entries(ratios)) {
      expect(Math.max(ratio, 1 / ratio), quantity).toBeLessThanOrEqual(1.25);
    }
  });

  it('have no two leaders at once, and no token that did not grow', () => {
    for (const row of live.rows) expect(row).toMatchObject({ overlaps: 0, tokensThatDidNotGrow: 0 });
  });

  it('are printed as a table that says where a way stops', () => {
    const why = 'it took too long.';
    const text = renderScale({ ...live, refused: [{ way: 'alone', elections: 3000, why }] });
    expect(text).toContain('alone stops before 3000 elections: it took too long.');
    for (const row of live.rows) expect(text).toContain(row.elections.toLocaleString('en'));
  });
});
