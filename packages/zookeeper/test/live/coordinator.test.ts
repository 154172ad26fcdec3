import { fileURLToPath } from 'node:url';
import { loopbackProxy, startZooKeeperEnsemble, supervise, type ZooKeeperEnsemble } from '@hustings/servers';
import { describeCoordinator } from '@hustings/testkit';
import { zookeeperGateway } from '../../src/gateway.js';
import { inOrder } from '../../src/index.js';
import { Client } from '../contract.js';
import { createCandidate } from './nodes.js';

const candidate = fileURLToPath(new URL('./candidate.mjs', import.meta.url));

/** Does something as a client that is no candidate. */
async function asClient<Result>(
  { hosts }: ZooKeeperEnsemble,
  act: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(zookeeperGateway({ id: 'client', hosts }));
  await client.start();
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.close();
  }
}

describeCoordinator({
  name: 'ZooKeeper',
  // Sessions of one to twenty seconds.
  startServers: (members) => startZooKeeperEnsemble({ members, configuration: ['maxSessionTimeout=20000'] }),
  connect: ({ hosts }: ZooKeeperEnsemble) => ({ hosts }),
  async link({ hosts }) {
    const proxy = await loopbackProxy({ target: `tcp://${hosts}` });
    return {
      connection: { hosts: `127.0.0.1:${proxy.port}` },
      cut: () => proxy.cut(),
      async close() {
        proxy.reset();
        await proxy.close();
      },
    };
  },
  createCandidate,
  spawnCandidate: ({ hosts }, id, election, leaseMs, onLine) =>
    supervise(process.execPath, [candidate, id, election, `${leaseMs}`, hosts], { onLine }),
  countCandidates: async (ensemble, election) =>
    (await ensemble.ask(await ensemble.leader(), 'dump')).split(`${election}/`).length - 1,
  deleteFirst: (ensemble, election) =>
    asClient(ensemble, async (client) => {
      const [first = ''] = inOrder(await client.children(election));
      await client.delete(`${election}/${first}`);
    }),
  async raiseTokens(ensemble, election) {
    // An ensemble that begins again may count a few epochs before it settles.
    for (let epoch = 0; epoch < 3 && ensemble.addresses.length > 1; epoch += 1) {
      const leading = await ensemble.leader();
      await ensemble.killMember(leading);
      await ensemble.restartMember(leading);
    }
    await asClient(ensemble, async (client) => {
      await client.ensure(election);
      for (let count = 0; count < 50; count += 1) await client.create(`${election}/unrelated-`);
    });
  },
});
