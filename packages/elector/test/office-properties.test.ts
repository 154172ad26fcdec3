import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Entry,
  enter,
  isLeading,
  maySeekOffice,
  type OfficeEvent,
  type RoleEffect,
  vacantOffice,
} from '../src/protocol/index.js';

const vacant = vacantOffice('a');
const campaign: Entry = { type: 'campaign' };
const resign: Entry = { type: 'resign', reason: 'resigned' };
const look: Entry = { type: 'look-at-clock' };

describe('whatever comes before an office', () => {
  const token = fc.bigInt({ min: 1n, max: 3n });
  const reason = fc.constantFrom('resigned' as const, 'deposed' as const, 'lease-expired' as const);
  const roleEffect: fc.Arbitrary<RoleEffect> = fc.oneof(
    fc.constant({ type: 'campaign' as const }),
    fc.record({ type: fc.constant('lead' as const), token, validForMs: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ type: fc.constant('follow' as const), leaderId: fc.constantFrom('b', null), token }),
    fc.record({ type: fc.constant('step-down' as const), reason }),
  );
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    fc.record({
      type: fc.constant('effect' as const),
      effect: roleEffect,
      steppedMs: fc.integer({ min: 0, max: 100 }),
      answers: fc.constantFrom('received' as const, 'campaign-requested' as const),
    }),
    fc.constantFrom<Entry>(campaign, resign, look, { type: 'close', reason: 'stopped' }),
  );
  const entries = fc.array(fc.tuple(entry, fc.integer({ min: 0, max: 20 })), { maxLength: 40 });

  /** Every ruling in turn, on a clock that goes forward. */
  function* rulings(course: readonly (readonly [Entry, number])[]) {
    let office = vacant;
    let nowMs = 0;
    for (const [next, passedMs] of course) {
      nowMs += passedMs;
      const before = office;
      const ruling = enter(before, next, nowMs);
      office = ruling[0];
      yield { before, office, events: ruling[1], nowMs };
    }
  }
  const types = (events: readonly OfficeEvent[]) => events.map(({ type }) => type);

  it('began and ended come in turns, and tell who leads', () => {
    fc.assert(
      fc.property(entries, (course) => {
        let leading = false;
        for (const { office, events } of rulings(course)) {
          for (const type of types(events).filter((type) => type === 'began' || type === 'ended')) {
            expect(leading).toBe(type === 'ended');
            leading = type === 'began';
          }
          expect(isLeading(office)).toBe(leading);
          expect(office.belief.role === 'leader').toBe(leading);
        }
      }),
    );
  });

  it('nobody begins or goes on to lead past a deadline', () => {
    fc.assert(
      fc.property(entries, (course) => {
        for (const { office, events, nowMs } of rulings(course)) {
          for (const event of events) {
            if (event.type === 'began' || event.type === 'renewed')
              expect(event.deadlineMs).toBeGreaterThan(nowMs);
          }
          const [looked] = enter(office, look, nowMs);
          if (isLeading(looked)) expect(looked.tenure?.deadlineMs).toBeGreaterThan(nowMs);
        }
      }),
    );
  });

  it('a broken contract changes nothing', () => {
    fc.assert(
      fc.property(entries, (course) => {
        for (const { before, office, events } of rulings(course)) {
          if (types(events).includes('violated')) expect(office).toBe(before);
        }
      }),
    );
  });

  it('the protocol is asked to stand only while it has nothing to step down from', () => {
    fc.assert(
      fc.property(entries, (course) => {
        for (const { office, events } of rulings(course)) {
          if (types(events).includes('stand')) expect(maySeekOffice(office)).toBe(true);
        }
      }),
    );
  });
});
