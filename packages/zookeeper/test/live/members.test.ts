/** Members of a real ensemble that answer although they should not be believed. */

import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, type Node, Nodes } from './nodes.js';

const sessionTimeoutMs = 2000;

let ensemble: ZooKeeperEnsemble;
let nodes: Nodes;
afterEach(async () => {
  await nodes?.stop();
  await ensemble?.stop();
});

/** Who began to lead while another still did. */
const overlaps: string[] = [];
const everyone: Node[] = [];

/** Stands, and waits for its place: the first leads, the others follow. */
async function stand(id: string, hosts: string): Promise<Node> {
  const node = await nodes.start(id, { hosts });
  everyone.push(node);
  node.stand(() => {
    const others = everyone.filter((other) => other !== node && other.leads);
    overlaps.push(...others.map(({ elector }) => `${id} beside ${elector.id}`));
  });
  await eventually(`${id} has a place`, () => node.elector.belief().leaderId !== null);
  return node;
}

/** The members, the ensemble's leader first. */
async function begin(options: Parameters<typeof startZooKeeperEnsemble>[0]): Promise<number[]> {
  ensemble = await startZooKeeperEnsemble({ members: 3, ...options });
  nodes = new Nodes({ sessionTimeoutMs });
  overlaps.length = 0;
  everyone.length = 0;
  const leader = await ensemble.leader();
  return [leader, (leader + 1) % 3, (leader + 2) % 3];
}

const modeOf = async (member: number): Promise<string | undefined> =>
  /^Mode: ([\w-]+)/m.exec(await ensemble.ask(member, 'srvr'))?.[1];

const leading = (): string[] => everyone.filter(({ leads }) => leads).map(({ elector }) => elector.id);

describe('given a member that has lost the majority and offers read-only sessions', () => {
  it('then nobody leads by it, and all goes on when the majority is back', async () => {
    const [first, second, alone] = (await begin({ properties: ['-Dreadonlymode.enabled=true'] })) as [
      number,
      number,
      number,
    ];
    const leader = await stand('leader', ensemble.hosts);
    const heir = await stand('heir', ensemble.hosts);
    await Promise.all([ensemble.killMember(first), ensemble.killMember(second)]);
    await eventually('the leader has stopped', () => !leader.leads);
    while ((await modeOf(alone)) !== 'read-only');

    // Whoever asks now would be served, if it were content to read.
    const stranger = await nodes.start('stranger', { hosts: ensemble.addresses[alone]! });
    everyone.push(stranger);
    stranger.stand();
    const refusals = (node: Node): number =>
      node.diagnostics.filter(
        (each) => each.type === 'unreachable' && each.host === ensemble.addresses[alone],
      ).length;
    await eventually('all have been turned away', () => everyone.every((node) => refusals(node) > 1));
    expect(leading()).toEqual([]);
    expect(await modeOf(alone)).toBe('read-only');

    await ensemble.restartMember(first);
    await eventually('one of them leads, and the others know', () => {
      const [leaderId, ...others] = leading();
      return others.length === 0 && everyone.every(({ elector }) => elector.belief().leaderId === leaderId);
    });
    expect(overlaps).toEqual([]);
    expect(heir.announcements).toEqual([]);
  });
});

describe('given a leader whose member has lost touch with the rest', () => {
  it('then it stops in time, although that member goes on answering', async () => {
    // Long enough for the member to outlast the session.
    const [first, second, cut] = (await begin({ syncLimit: 25 })) as [number, number, number];
    const leader = await stand('leader', ensemble.addresses[cut]!);
    const heir = await stand('heir', ensemble.hosts);
    for (const member of [first, second]) ensemble.pauseMember(member);
    await eventually('the leader has stopped', () => !leader.leads);
    expect(await modeOf(cut)).toBe('follower');
    expect(heir.leads).toBe(false);
    for (const member of [first, second]) ensemble.resumeMember(member);
    await eventually('somebody leads again', () => leading().length === 1);
    expect(overlaps).toEqual([]);
  });
});

describe('given a member that stands still for longer than a session, and then lags behind', () => {
  it('when it is the member of the leader, then that one stops before the next leads, and waits behind it', async () => {
    const [first, , lagging] = (await begin({})) as [number, number, number];
    const leader = await stand('leader', ensemble.addresses[lagging]!);
    const heir = await stand('heir', ensemble.addresses[first]!);
    ensemble.pauseMember(lagging);
    await eventually('the heir leads', () => heir.leads);
    expect(leader.leads).toBe(false);
    ensemble.resumeMember(lagging);
    await eventually('the old leader has heard', () => leader.elector.belief().leaderId === 'heir');
    expect([leading(), overlaps]).toEqual([['heir'], []]);
  });

  it('when it is the member of the next in line, then whoever comes after it leads, and it does not', async () => {
    const [first, second, lagging] = (await begin({})) as [number, number, number];
    const leader = await stand('leader', ensemble.addresses[first]!);
    const heir = await stand('heir', ensemble.addresses[lagging]!);
    const last = await stand('last', ensemble.addresses[second]!);
    ensemble.pauseMember(lagging);
    await leader.elector.resign();
    await eventually('the last leads', () => last.leads);
    ensemble.resumeMember(lagging);
    await eventually('the heir has heard', () => heir.elector.belief().leaderId === 'last');
    expect([leading(), overlaps]).toEqual([['last'], []]);
  });
});
