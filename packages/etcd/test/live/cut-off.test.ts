/** The promise that a lease makes: the old leader has stopped before the new one starts. */

import { type EtcdCluster, loopbackProxy, startEtcdCluster } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

interface Trial {
  readonly abortedMs: number;
  readonly startedMs: number;
}

async function cutOffLeader(ttlSeconds: number): Promise<Trial> {
  const nodes = new Nodes({ ttlSeconds });
  const [target = ''] = cluster.endpoints;
  const proxy = await loopbackProxy({ target });
  try {
    const leader = await nodes.start('cut-off', { hosts: proxy.url });
    const successor = await nodes.start('successor', { hosts: target });
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

describe('given a leader that is cut off from etcd', () => {
  it('then its signal aborts before another node leads, each time', async () => {
    const trials = await Promise.all([2, 2, 2].map(cutOffLeader));
    for (const { abortedMs, startedMs } of trials) expect(abortedMs).toBeLessThan(startedMs);
  });
});
