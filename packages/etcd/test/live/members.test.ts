/** What a watch is told when etcd's own members die. */

import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { eventually } from '@hustings/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { etcdGateway } from '../../src/gateway.js';
import type { EtcdMessage } from '../../src/index.js';

let cluster: EtcdCluster | undefined;
afterEach(() => cluster?.stop());

describe('given a watch on one of three members', () => {
  /** A gateway to that member alone, which watches a key and asks for nothing else. */
  async function watching(member: number): Promise<{ heard: string[]; stop: () => Promise<void> }> {
    const gateway = etcdGateway({ id: 'watcher', hosts: cluster!.endpoints[member]! });
    const heard: string[] = [];
    await gateway.start({
      received: (_, { type }: EtcdMessage) => heard.push(type),
      linkUp: () => {},
      linkDown: () => {},
    });
    gateway.send('etcd', { type: 'watch', id: 1, key: 'key', prefix: false, fromRevision: '1' });
    await eventually('it watches', () => heard.includes('watching'));
    return { heard, stop: () => gateway.stop() };
  }

  it('when the member is left without the others, then the watch is reported lost', async () => {
    cluster = await startEtcdCluster({ members: 3 });
    const { heard, stop } = await watching(0);
    try {
      await Promise.all([cluster.killMember(1), cluster.killMember(2)]);
      await eventually('the watch is lost', () => heard.includes('watch-lost'));
    } finally {
      await stop();
    }
  });

  it('when one of the others dies, then the watch goes on', async () => {
    cluster = await startEtcdCluster({ members: 3 });
    const { heard, stop } = await watching(0);
    try {
      await cluster.killMember((await cluster.leader()) === 1 ? 2 : 1);
      await cluster.etcdctl('put', 'key', 'value');
      await eventually('it hears of the change', () => heard.includes('changed'));
      expect(heard).not.toContain('watch-lost');
    } finally {
      await stop();
    }
  });
});
