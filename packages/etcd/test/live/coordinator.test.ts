import { fileURLToPath } from 'node:url';
import { type EtcdCluster, loopbackProxy, startEtcdCluster, supervise } from '@hustings/servers';
import { describeCoordinator } from '@hustings/testkit';
import { createCandidate } from './nodes.js';

const candidate = fileURLToPath(new URL('./candidate.mjs', import.meta.url));

/** The keys of the candidates, oldest first. */
async function keys(cluster: EtcdCluster, election: string): Promise<string[]> {
  const listed = await cluster.etcdctl('get', '--prefix', '--keys-only', '--sort-by=CREATE', `${election}/`);
  return listed.split('\n').filter((line) => line !== '');
}

describeCoordinator({
  name: 'etcd',
  startServers: (members) => startEtcdCluster({ members }),
  connect: ({ endpoints }: EtcdCluster, first = 0) => ({
    hosts: [...endpoints.slice(first), ...endpoints.slice(0, first)],
  }),
  async link({ endpoints: [target = ''] }) {
    const proxy = await loopbackProxy({ target });
    return {
      connection: { hosts: proxy.url },
      cut: () => proxy.cut(),
      async close() {
        proxy.reset();
        await proxy.close();
      },
    };
  },
  createCandidate,
  spawnCandidate: ({ endpoints }, id, election, leaseMs, onLine) =>
    supervise(process.execPath, [candidate, id, election, `${leaseMs / 1000}`, ...endpoints], { onLine }),
  countCandidates: async (cluster, election) => (await keys(cluster, election)).length,
  async deleteFirst(cluster, election) {
    const [first = ''] = await keys(cluster, election);
    await cluster.etcdctl('del', first);
  },
  async raiseTokens(cluster) {
    for (let count = 0; count < 40; count += 1) await cluster.etcdctl('put', 'unrelated', `${count}`);
  },
});
