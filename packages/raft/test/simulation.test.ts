import { describe, expect, it } from 'vitest';
import { swarmRun } from './swarm.js';

/** Where a voter that was bound by its vote alone ignored the next candidate's term, and stood in one that was spent. */
const longWithoutLeader = [4190, 11_775, 12_248, 16_665, 17_446];

describe('3 to 7 nodes under all faults together', () => {
  it('keep every promise in 400 seeded runs', { timeout: 180_000 }, () => {
    for (let seed = 0; seed < 400; seed += 1) expect(swarmRun(seed).violation, `seed ${seed}`).toBeNull();
  });

  it('have a leader soon after the last fault, in runs that once had none for seconds', () => {
    for (const seed of longWithoutLeader) expect(swarmRun(seed).violation, `seed ${seed}`).toBeNull();
  });
});
