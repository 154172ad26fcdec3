import { describe, expect, it } from 'vitest';
import { swarmRun } from './swarm.js';

describe('3 to 7 nodes under all faults together', () => {
  it('keep every promise in 400 seeded runs', { timeout: 180_000 }, () => {
    for (let seed = 0; seed < 400; seed += 1) expect(swarmRun(seed).violation, `seed ${seed}`).toBeNull();
  });
});
