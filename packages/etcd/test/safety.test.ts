/** Every fault, many seeds. The long version is `bench/seeds.ts`. */

import type { AnyProtocol } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { runSeed } from '../bench/safety.js';
import type { EtcdState } from '../src/index.js';

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

describe('given a node that counts its lease from the answer, not from the request', () => {
  const countFromAnswer = (protocol: AnyProtocol<EtcdState>): AnyProtocol<EtcdState> => ({
    ...protocol,
    step(state, input, nowMs) {
      const isLease = input.type === 'received' && 'sentMs' in input.message;
      const late = isLease ? { ...input, message: { ...input.message, sentMs: nowMs } } : input;
      return protocol.step(state, late, nowMs);
    },
  });

  it('then the check finds two leaders', { timeout: 120_000 }, () => {
    const isCaught = seeds(400).some(
      (seed) => runSeed(seed, { clocks: 'within the bound', alter: countFromAnswer }).overlaps.length > 0,
    );
    expect(isCaught).toBe(true);
  });
});
