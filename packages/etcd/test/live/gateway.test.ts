/** What the gateway is given, and what etcd answers, at their extremes. */

import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { eventually } from '@hustings/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { etcdGateway } from '../../src/gateway.js';
import type { EtcdMessage, EtcdReply } from '../../src/index.js';

let cluster: EtcdCluster | undefined;
afterEach(() => cluster?.stop());

describe('given more keys than fit into four megabytes', () => {
  it('then all of them are read', async () => {
    cluster = await startEtcdCluster();
    const gateway = etcdGateway({ id: 'reader', hosts: cluster.endpoints });
    const heard: EtcdReply[] = [];
    await gateway.start({
      received: (_, message: EtcdMessage) => heard.push(message as EtcdReply),
      linkUp: () => {},
      linkDown: () => {},
    });
    try {
      const value = 'x'.repeat(1_000_000);
      for (const id of [1, 2, 3, 4, 5]) {
        const put = { type: 'put', key: `many/${id}`, value, lease: '0' } as const;
        gateway.send('etcd', { type: 'txn', id, compare: [], success: [put], failure: [] });
      }
      await eventually('they are there', () => heard.length === 5);
      const range = { type: 'range', prefix: 'many/', order: 'oldest', limit: 0 } as const;
      gateway.send('etcd', { type: 'audit', id: 6, compare: [], success: [range], failure: [] });
      await eventually('there is an answer', () => heard.length === 6);
      expect(heard.map(({ type }) => type)).toEqual([...Array(5).fill('txn-done'), 'audited']);
      const { found } = heard[5] as Extract<EtcdReply, { type: 'audited' }>;
      expect(found[0]).toHaveLength(5);
    } finally {
      await gateway.stop();
    }
  });
});

describe('given a watch on which nothing happens', () => {
  it('then etcd does not hang up for being pinged too often', async () => {
    cluster = await startEtcdCluster();
    const gateway = etcdGateway({ id: 'watcher', hosts: cluster.endpoints });
    const heard: string[] = [];
    await gateway.start({
      received: (_, { type }: EtcdMessage) => heard.push(type),
      linkUp: () => {},
      linkDown: () => heard.push('link-down'),
    });
    try {
      gateway.send('etcd', { type: 'watch', id: 1, key: 'key', prefix: false, fromRevision: '1' });
      await new Promise((resolve) => setTimeout(resolve, 25_000));
      expect(heard).toEqual(['watching']);
    } finally {
      await gateway.stop();
    }
  });
});
