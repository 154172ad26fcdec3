/** A real ZooKeeper whose data directories are deleted while a node leads. */

import { startZooKeeperEnsemble } from '@hustings/servers';
import { describe, expect, it } from 'vitest';
import { zookeeperGateway } from '../../src/gateway.js';
import { Client } from '../contract.js';
import { eventually, type Node, Nodes } from './nodes.js';

const saysSo = ({ announcements }: Node): boolean => announcements.some(({ type }) => type === 'data-lost');

describe.each([1, 3])('given a ZooKeeper of %i that loses its data while a node leads', (members) => {
  it('then all say so and nobody who has seen a higher token leads, until told', {
    timeout: 90_000,
  }, async () => {
    const ensemble = await startZooKeeperEnsemble({ members });
    const nodes = new Nodes({ sessionTimeoutMs: 2000 });
    try {
      // An ensemble that begins again may count a few epochs before it settles, and must not catch up.
      for (let epoch = 0; epoch < 3 && members > 1; epoch += 1) {
        const leading = await ensemble.leader();
        await ensemble.killMember(leading);
        await ensemble.restartMember(leading);
      }
      const { hosts } = ensemble;
      // Neither must its zxids catch up with what was known.
      const writer = new Client(zookeeperGateway({ id: 'writer', hosts }));
      await writer.start();
      await writer.connect();
      await writer.ensure(nodes.path);
      for (let count = 0; count < 50; count += 1) await writer.create(`${nodes.path}/unrelated-`);
      await writer.close();
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
