/** Heirs on a real etcd: every way from the leader goes through a proxy that can be cut. */

import { randomUUID } from 'node:crypto';
import type { Leadership } from '@hustings/elector';
import { createElector, memoryStorage } from '@hustings/runtime';
import { type EtcdCluster, loopbackProxy, startEtcdCluster } from '@hustings/servers';
import { joinTransports, type MeteredTransport, metered } from '@hustings/transport';
import { type PeerAddress, webSocketTransport } from '@hustings/transport/websocket';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { etcdGateway } from '../../src/gateway.js';
import { type EtcdMessage, etcd } from '../../src/index.js';
import { eventually } from './nodes.js';

const heirWaitMs = 600;
/** Nobody is to wait for it. */
const ttlSeconds = 30;

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

const secret = 'no secret, for nobody else is here';

/** A leader whose heir has promised, and what to cut. */
async function open() {
  const protocol = etcd({ name: randomUUID(), ttlSeconds, heirWaitMs });
  const { decodeMessage } = protocol;
  const [host = ''] = cluster.endpoints;
  const toEtcd = await loopbackProxy({ target: host });
  const linkTo = (id: string, peer: string, address: PeerAddress) =>
    webSocketTransport<EtcdMessage>({
      ...{ id, secret, decodeMessage, listen: { host: '127.0.0.1', port: 0 } },
      peers: { [peer]: address },
    });
  const ofHeir = linkTo('heir', 'leader', null);
  const toHeir = await loopbackProxy({ target: 'http://127.0.0.1:1', framing: 'none' });
  const ofLeader = metered(linkTo('leader', 'heir', `ws://127.0.0.1:${toHeir.port}`));
  const create = (id: string, hosts: string, peers: typeof ofHeir | MeteredTransport<EtcdMessage>) =>
    createElector({
      protocol,
      transport: joinTransports<EtcdMessage>({ coordinator: etcdGateway({ id, hosts }), peers }),
      storage: memoryStorage(),
    });
  const leader = create('leader', toEtcd.url, ofLeader);
  const heir = create('heir', host, ofHeir);
  await heir.start();
  toHeir.retarget(`http://127.0.0.1:${ofHeir.address()?.port}`);
  await leader.start();
  const leadership = await leader.campaign();
  const succession: { leadership?: Leadership; atMs?: number } = {};
  const campaign = heir.campaign().then((begun) => {
    Object.assign(succession, { leadership: begun, atMs: performance.now() });
  });
  // It ends by rejecting where the heir has not led.
  campaign.catch(() => {});
  await eventually('the heir has promised', () => (ofLeader.counts().received.byType['promise'] ?? 0) > 0);
  return {
    ...{ leadership, succession, toEtcd, toHeir },
    async close() {
      toEtcd.heal();
      toHeir.heal();
      await Promise.all([leader.stop(), heir.stop()]);
      await Promise.all([toEtcd.close(), toHeir.close()]);
    },
  };
}

describe('given a leader whose heir has promised', () => {
  it('when it is cut off from etcd and its heir, then it stops, and then the heir leads, long before the lease ends', async () => {
    const { leadership, succession, toEtcd, toHeir, close } = await open();
    try {
      let abortedMs = Number.POSITIVE_INFINITY;
      leadership.signal.addEventListener('abort', () => {
        abortedMs = performance.now();
      });
      const cutMs = performance.now();
      toEtcd.cut();
      toHeir.cut();
      await eventually('the heir leads', () => succession.atMs !== undefined);
      expect(abortedMs).toBeLessThanOrEqual(succession.atMs ?? 0);
      expect(succession.leadership?.token).toBeGreaterThan(leadership.token);
      // Generous to a busy machine, and still far less than a lease.
      expect((succession.atMs ?? 0) - cutMs).toBeLessThan(ttlSeconds * 200);
    } finally {
      await close();
    }
  });

  it('when it is cut off from its heir only, then it stays in office', async () => {
    const { leadership, succession, toHeir, close } = await open();
    try {
      toHeir.cut();
      // Freed by etcd from what it offered, only its lease bounds it.
      await eventually('its lease alone bounds it', () => leadership.remainingMs > 2 * heirWaitMs);
      expect(leadership.signal.aborted).toBe(false);
      expect(succession.leadership).toBeUndefined();
    } finally {
      await close();
    }
  });
});
