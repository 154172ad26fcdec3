import { defaultSettings as etcdDefaults } from '@hustings/etcd';
import { defaultSettings as leaseDefaults } from '@hustings/lease';
import { InvalidOptionError } from 'hustings';
import { type LeaseDemands, leasedElectors, planLease, planLeases } from 'hustings/ttl';
import { describe, expect, it } from 'vitest';
import { slackMs } from '../src/lease-kinds/kind.js';
import { raft } from '../src/lease-kinds/raft.js';
import { etcdTimings, raftTimings } from '../src/timings.js';

const demands: LeaseDemands = { failoverMs: 20_000, pauseMs: 1000, roundTripMs: 10, driftBound: 0.01 };

describe.each(leasedElectors)('a lease of %s', (elector) => {
  it('is the longest that keeps to the failover', () => {
    const plan = planLease(elector, { ...demands, failoverMs: 60_000 });
    expect(plan.isEnough).toBe(true);
    expect(plan.worstGapMs).toBeLessThanOrEqual(60_000);
    const longer = planLease(elector, { ...demands, failoverMs: 60_000 + 3000 });
    expect(longer.ttlMs).toBeGreaterThan(plan.ttlMs);
  });

  it('is the shortest that bears the pause where the failover leaves none, and says so', () => {
    const plan = planLease(elector, { ...demands, failoverMs: 1 });
    expect(plan.isEnough).toBe(false);
    expect(plan.pauseMs).toBeGreaterThanOrEqual(demands.pauseMs - 1e-6);
    expect(planLease(elector, { ...demands, failoverMs: Math.ceil(plan.worstGapMs) }).isEnough).toBe(true);
  });

  it('is longer for longer pauses, farther servers and worse clocks', () => {
    const shortest = (changed: Partial<LeaseDemands>) =>
      planLease(elector, { ...demands, pauseMs: 20_000, failoverMs: 1, ...changed }).ttlMs;
    expect(shortest({ pauseMs: 30_000 })).toBeGreaterThan(shortest({}));
    expect(shortest({ roundTripMs: 4000 })).toBeGreaterThan(shortest({}));
    expect(shortest({ driftBound: 0.05 })).toBeGreaterThan(shortest({}));
  });

  it.each([
    { failoverMs: Number.NaN },
    { pauseMs: -1 },
    { driftBound: 0.2 },
    { roundTripMs: '10' as unknown as number },
  ])('is refused for %o', (wrong) => {
    expect(() => planLease(elector, { ...demands, ...wrong })).toThrow(InvalidOptionError);
  });
});

describe('what a plan says of the defaults', () => {
  it('is what etcd does with a TTL of 5 s', () => {
    const plan = planLeases({ ...demands, failoverMs: 5600 }).find(({ elector }) => elector === 'etcd')!;
    expect(plan).toMatchObject({ setting: 'ttlSeconds', value: etcdTimings.lan.ttlSeconds, guardMs: 200 });
    expect(plan.renewEveryMs).toBe(etcdDefaults.renewAfter * 5000);
  });

  it('is a multiple of a second in Kubernetes, whose setting counts milliseconds', () => {
    const { setting, value, ttlMs } = planLease('kubernetes', demands);
    expect([setting, value % 1000, value]).toEqual(['ttlMs', 0, ttlMs]);
  });

  it('is the rule of thirds on a store', () => {
    const plan = planLease('postgres', demands);
    expect(plan.renewEveryMs).toBeCloseTo(plan.ttlMs * leaseDefaults.renewAfter);
    expect(leaseDefaults.renewAfter).toBeCloseTo(1 / 3);
  });

  it('is the slack of Raft in lan and wan', () => {
    for (const name of ['lan', 'wan'] as const) {
      const { electionTimeoutMs, heartbeatMs } = raftTimings[name];
      expect(raft.renewEveryMs(electionTimeoutMs[0])).toBe(heartbeatMs);
      expect(Math.round(slackMs(raft, electionTimeoutMs[0], 0.01))).toBe(name === 'lan' ? 880 : 4401);
    }
  });
});
