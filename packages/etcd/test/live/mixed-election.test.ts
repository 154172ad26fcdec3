/** Candidates of the official Go client, by way of `etcdctl elect`, and ours in one election. */

import { type EtcdCluster, type SupervisedProcess, startEtcdCluster } from '@hustings/servers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, Nodes } from './nodes.js';

let cluster: EtcdCluster;
let nodes: Nodes;
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(() => cluster?.stop());
beforeEach(() => {
  nodes = new Nodes();
});
afterEach(() => nodes.stop());

/** How many keys the election has, by which order of creation is made certain. */
async function candidates(): Promise<number> {
  const keys = await cluster.etcdctl('get', '--prefix', '--keys-only', `${nodes.name}/`);
  return keys.split('\n').filter((line) => line !== '').length;
}

async function line(length: number): Promise<void> {
  while ((await candidates()) < length) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** `etcdctl elect` prints its key and its proposal when it leads. */
const leads = (process: SupervisedProcess, proposal: string): boolean => process.lines.includes(proposal);

const elect = (...parameters: string[]): Promise<SupervisedProcess> =>
  cluster.spawnEtcdctl(['elect', ...parameters, nodes.name]);

describe('given candidates of the Go client and of Hustings that stand by turns', () => {
  it('then they lead by turns, in the order in which they stood', async () => {
    const listener = await elect('--listen');
    const hosts = cluster.endpoints;
    const first = await nodes.start('hustings-1', { hosts });
    const third = await nodes.start('hustings-3', { hosts });
    first.stand();
    await line(1);
    const second = await cluster.spawnEtcdctl(['elect', nodes.name, 'etcdctl-2']);
    await line(2);
    third.stand();
    await line(3);
    const fourth = await cluster.spawnEtcdctl(['elect', nodes.name, 'etcdctl-4']);
    await line(4);

    // The Go client's listener asks who leads when it is told of a change, and misses whoever is gone by then.
    const isSeen = (id: string) =>
      eventually(`the Go client has seen ${id}`, () => listener.lines.includes(id));
    await eventually('the first leads', () => first.leads);
    await isSeen('hustings-1');
    expect([leads(second, 'etcdctl-2'), third.leads, leads(fourth, 'etcdctl-4')]).toEqual([
      false,
      false,
      false,
    ]);

    await first.elector.resign();
    await eventually('the second leads', () => leads(second, 'etcdctl-2'));
    await eventually('the others know', () => third.elector.belief().leaderId === 'etcdctl-2');
    await isSeen('etcdctl-2');
    expect([first.leads, third.leads, leads(fourth, 'etcdctl-4')]).toEqual([false, false, false]);

    second.signal('SIGINT');
    await eventually('the third leads', () => third.leads);
    await isSeen('hustings-3');
    expect(leads(fourth, 'etcdctl-4')).toBe(false);

    await third.elector.resign();
    await eventually('the fourth leads', () => leads(fourth, 'etcdctl-4'));
    await eventually('all know', () =>
      [first, third].every(({ elector }) => elector.belief().leaderId === 'etcdctl-4'),
    );
    await isSeen('etcdctl-4');
    // Its lines are a key and a value by turns.
    const seen = listener.lines.filter((text) => !text.startsWith(nodes.name));
    expect(seen).toEqual(['hustings-1', 'etcdctl-2', 'hustings-3', 'etcdctl-4']);
  });

  it('then the death of the one in the middle makes nobody lead', async () => {
    const hosts = cluster.endpoints;
    const first = await nodes.start('hustings-1', { hosts });
    const third = await nodes.start('hustings-3', { hosts });
    first.stand();
    await line(1);
    const second = await cluster.spawnEtcdctl(['elect', nodes.name, 'etcdctl-2']);
    await line(2);
    third.stand();
    await line(3);
    second.signal('SIGINT');
    await second.ended;
    // By its own answer, etcd has told the third already.
    await cluster.etcdctl('get', nodes.name);
    expect([first.leads, third.leads]).toEqual([true, false]);
    await first.elector.resign();
    await eventually('the third leads', () => third.leads);
  });
});

describe('given a leader of Hustings that proclaims a value', () => {
  it('then the Go client and the other nodes see it', async () => {
    const listener = await elect('--listen');
    const hosts = cluster.endpoints;
    const leader = await nodes.start('hustings-1', { hosts });
    const other = await nodes.start('hustings-2', { hosts });
    leader.stand();
    await eventually('it leads', () => leader.leads);
    const { token } = leader.term();
    leader.elector.request({ type: 'proclaim', value: '10.0.0.1:80' });
    leader.elector.request({ type: 'proclaim', value: '10.0.0.2:80' });
    await eventually('both are published', () => leader.announcements.length === 2);
    expect(leader.announcements).toEqual([
      { type: 'proclaimed', value: '10.0.0.1:80' },
      { type: 'proclaimed', value: '10.0.0.2:80' },
    ]);
    await eventually('the other has seen the last', () =>
      other.announcements.some((seen) => seen.type === 'value-seen' && seen.value === '10.0.0.2:80'),
    );
    expect(other.announcements.at(-1)).toEqual({
      type: 'value-seen',
      leaderId: 'hustings-1',
      token,
      value: '10.0.0.2:80',
    });
    await eventually('the Go client has seen it', () => listener.lines.includes('10.0.0.2:80'));
    expect(leader.leads).toBe(true);
  });

  it('then a node that does not lead is told that it cannot', async () => {
    const node = await nodes.start('hustings-1', { hosts: cluster.endpoints });
    node.elector.request({ type: 'proclaim', value: 'nothing' });
    await eventually('it is told', () => node.announcements.length === 1);
    expect(node.announcements).toEqual([{ type: 'proclaim-failed', value: 'nothing' }]);
  });
});
