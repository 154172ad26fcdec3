import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Fault,
  formatRunName,
  formatTrace,
  parseRunName,
  parseSchedule,
  type Recording,
  record,
} from '../src/index.js';
import { type HastyState, hastySubject } from './hasty-protocol.js';

const subject = hastySubject();

const recordText = (text: string): Recording<HastyState> =>
  record(subject, parseSchedule(`nodes n1 n2 n3\nseed 3\nlatency 1 3\nrun 400\n${text}`));

const lossesIn = ({ facts }: Recording<HastyState>) =>
  facts.flights.flatMap((flight) => (flight.end.type === 'lost' ? [{ ...flight, end: flight.end }] : []));

describe('what hands do to a run', () => {
  it('cut: one link carries nothing, both ways, and the others carry on', () => {
    const recording = recordText('at 100 cut n1 n2 until 200');
    expect(recording.cutsAt(recording.sequenceAt(150))).toEqual([
      ['n1', 'n2'],
      ['n2', 'n1'],
    ]);
    for (const { from, to } of lossesIn(recording)) expect([from, to].sort()).toEqual(['n1', 'n2']);
  });

  it('drop: the next message on a link is lost, and no other', () => {
    const calm = recordText('');
    const flight = calm.facts.flights.find(({ sentMs }) => sentMs > 100)!;
    const recording = recordText(`at ${flight.sentMs + 0.5} drop ${flight.from} ${flight.to} claim`);
    expect(lossesIn(recording)).toEqual([
      { ...flight, end: { type: 'lost', why: 'it was dropped by hand', atMs: flight.reachesMs } },
    ]);
  });

  it('drop: nothing is lost when nothing of the kind is on its way', () => {
    expect(lossesIn(recordText('at 100 drop n1 n2 rumour'))).toEqual([]);
  });

  it('fire: the timer that is due first fires now', () => {
    const { events } = recordText('at 5 fire n2').facts;
    const fired = events.find((event) => event.type === 'step' && event.input.type === 'timer-fired');
    expect(fired).toMatchObject({ node: 'n2', atMs: 5, input: { timer: 'patience' } });
  });

  it('fire: a timer that is not set does not', () => {
    const { events } = recordText('at 5 fire n2 claim').facts;
    expect(events.filter(({ atMs, type }) => atMs === 5 && type === 'step')).toEqual([]);
  });

  it('latency: messages take that long from then on, until it heals', () => {
    const { flights } = recordText('at 100 latency 20 20 until 200').facts;
    const took = (from: number, until: number) =>
      flights.flatMap(({ sentMs, end }) =>
        sentMs >= from && sentMs < until && end.type === 'arrived' ? [end.atMs - sentMs] : [],
      );
    expect(Math.min(...took(100, 200))).toBeCloseTo(20);
    expect(Math.max(...took(210, 370))).toBeLessThanOrEqual(3.001);
  });

  it('follower-1: the first running node that does not lead', () => {
    const { faults, tenures } = recordText('at 100 crash follower-1\nat 110 crash follower-1').facts;
    const leader = tenures[0]!.node;
    expect(faults.map(({ nodes }) => nodes[0])).toEqual(['n1', 'n2', 'n3'].filter((id) => id !== leader));
  });

  it('follower-4 of three is refused', () => {
    expect(() => recordText('at 100 crash follower-4')).toThrow('which is not among the nodes');
  });

  it('have names like all runs', () => {
    const schedule = parseSchedule(
      'nodes n1 n2\nset raft.heartbeatMs 50\nrun 9\nat 1 cut leader follower-1 until 2\nat 3 drop n1 n2 vote\nat 4 fire n1 election\nat 5 latency 1.5 2',
    );
    const name = formatRunName({ algorithm: 'raft', variant: 'default', type: 'schedule', schedule });
    expect(parseRunName(name)).toMatchObject({ schedule });
  });
});

describe('settings of an algorithm', () => {
  it('are for that algorithm alone', () => {
    const seen: unknown[] = [];
    const fitted = {
      ...subject,
      withSettings: (settings: object) => {
        seen.push(settings);
        return subject;
      },
    };
    record(
      fitted,
      parseSchedule('nodes n1\nset raft.heartbeatMs 50\nset hasty.zeal 2\nset calm true\nrun 1'),
    );
    record(fitted, parseSchedule('nodes n1\nset raft.heartbeatMs 50\nrun 1'));
    expect(new Set(seen.map((settings) => JSON.stringify(settings)))).toEqual(
      new Set(['{"zeal":2,"calm":true}']),
    );
  });
});

const node = fc.constantFrom('n1', 'n2', 'n3', 'leader', 'follower-1', 'follower-2' as const);
const hand = fc.oneof(
  fc.record({ type: fc.constantFrom('crash', 'restart', 'pause', 'isolate', 'one-way', 'unhealthy'), node }),
  fc.record({ type: fc.constantFrom('cut', 'stall', 'drop'), node, peer: node }),
  fc.record({ type: fc.constant('fire'), node }),
  fc.record({ type: fc.constant('split'), side: fc.array(node, { minLength: 1, maxLength: 2 }) }),
  fc.record({ type: fc.constantFrom('loss', 'duplicate'), probability: fc.constantFrom(0.1, 0.9) }),
  fc.constant({ type: 'reorder' }),
  fc.record({ type: fc.constant('latency'), latencyMs: fc.constantFrom([1, 1], [2, 30]) }),
  fc.record({ type: fc.constant('slow-link'), node, extraMs: fc.nat(30) }),
  fc.record({ type: fc.constant('clock-drift'), node, rate: fc.constantFrom(0.5, 1.01) }),
  fc.record({ type: fc.constant('graceful'), node }),
);
const fault = fc
  .tuple(hand, fc.record({ atMs: fc.double({ min: 0, max: 400, noNaN: true }) }), fc.nat(100))
  .map(([kind, { atMs }, lasts]) => ({ ...kind, atMs, healAtMs: atMs + lasts }) as Fault);

describe('an intervention', () => {
  it('leaves every earlier event as it was, byte for byte', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fault, { maxLength: 4 }), fault, (seed, faults, later) => {
        const schedule = { ...parseSchedule('nodes n1 n2 n3\nlatency 1 9\nloss 0.05\nrun 400'), seed };
        const earlier = (all: readonly Fault[]): string =>
          formatTrace(
            record(subject, { ...schedule, faults: all }).facts.events.filter(
              ({ atMs }) => atMs < later.atMs,
            ),
          );
        expect(earlier([...faults, later])).toBe(earlier(faults));
      }),
      { numRuns: 300 },
    );
  });
});
