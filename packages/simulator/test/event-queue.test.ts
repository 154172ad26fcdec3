import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventQueue } from '../src/index.js';

describe('the event queue', () => {
  it('hands out what a sorted list would, ties in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 })), (times) => {
        const queue = new EventQueue<{ atMs: number; sequence: number }>();
        const events = times.map((atMs, sequence) => ({ atMs, sequence }));
        for (const event of events) queue.push(event);
        const sorted = [...events].sort((a, b) => a.atMs - b.atMs || a.sequence - b.sequence);
        expect(events.map(() => queue.pop())).toEqual(sorted);
        expect(queue.pop()).toBeUndefined();
      }),
    );
  });

  it('does so while it is filled and emptied at once', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat({ max: 20 }))), (plan) => {
        const queue = new EventQueue<{ atMs: number; sequence: number }>();
        const twin: { atMs: number; sequence: number }[] = [];
        for (const [sequence, atMs] of plan.entries()) {
          if (atMs === null) {
            twin.sort((a, b) => a.atMs - b.atMs || a.sequence - b.sequence);
            expect(queue.pop()).toEqual(twin.shift());
          } else {
            queue.push({ atMs, sequence });
            twin.push({ atMs, sequence });
          }
          expect(queue.size).toBe(twin.length);
        }
      }),
    );
  });
});
