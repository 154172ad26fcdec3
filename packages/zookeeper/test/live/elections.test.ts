/** Many candidates on a real ensemble: the same counts as in the simulator. */

import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realExodus, realFailover, simulatedFailover } from '../../bench/elections.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble({ members: 3 });
});
afterAll(() => ensemble?.stop());

describe.each([5, 10] as const)('given %i candidates on a real ensemble', (candidates) => {
  it('then a failover wakes exactly one of them, as in the simulator', async () => {
    const real = await realFailover(ensemble.hosts, candidates, {});
    expect(real.notifications).toBe(1);
    expect(simulatedFailover(candidates, {}).notifications).toBe(1);
  });

  it('then in a herd it wakes all that are left, as in the simulator', async () => {
    const real = await realFailover(ensemble.hosts, candidates, { succession: 'herd' });
    expect(real.notifications).toBe(candidates - 1);
    expect(simulatedFailover(candidates, { succession: 'herd' }).notifications).toBe(candidates - 1);
  });
});

describe('given candidates that leave in random order', () => {
  it('then no two lead at once', async () => {
    expect(await realExodus(ensemble.hosts, 20, 1)).toEqual([]);
  });
});
