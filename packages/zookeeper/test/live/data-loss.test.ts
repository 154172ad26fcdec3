/** A real ZooKeeper whose data directories are deleted while a node leads. */

import { startZooKeeperEnsemble } from '@hustings/servers';
import { describe, expect, it } from 'vitest';
import { eventually, type Node, Nodes } from './nodes.js';

const saysSo = ({ announcements }: Node): boolean => announcements.some(({ type }) => type === 'data-lost');

describe.each([1, 3])('given a ZooKeeper of %i that loses its data while a node leads', (members) => {
  it('then all say so and nobody who has seen a higher token leads, until told', {
    timeout: 90_000,
  }, async () => {
    const ensemble = await startZooKeeperEnsemble({ members });
    const nodes = new Nodes({ sessionTimeoutMs: 2000 });
    try {
      const { hosts } = ensemble;
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

      await ensemble.loseData();
      await eventually('all say so', () => [leader, heir, observer].every(saysSo));
      await eventually('the leader has stopped', () => !leader.leads);
      const places = async (): Promise<number> =>
        (await ensemble.ask(await ensemble.leader(), 'dump')).split(`${nodes.path}/`).length - 1;
      while ((await places()) < 2);
      expect(tokens).toHaveLength(1);
      expect(observer.elector.belief().leaderId).toBeNull();

      for (const { elector } of [leader, heir, observer]) elector.request({ type: 'accept-lower-tokens' });
      await eventually('somebody leads again', () => leader.leads || heir.leads);
      expect(tokens[1]).toBeLessThan(tokens[0]!);
    } finally {
      await nodes.stop();
      await ensemble.stop();
    }
  });
});
