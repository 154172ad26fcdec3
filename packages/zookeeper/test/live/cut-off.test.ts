/** Disconnected is not lost. */

import { loopbackProxy, startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
});
afterAll(() => ensemble?.stop());

describe('given a leader whose connection to ZooKeeper breaks', () => {
  it('when the way back opens soon, then it goes on leading', async () => {
    const nodes = new Nodes({ sessionTimeoutMs: 4000 });
    const proxy = await loopbackProxy({ target: `tcp://${ensemble.hosts}` });
    try {
      const leader = await nodes.start('leader', { hosts: `127.0.0.1:${proxy.port}` });
      leader.stand();
      await eventually('it leads', () => leader.leads);
      const { signal } = leader.term();
      proxy.reset();
      await eventually('it has lost its connection and found another', () =>
        ['disconnected', 'connected'].every((type, index) => leader.diagnostics[index + 1]?.type === type),
      );
      const deadlineMs = performance.now() + leader.term().remainingMs;
      await eventually('its lease is renewed', () => performance.now() > deadlineMs || signal.aborted);
      expect(signal.aborted).toBe(false);
    } finally {
      await Promise.all([nodes.stop(), proxy.close()]);
    }
  });
});
