/** What happens to real ensembles during a long wait. */

import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { until } from '@hustings/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { zookeeperGateway } from '../../src/gateway.js';
import { inOrder } from '../../src/index.js';
import { Client } from '../contract.js';
import { eventually, type Node, Nodes } from './nodes.js';

let ensemble: ZooKeeperEnsemble | undefined;
let nodes: Nodes | undefined;
afterEach(async () => {
  await nodes?.stop();
  await ensemble?.stop();
});

/** A leader, and a node that waits behind it. */
async function leaderAndHeir(hosts: string, sessionTimeoutMs = 4000): Promise<[Node, Node]> {
  nodes = new Nodes({ sessionTimeoutMs });
  const leader = await nodes.start('leader', { hosts });
  const heir = await nodes.start('heir', { hosts });
  leader.stand();
  await eventually('the leader leads', () => leader.leads);
  heir.stand();
  await eventually('the heir waits', () => heir.elector.belief().leaderId === 'leader');
  return [leader, heir];
}

/** Waits until the leader has led for longer than what was certain when this was called. */
async function renewed(leader: Node): Promise<void> {
  const leadership = leader.term();
  const deadlineMs = performance.now() + leadership.remainingMs;
  await eventually('the lease is renewed', () => performance.now() > deadlineMs);
  leadership.assertValid();
}

async function handOver(leader: Node, heir: Node): Promise<void> {
  const { token } = leader.term();
  expect([leader.leads, heir.leads]).toEqual([true, false]);
  await leader.elector.resign();
  await eventually('the heir leads', () => heir.leads);
  expect(heir.term().token).toBeGreaterThan(token);
}

describe('given a leader and an heir that waits', () => {
  it('when a member that is not the leader of the ensemble dies, then both go on', async () => {
    ensemble = await startZooKeeperEnsemble({ members: 3 });
    const [leader, heir] = await leaderAndHeir(ensemble.hosts);
    await ensemble.killMember(((await ensemble.leader()) + 1) % 3);
    await renewed(leader);
    await handOver(leader, heir);
  });

  it("when the ensemble's leader dies, then both go on, and the next token is greater", async () => {
    ensemble = await startZooKeeperEnsemble({ members: 3 });
    const [leader, heir] = await leaderAndHeir(ensemble.hosts);
    await ensemble.killMember(await ensemble.leader());
    await eventually('another leads the ensemble', () => leader.diagnostics.length > 1 || !leader.leads);
    await renewed(leader);
    await handOver(leader, heir);
  });

  it('when the majority is gone, then the leader stops in time, and nobody leads until it is back', async () => {
    ensemble = await startZooKeeperEnsemble({ members: 3 });
    const [leader, heir] = await leaderAndHeir(ensemble.hosts);
    await Promise.all([ensemble.killMember(0), ensemble.killMember(1)]);
    await eventually('the leader has stopped', () => !leader.leads);
    expect(heir.leads).toBe(false);
    await Promise.all([ensemble.restartMember(0), ensemble.restartMember(1)]);
    await eventually('the heir leads', () => heir.leads);
  });

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

  it('when a candidate between them dies, then the leader leads on and the last one waits', async () => {
    ensemble = await startZooKeeperEnsemble({ members: 3 });
    const [leader, middle] = await leaderAndHeir(ensemble.hosts);
    const last = await nodes!.start('last', { hosts: ensemble.hosts });
    last.stand();
    await eventually('the last waits', () => last.elector.belief().leaderId === 'leader');
    await middle.elector.stop();
    await renewed(leader);
    expect(last.leads).toBe(false);
    await handOver(leader, last);
  });

  it("when somebody deletes the leader's znode, then it stops long before its next ping, and the heir leads", async () => {
    // Pings are more than seven seconds apart.
    const sessionTimeoutMs = 20_000;
    ensemble = await startZooKeeperEnsemble({ tickMs: 1000 });
    const { hosts } = ensemble;
    const [leader, heir] = await leaderAndHeir(hosts, sessionTimeoutMs);
    const meddler = new Client(zookeeperGateway({ id: 'meddler', hosts }));
    await meddler.start();
    try {
      await meddler.connect(sessionTimeoutMs);
      const [first] = inOrder(await meddler.children(nodes!.path));
      await meddler.delete(`${nodes!.path}/${first}`);
      await until('the leader has stopped', 4000, () => !leader.leads);
      expect(leader.term().signal.reason).toMatchObject({ reason: 'deposed' });
      await eventually('the heir leads', () => heir.leads);
    } finally {
      await meddler.close();
    }
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
