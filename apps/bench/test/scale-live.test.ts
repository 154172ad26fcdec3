/** Many elections on a real etcd. `npm run bench -- scale --mode live` asks the same of more: docs/data/scale. */

import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLiveTrial } from '../src/scale/live/trial.js';
import { ttlSeconds, ways } from '../src/scale/plan.js';

let etcd: EtcdCluster;
beforeAll(async () => {
  etcd = await startEtcdCluster();
});
afterAll(() => etcd.stop());

const { signal } = new AbortController();

describe('given three processes with sixty elections each over one session, kept even by balance', () => {
  it('when one is killed, then each of its elections is led again in time, by one, and all are spread evenly', async () => {
    const trial = { way: 'session', elections: 60, quietMs: 5000, balance: true, signal } as const;
    const result = await runLiveTrial(etcd, trial);
    expect(result).toMatchObject({ overlaps: 0, tokensThatDidNotGrow: 0, failures: 0, lost: 20 });
    expect(result.renewalsPerSecond).toBeLessThanOrEqual(20);
    expect(result.watches).toBeLessThanOrEqual(3);
    // etcd looks for leases that have ended every half second, and a busy machine may take as long to act on it.
    expect(Math.max(...result.failoverMs)).toBeLessThan(1000 * ttlSeconds + 1500);
    expect(result.led).toEqual([30, 30]);
  }, 300_000);
});

describe.each(ways)('given three processes with ten elections each, %s', (way) => {
  it('when one is killed, then each of its elections is led again, by one, with a greater token', async () => {
    const result = await runLiveTrial(etcd, { way, elections: 10, quietMs: 2000, balance: false, signal });
    expect(result).toMatchObject({ overlaps: 0, tokensThatDidNotGrow: 0, failures: 0, lost: 4 });
    expect(result.failoverMs).toHaveLength(4);
    expect(result.led.reduce((sum, led) => sum + led, 0)).toBe(10);
    expect(result.callsPerSecond === null).toBe(way !== 'aggregator');
  }, 300_000);
});
