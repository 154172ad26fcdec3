import { describe, expect, it } from 'vitest';
import { faultsOfAnyProcess } from '../src/faults.js';
import { defaultSwarm, drawSchedule, faultTypes, type Schedule, type SwarmSubject } from '../src/index.js';
import { seeds } from './hasty-protocol.js';

const subject: SwarmSubject = {
  timing: { detectionMs: 300, maxDelayMs: 50, settleMs: 1800 },
  targetedTransfer: false,
  leased: false,
  hasCoordinator: false,
};
const drawn = seeds(500).map((seed) => drawSchedule(seed, defaultSwarm, subject));

describe('a schedule drawn from a seed', () => {
  it('is the same for the same seed', () => {
    expect(drawSchedule(7, defaultSwarm, subject)).toEqual(drawn[6]);
  });

  it('has as many nodes as was asked for, and not always the same number', () => {
    const sizes = new Set(drawn.map(({ nodes }) => nodes.length));
    expect([...sizes].sort()).toEqual([3, 4, 5, 6, 7]);
  });

  it('keeps the latency within what the algorithm assumes', () => {
    for (const { network } of drawn) expect(network.latencyMs[1]).toBeLessThanOrEqual(45);
  });

  it('leaves time to settle after the last fault has healed', () => {
    for (const { faults, durationMs } of drawn) {
      for (const { atMs, healAtMs = atMs } of faults)
        expect(durationMs).toBeGreaterThanOrEqual(healAtMs + 1800);
    }
  });

  it('has only faults that heal, but for those that are over at once or too slight to matter', () => {
    for (const fault of drawn.flatMap(({ faults }) => faults)) {
      if (fault.healAtMs !== undefined || fault.type === 'restart') continue;
      expect(fault.type).toBe('clock-drift');
      expect('rate' in fault && Math.abs(fault.rate - 1)).toBeLessThanOrEqual(0.0101);
    }
  });

  it('has, over many seeds, every fault that an algorithm without a coordinator can suffer', () => {
    const types = new Set(drawn.flatMap(({ faults }) => faults.map(({ type }) => type)));
    const ofCoordinators = ['isolate-from-coordinator', 'coordinator-crash', 'coordinator-member-crash'];
    expect([...types].sort()).toEqual(faultTypes.filter((type) => !ofCoordinators.includes(type)).sort());
  });

  describe('for an algorithm with leases', () => {
    const swarm = { ...defaultSwarm, faults: ['clock-drift'] as const };
    const leased = { ...subject, leased: true, timing: { ...subject.timing, maxDriftRate: 0.2 } };
    const schedules = seeds(400).map((seed) => drawSchedule(seed, swarm, leased));
    const rates = ({ faults }: Schedule): number[] =>
      faults.flatMap((fault) => ('rate' in fault ? [fault.rate] : []));

    it('has clocks at either end of the bound, from the beginning to the end', () => {
      const lasting = schedules.flatMap(({ faults }) =>
        faults.flatMap((fault) =>
          'rate' in fault && fault.atMs === 0 && fault.healAtMs === undefined ? [fault.rate] : [],
        ),
      );
      expect(lasting).toContain(0.8);
      expect(lasting).toContain(1.2);
    });

    it('has clocks beyond the bound only seldom, and for a while', () => {
      const beyond = schedules.filter((schedule) =>
        rates(schedule).some((rate) => Math.abs(rate - 1) > 0.2001),
      );
      expect(beyond.length).toBeGreaterThan(0);
      expect(beyond.length).toBeLessThan(schedules.length / 5);
      for (const { durationMs } of schedules) expect(durationMs).toBeLessThan(Number.POSITIVE_INFINITY);
    });
  });

  it('strikes the coordinator, and its clock, where there is one', () => {
    const schedules = seeds(200).map((seed) =>
      drawSchedule(seed, defaultSwarm, { ...subject, leased: true, hasCoordinator: true }),
    );
    const struck = schedules.flatMap(({ faults }) =>
      faults.flatMap((fault) => ('node' in fault && fault.node === 'coordinator' ? [fault.type] : [])),
    );
    expect(new Set(struck)).toEqual(faultsOfAnyProcess);
  });

  it('has some of the workload, and time to settle after it', () => {
    const schedules = seeds(200).map((seed) =>
      drawSchedule(seed, defaultSwarm, { ...subject, workload: ['writes', 'reads'] }),
    );
    const kinds = schedules.map(({ workload }) => workload?.kinds.join(' '));
    expect(new Set(kinds)).toEqual(new Set([undefined, 'writes', 'reads', 'writes reads']));
    for (const { workload, durationMs } of schedules) {
      expect(durationMs).toBeGreaterThanOrEqual((workload?.untilMs ?? 0) + 1800);
    }
  });

  it('has no fault that was not asked for', () => {
    const swarm = { ...defaultSwarm, faults: ['crash', 'loss'] as const };
    for (const seed of seeds(100)) {
      for (const { type } of drawSchedule(seed, swarm, subject).faults) expect(swarm.faults).toContain(type);
    }
  });

  it('has no faults at all when none were asked for', () => {
    expect(drawSchedule(1, { ...defaultSwarm, faults: [] }, subject).faults).toEqual([]);
  });
});
