/** Many elections over sessions on a real etcd. The lab's measurement asks the same of a thousand: docs/data/sessions. */

import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSessions } from '../src/measurements/sessions/trial.js';

let etcd: EtcdCluster;
beforeAll(async () => {
  etcd = await startEtcdCluster();
});
afterAll(() => etcd.stop());

describe('given three processes with sixty elections each over one session', () => {
  it('when one is killed, then each of its elections is led again in time, by one, and all are spread evenly', async () => {
    const ttlSeconds = 5;
    const result = await runSessions(etcd, { processes: 3, elections: 60, ttlSeconds, quietMs: 5000 });
    expect(result).toMatchObject({ overlaps: 0, tokensThatDidNotGrow: 0, failures: 0 });
    expect(result.quiet.renewalsPerSecond).toBeLessThanOrEqual(20);
    expect(result.quiet.watches).toBeLessThanOrEqual(3);
    expect(result.kill.lost).toBe(20);
    // etcd looks for leases that have ended every half second, and a busy machine may take as long to act on it.
    expect(result.kill.failoverMs.maxMs).toBeLessThan(1000 * ttlSeconds + 1500);
    expect(result.led).toEqual([30, 30]);
  }, 300_000);
});
