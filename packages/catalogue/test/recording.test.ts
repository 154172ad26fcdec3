import {
  defaultSwarm,
  type Fault,
  formatTrace,
  parseSchedule,
  type RecordedTenure,
  type RecordOptions,
  record,
  scheduleOfSeed,
} from '@hustings/simulator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { algorithmNames, withSubject } from '../src/index.js';

const play = (algorithm: string, text: string, options: RecordOptions = {}) =>
  withSubject(algorithm, 'default', (subject) => record(subject, parseSchedule(text), options).facts);

describe.each(algorithmNames)('a recording of %s', (algorithm) => {
  const hands: fc.Arbitrary<object> = fc.constantFrom(
    { type: 'crash', node: 'leader' },
    { type: 'pause', node: 'leader' },
    { type: 'cut', node: 'leader', peer: 'follower-1' },
    { type: 'drop', node: 'leader', peer: 'follower-1' },
    { type: 'fire', node: 'follower-1' },
    { type: 'latency', latencyMs: [3, 30] },
    { type: 'unhealthy', node: 'follower-2' },
    { type: 'isolate', node: 'leader' },
  );
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it('leaves every event before a later fault as it was, byte for byte', () => {
    fc.assert(
      fc.property(fc.nat(10_000), hands, share, (seed, hand, when) => {
        withSubject(algorithm, 'default', (subject) => {
          const schedule = scheduleOfSeed(subject, defaultSwarm, seed);
          const later = { ...hand, atMs: when * schedule.durationMs } as Fault;
          const before = (faults: readonly Fault[]): string =>
            formatTrace(
              record(subject, { ...schedule, faults }).facts.events.filter(({ atMs }) => atMs < later.atMs),
            );
          expect(before([...schedule.faults, later])).toBe(before(schedule.faults));
        });
      }),
      { numRuns: 25 },
    );
  });

  it('tells the end of every flight', () => {
    withSubject(algorithm, 'default', (subject) => {
      for (let seed = 1; seed <= 30; seed += 1) {
        const { facts } = record(subject, scheduleOfSeed(subject, defaultSwarm, seed));
        const { endMs, flights, faults } = facts;
        const isHeld = faults.some(({ fault, healedMs }) => fault.type === 'stall' && healedMs === null);
        const untold = flights.filter(
          ({ end, reachesMs }) => end.type === 'underway' && (reachesMs ?? 0) < endMs,
        );
        const isExcused = (to: string): boolean => isHeld || facts.pauses.some(({ node }) => node === to);
        expect(
          untold.filter(({ to }) => !isExcused(to)),
          `seed ${seed}`,
        ).toEqual([]);
      }
    });
  });

  it('has one leader after another when one dies', () => {
    const { tenures } = play(algorithm, 'nodes n1 n2 n3\nseed 1\nrun 40000\nat 15000 crash leader');
    const [first, second] = tenures.slice(-2) as [RecordedTenure, RecordedTenure];
    expect(first.endedMs).toBe(15_000);
    expect(second.beganMs).toBeGreaterThan(15_000);
    expect(second.token).toBeGreaterThan(first.token);
  });
});

describe('what leaders write', () => {
  const paused = 'nodes n1 n2 n3\nseed 1\nrun 4000\nat 1000 pause leader until 2500';

  it('is refused when it was begun before a pause and another leads since', () => {
    const { writes } = play('raft', paused, { writer: { everyMs: 20, workMs: 15 } });
    const refused = writes.filter(({ refusal }) => refusal !== null);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ stale: true, refusal: expect.stringContaining('no longer leads') });
    expect(refused[0]!.begunMs).toBeLessThan(1000);
    expect(refused[0]!.arrivedMs).toBeGreaterThan(2500);
  });

  it('is taken from a leader that nothing happens to', () => {
    const { writes } = play('raft', 'nodes n1 n2 n3\nseed 1\nrun 2000');
    expect(writes.length).toBeGreaterThan(10);
    expect(writes.filter(({ refusal, stale }) => refusal !== null || stale)).toEqual([]);
  });

  it('of two leaders with one token is taken from one of them', () => {
    const { writes } = play('bully', 'nodes n1 n2 n3\nseed 1\nrun 20000\nat 9000 split n3');
    const late = writes.filter(({ arrivedMs }) => arrivedMs > 15_000);
    expect(new Set(late.map(({ node }) => node)).size).toBe(2);
    expect(late.some(({ refusal }) => refusal !== null)).toBe(true);
    expect(late.some(({ refusal }) => refusal === null)).toBe(true);
  });
});
