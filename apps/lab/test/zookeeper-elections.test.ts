/** Elections of many candidates, in the simulator and on a real ensemble: what they cost is the same. */

import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  realExodus,
  realFailover,
  simulatedExodus,
  simulatedFailover,
} from '../src/measurements/zookeeper/elections.js';

describe.each([5, 10, 20, 50])('a failover among %i candidates', (candidates) => {
  it('wakes exactly one of them, which asks once before it leads', () => {
    const { notifications, untilLed } = simulatedFailover(candidates, {});
    expect(notifications).toBe(1);
    // The last is sent in the step that leads, and after that: it watches its own znode.
    expect(untilLed).toEqual({ 'node-deleted': 1, children: 1, listed: 1, get: 1 });
  });

  it('wakes all that are left when they are a herd', () => {
    expect(simulatedFailover(candidates, { succession: 'herd' }).notifications).toBe(candidates - 1);
  });
});

describe('a hundred candidates that leave in random order', () => {
  it('have one leader at any time', () => {
    for (let seed = 0; seed < 3; seed += 1) expect(simulatedExodus(100, seed)).toBeNull();
  });
});

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble({ members: 3, tickMs: 500 });
});
afterAll(() => ensemble?.stop());

// The leader leaves of itself, so nobody waits for this to pass; but on a busy machine nobody else loses its session.
const sessionTimeoutMs = 10_000;

describe.each([5, 10] as const)('given %i candidates on a real ensemble', (candidates) => {
  it('then a failover wakes exactly one of them, as in the simulator', async () => {
    const real = await realFailover(ensemble.hosts, candidates, { sessionTimeoutMs });
    expect(real.notifications).toBe(1);
    expect(simulatedFailover(candidates, {}).notifications).toBe(1);
  });

  it('then in a herd it wakes all that are left, as in the simulator', async () => {
    const real = await realFailover(ensemble.hosts, candidates, { succession: 'herd', sessionTimeoutMs });
    expect(real.notifications).toBe(candidates - 1);
    expect(simulatedFailover(candidates, { succession: 'herd' }).notifications).toBe(candidates - 1);
  });
});

describe('given candidates that leave in random order', () => {
  it('then no two lead at once', async () => {
    expect(await realExodus(ensemble.hosts, 20, 1)).toEqual([]);
  });
});
