/** A real etcd whose data directories are deleted while a node leads. */

import { startEtcdCluster } from '@hustings/servers';
import { describe, expect, it } from 'vitest';
import { eventually, type Node, Nodes } from './nodes.js';

const saysSo = ({ announcements }: Node): boolean => announcements.some(({ type }) => type === 'data-lost');

describe.each([1, 3])('given an etcd of %i that loses its data while a node leads', (members) => {
  it('then all say so and nobody who has seen a higher token leads, until told', {
    timeout: 90_000,
  }, async () => {
    const cluster = await startEtcdCluster({ members });
    const nodes = new Nodes({ ttlSeconds: 2 });
    try {
      const hosts = cluster.endpoints;
      for (let count = 0; count < 40; count += 1) await cluster.etcdctl('put', 'unrelated', `${count}`);
      const leader = await nodes.start('leader', { hosts });
      const heir = await nodes.start('heir', { hosts });
      const observer = await nodes.start('observer', { hosts });
      const tokens: bigint[] = [];
      const stand = (node: Node): void =>
        node.stand(({ token, signal }) => {
          tokens.push(token);
          signal.addEventListener('abort', () => stand(node));
        });
      stand(leader);
      await eventually('the leader leads', () => leader.leads);
      stand(heir);
      await eventually('the others know', () =>
        [heir, observer].every(({ elector }) => elector.belief().leaderId === 'leader'),
      );

      await cluster.loseData();
      await eventually('all say so', () => [leader, heir, observer].every(saysSo));
      await eventually('the leader has stopped', () => !leader.leads);
      let candidates = '';
      while (candidates.split('\n').filter(Boolean).length < 2) {
        candidates = await cluster.etcdctl('get', '--prefix', '--keys-only', `${nodes.name}/`);
      }
      // Both stand, and one of them is the first; by this answer etcd has told it so.
      await cluster.etcdctl('get', nodes.name);
      expect(tokens).toHaveLength(1);
      expect(observer.elector.belief().leaderId).toBeNull();

      for (const { elector } of [leader, heir, observer]) elector.request({ type: 'accept-lower-tokens' });
      await eventually('somebody leads again', () => leader.leads || heir.leads);
      expect(tokens[1]).toBeLessThan(tokens[0]!);
    } finally {
      await nodes.stop();
      await cluster.stop();
    }
  });
});
