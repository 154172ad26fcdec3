/** Every fault, many seeds. */

import { parseSchedule } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type EtcdProtocol, etcd } from '../src/index.js';
import { runSchedule, runSeed } from './safety.js';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed);

describe('given any faults, and clocks within the declared bound', () => {
  it('then no two nodes that run lead at once, tokens grow, and all is well in the end', {
    timeout: 120_000,
  }, () => {
    for (const seed of seeds(250)) {
      const { violation, overlaps, staleWritesAccepted } = runSeed(seed, { clocks: 'within the bound' });
      expect({ seed, violation, overlaps, staleWritesAccepted }).toEqual({
        seed,
        violation: null,
        overlaps: [],
        staleWritesAccepted: 0,
      });
    }
  });
});

describe('given any faults, and clocks beyond the declared bound', () => {
  it('then two nodes may lead at once, but a fenced store takes nothing stale', { timeout: 120_000 }, () => {
    const results = seeds(250).map((seed) => runSeed(seed, { clocks: 'beyond it' }));
    expect(results.filter(({ overlaps }) => overlaps.length > 0)).not.toEqual([]);
    expect(results.some(({ staleWrites }) => staleWrites > 0)).toBe(true);
    for (const { staleWritesAccepted } of results) expect(staleWritesAccepted).toBe(0);
  });
});

describe('given a leader whose answers take long, and which is then cut off', () => {
  const playAll = (protocol: EtcdProtocol): readonly string[] =>
    seeds(40).flatMap((seed) => {
      const schedule = parseSchedule(
        `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 9000
         at 3000 slow-link leader 150 until 9000\nat ${4000 + 20 * seed} isolate leader until 9000`,
      );
      return runSchedule(protocol, schedule, { server: { expiryCheckMs: 5 }, settles: false }).overlaps;
    });

  it('then it stops in time', () => {
    expect(playAll(etcd({ ttlSeconds: 1, marginMs: 0 }))).toEqual([]);
  });

  it('then one that counted its lease from the answer, not from the request, would not', () => {
    const protocol = etcd({ ttlSeconds: 1, marginMs: 0 });
    const countsFromAnswer: EtcdProtocol = {
      ...protocol,
      step(state, input, nowMs) {
        const isLease = input.type === 'received' && input.message.type === 'kept-alive';
        const late = isLease ? { ...input, message: { ...input.message, sentMs: nowMs } } : input;
        return protocol.step(state, late, nowMs);
      },
    };
    expect(playAll(countsFromAnswer)).not.toEqual([]);
  });
});
