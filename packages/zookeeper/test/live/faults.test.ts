/** What happens to real ensembles during a long wait. */

import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, type Node, Nodes } from './nodes.js';

let ensemble: ZooKeeperEnsemble | undefined;
let nodes: Nodes | undefined;
afterEach(async () => {
  await nodes?.stop();
  await ensemble?.stop();
});

/** A leader, and a node that waits behind it. */
async function leaderAndHeir(hosts: string): Promise<[Node, Node]> {
  nodes = new Nodes({ sessionTimeoutMs: 4000 });
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
  expect([leader.leads, heir.leads]).toEqual([true, false]);
  await leader.elector.resign();
  await eventually('the heir leads', () => heir.leads);
  expect(heir.term().token).toBeGreaterThan(token);
}

describe('given a leader and an heir that waits', () => {
  it('when all of it restarts quickly, then whoever leads afterwards leads alone', async () => {
    ensemble = await startZooKeeperEnsemble();
    const [leader, heir] = await leaderAndHeir(ensemble.hosts);
    await ensemble.restartMember(0);
    await eventually('somebody leads again', () => {
      const leading = [leader, heir].filter(({ leads }) => leads);
      return leading.length === 1 && leading[0]!.term().remainingMs > 0;
    });
    if (leader.leads) await handOver(leader, heir);
  });

  it('when a member is frozen, then closing does not wait for it', async () => {
    ensemble = await startZooKeeperEnsemble();
    const [leader] = await leaderAndHeir(ensemble.hosts);
    ensemble.pauseMember(0);
    const startedMs = performance.now();
    await leader.elector.stop();
    // The elector waits a second for its resignation; the client would block everything for longer still.
    expect(performance.now() - startedMs).toBeLessThan(5000);
    ensemble.resumeMember(0);
  });
});
