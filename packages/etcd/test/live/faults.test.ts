/** What happens to real servers during a long wait. */

import { type EtcdCluster, loopbackProxy, startEtcdCluster } from '@hustings/servers';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultSettings, guardMs } from '../../src/index.js';
import { eventually, type Node, Nodes } from './nodes.js';

const ttlSeconds = 5;

let cluster: EtcdCluster | undefined;
let nodes: Nodes | undefined;
afterEach(async () => {
  await nodes?.stop();
  await cluster?.stop();
});

/** A leader, and a node that waits behind it. */
async function leaderAndHeir(hosts: string | readonly string[]): Promise<[Node, Node]> {
  nodes = new Nodes({ ttlSeconds });
  const leader = await nodes.start('leader', { hosts });
  const heir = await nodes.start('heir', { hosts });
  leader.stand();
  await eventually('the leader leads', () => leader.leads);
  heir.stand();
  await eventually('the heir waits', () => heir.elector.belief().leaderId === 'leader');
  return [leader, heir];
}

async function handOver(leader: Node, heir: Node): Promise<void> {
  const { token } = leader.term();
  expect(leader.leads).toBe(true);
  expect(heir.leads).toBe(false);
  await leader.elector.resign();
  await eventually('the heir leads', () => heir.leads);
  expect(heir.term().token).toBeGreaterThan(token);
}

describe('given a leader and an heir that waits', () => {
  it('when the endpoint that both use stops answering, then both go on with another', async () => {
    cluster = await startEtcdCluster({ members: 3 });
    const [leader, heir] = await leaderAndHeir(cluster.endpoints);
    cluster.pauseMember(0);
    await renewed(leader);
    await handOver(leader, heir);
  });

  it('when all of etcd restarts, then the leader goes on leading and the heir waiting', async () => {
    cluster = await startEtcdCluster();
    const [leader, heir] = await leaderAndHeir(cluster.endpoints);
    await cluster.restartMember(0);
    await renewed(leader);
    await handOver(leader, heir);
  });

  it('when the past is compacted and connections break, then the heir still succeeds', async () => {
    cluster = await startEtcdCluster();
    const [target = ''] = cluster.endpoints;
    const proxy = await loopbackProxy({ target });
    try {
      const [leader, heir] = await leaderAndHeir(proxy.url);
      await cluster.etcdctl('put', 'unrelated', '1');
      const put = JSON.parse(await cluster.etcdctl('put', 'unrelated', '2', '--write-out=json')) as {
        header: { revision: number };
      };
      await cluster.etcdctl('compact', `${put.header.revision}`);
      proxy.reset();
      await handOver(leader, heir);
    } finally {
      await proxy.close();
    }
  });

  it('when the server ends the lease of the heir, then it stands again, behind', async () => {
    cluster = await startEtcdCluster();
    const [leader, heir] = await leaderAndHeir(cluster.endpoints);
    const keyOfHeir = async (): Promise<string> => {
      const keys = await cluster!.etcdctl('get', '--prefix', '--keys-only', `${nodes?.name}/`);
      const values = await cluster!.etcdctl('get', '--prefix', '--print-value-only', `${nodes?.name}/`);
      const index = values.split('\n').filter(Boolean).indexOf('heir');
      return keys.split('\n').filter(Boolean)[index] ?? '';
    };
    const lost = await keyOfHeir();
    await cluster.etcdctl('lease', 'revoke', lost.split('/').at(-1) ?? '');
    let present = '';
    while (present === '' || present === lost) present = await keyOfHeir();
    await handOver(leader, heir);
  });
});

describe('given nodes that come, lead and stop, one after the other', () => {
  it('then they leave no lease behind', async () => {
    cluster = await startEtcdCluster();
    for (let cycle = 0; cycle < 20; cycle += 1) {
      const passing = new Nodes({ ttlSeconds: 60 });
      const node = await passing.start('passing', { hosts: cluster.endpoints });
      node.stand();
      await eventually('it leads', () => node.leads);
      await passing.stop();
    }
    expect(await cluster.etcdctl('lease', 'list')).toMatch(/^found 0 leases/);
  });
});

/** Waits until the lease has been renewed by a call that was sent from now on. */
async function renewed(leader: Node): Promise<void> {
  const deadlineMs = (): number => performance.now() + leader.term().remainingMs;
  const sentMs = performance.now();
  const guardedMs = 1000 * ttlSeconds - guardMs({ ...defaultSettings, ttlSeconds }, 1000 * ttlSeconds);
  await eventually('the lease has been renewed', () => deadlineMs() > sentMs + guardedMs);
}
