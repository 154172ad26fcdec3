import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graceOf, scheduleOf, stopBy } from '../../src/cli/schedule.js';

const lease = fc
  .record({
    nowMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
    fullMs: fc.double({ min: 1, max: 1e6, noNaN: true }),
  })
  .chain(({ nowMs, fullMs }) =>
    fc.record({
      nowMs: fc.constant(nowMs),
      fullMs: fc.constant(fullMs),
      remainingMs: fc.double({ min: 0, max: fullMs, noNaN: true }),
    }),
  );
const asked = fc.option(fc.nat(3_600_000), { nil: undefined });

describe('when the command must end', () => {
  it('it is killed before the lease ends, and asked before that', () => {
    fc.assert(
      fc.property(lease, asked, (given, graceMs) => {
        const { terminateAtMs, killAtMs } = scheduleOf(given, graceMs);
        expect(killAtMs).toBeLessThan(given.nowMs + given.remainingMs);
        expect(terminateAtMs).toBeLessThanOrEqual(killAtMs!);
      }),
    );
  });

  it('it is not, while the lease has yet to be renewed as usual', () => {
    fc.assert(
      fc.property(lease, asked, (given, graceMs) => {
        // etcd's is renewed when 0.37 of it are left, ZooKeeper's at 0.41, Raft's long before.
        const { terminateAtMs } = scheduleOf({ ...given, remainingMs: given.fullMs * 0.37 }, graceMs);
        expect(terminateAtMs).toBeGreaterThan(given.nowMs);
      }),
    );
  });

  it('somebody who has time does not give it more than the lease has', () => {
    fc.assert(
      fc.property(lease, fc.nat(60_000), (given, stopMs) => {
        const ofLease = scheduleOf(given, undefined);
        const { terminateAtMs, killAtMs } = stopBy(ofLease, given.nowMs, stopMs);
        expect(terminateAtMs).toBe(given.nowMs);
        expect(killAtMs).toBeLessThanOrEqual(ofLease.killAtMs!);
        expect(killAtMs).toBeLessThanOrEqual(given.nowMs + stopMs);
      }),
    );
  });

  it('is never, where no lease bounds the leadership', () => {
    const unbounded = { nowMs: 5, remainingMs: Number.POSITIVE_INFINITY, fullMs: Number.POSITIVE_INFINITY };
    expect(scheduleOf(unbounded, undefined)).toEqual({ terminateAtMs: null, killAtMs: null });
    expect(stopBy({ terminateAtMs: null, killAtMs: null }, 5, 100)).toEqual({
      terminateAtMs: 5,
      killAtMs: 105,
    });
  });

  it('gives what was asked for, up to a quarter of the lease', () => {
    expect([graceOf(4000, undefined), graceOf(4000, 500), graceOf(4000, 5000)]).toEqual([800, 500, 1000]);
  });
});
