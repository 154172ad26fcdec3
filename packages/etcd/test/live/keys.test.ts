/** Keys of others below the name of an election, on a real etcd. */

import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

let cluster: EtcdCluster;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());

describe('given an election that is named below another', () => {
  it('then each has a leader of its own, and hands over to its own', async () => {
    const jobs = new Nodes();
    const billing = new Nodes({ name: `${jobs.name}/billing` });
    const hosts = cluster.endpoints;
    try {
      const below = await billing.start('below', { hosts });
      below.stand();
      await eventually('the one below leads', () => below.leads);
      const first = await jobs.start('first', { hosts });
      first.stand();
      await eventually('the one above leads, too', () => first.leads);
      const second = await jobs.start('second', { hosts });
      second.stand();
      await eventually('the second waits', () => second.elector.belief().leaderId === 'first');
      await first.elector.resign();
      await eventually('the second leads', () => second.leads);
      expect(below.leads).toBe(true);
    } finally {
      await Promise.all([jobs.stop(), billing.stop()]);
    }
  });
});

describe('given a key without a lease that is older than the candidates', () => {
  it('then they say that it blocks the election, and one leads when it is gone', async () => {
    const nodes = new Nodes();
    await cluster.etcdctl('put', `${nodes.name}/abc`, 'forgotten');
    try {
      const node = await nodes.start('node', { hosts: cluster.endpoints });
      node.stand();
      await eventually('it says so', () => node.announcements.length > 0);
      expect(node.announcements).toMatchObject([{ type: 'blocked', key: `${nodes.name}/abc` }]);
      expect(node.leads).toBe(false);
      await cluster.etcdctl('del', `${nodes.name}/abc`);
      await eventually('it leads', () => node.leads);
    } finally {
      await nodes.stop();
    }
  });
});
