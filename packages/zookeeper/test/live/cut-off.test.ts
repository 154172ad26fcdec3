/** The promise that a session makes: the old leader has stopped before the new one starts. */

import { loopbackProxy, startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

let ensemble: ZooKeeperEnsemble;
beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble();
});
afterAll(() => ensemble?.stop());

interface Trial {
  readonly abortedMs: number;
  readonly startedMs: number;
}

async function cutOffLeader(sessionTimeoutMs: number): Promise<Trial> {
  const nodes = new Nodes({ sessionTimeoutMs });
  const proxy = await loopbackProxy({ target: `tcp://${ensemble.hosts}` });
  try {
    const leader = await nodes.start('cut-off', { hosts: `127.0.0.1:${proxy.port}` });
    const successor = await nodes.start('successor', { hosts: ensemble.hosts });
    let abortedMs = Number.POSITIVE_INFINITY;
    let startedMs: number | null = null;
    leader.stand(({ signal }) => {
      signal.addEventListener('abort', () => {
        abortedMs = performance.now();
      });
    });
    await eventually('the leader leads', () => leader.leads);
    successor.stand(() => {
      startedMs = performance.now();
    });
    await eventually('the successor waits', () => successor.elector.belief().leaderId === 'cut-off');
    proxy.cut();
    await eventually('the successor leads', () => startedMs !== null);
    return { abortedMs, startedMs: startedMs ?? 0 };
  } finally {
    proxy.reset();
    await Promise.all([nodes.stop(), proxy.close()]);
  }
}

describe('given a leader that is cut off from ZooKeeper', () => {
  it('then its signal aborts before another node leads, each time', async () => {
    const trials = await Promise.all([2000, 2000, 2000].map(cutOffLeader));
    for (const { abortedMs, startedMs } of trials) expect(abortedMs).toBeLessThan(startedMs);
  });

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
