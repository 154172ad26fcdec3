import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { Etcd3 } from 'etcd3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EtcdBatch, etcdFence } from '../src/etcd.js';
import { describeGuard } from './guard-suite.js';

let cluster: EtcdCluster;
let client: Etcd3;
beforeAll(async () => {
  cluster = await startEtcdCluster();
  client = new Etcd3({ hosts: [...cluster.endpoints] });
});
afterAll(async () => {
  client.close();
  await cluster.stop();
});

describeGuard<EtcdBatch>({
  name: 'etcd',
  guard: async (resource) => etcdFence({ client, resource }),
  write: async (batch, resource, text) => batch.put(resource, text),
  read: (resource) => client.get(resource).string(),
  isTransactional: true,
  runs: 15,
});

describe('a fenced write to etcd', () => {
  it('puts and deletes at once', async () => {
    await client.put('a').value('1');
    const fence = etcdFence({ client, resource: 'two keys' });
    await fence.run({ token: 4n, holder: 'b#1' }, async (batch) => {
      batch.delete('a');
      batch.put('b', '2');
    });
    expect(await Promise.all([client.get('a').string(), client.get('b').string()])).toEqual([null, '2']);
  });

  it('is not lost when another leader raises the fence at the same moment', async () => {
    const fence = etcdFence({ client, resource: 'a race' });
    const leaders = Array.from({ length: 8 }, (_, index) => ({ token: BigInt(index), holder: `${index}` }));
    const attempts = leaders.map((leader) =>
      fence.run(leader, async (batch) => batch.put('a race', leader.holder)),
    );
    await Promise.allSettled(attempts);
    expect(await client.get('a race').string()).toBe('7');
  });
});
