/** Heirs at the front door: two nodes, linked, on a real etcd. */

import { createServer } from 'node:net';
import { type EtcdCluster, startEtcdCluster } from '@hustings/servers';
import { etcdElector, type HustingsElector } from 'hustings/etcd';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

let cluster: EtcdCluster;
const electors: HustingsElector<never>[] = [];
beforeAll(async () => {
  cluster = await startEtcdCluster();
});
afterAll(async () => {
  await Promise.all(electors.map((elector) => elector.stop()));
  await cluster?.stop();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const secret = 'no secret, for nobody else is here';

async function open(election: string, links: boolean) {
  const ports = { 'node-1': await freePort(), 'node-2': await freePort() };
  const create = (id: keyof typeof ports, peer: keyof typeof ports) => {
    const listen = `127.0.0.1:${ports[id]}`;
    const elector = etcdElector({
      ...{ id, election, hosts: cluster.endpoints, logger: false },
      ...(links && { links: { listen, secret, peers: { [peer]: `ws://127.0.0.1:${ports[peer]}` } } }),
    });
    electors.push(elector as HustingsElector<never>);
    return elector;
  };
  const [leader, heir] = [create('node-1', 'node-2'), create('node-2', 'node-1')];
  await Promise.all([leader.start(), heir.start()]);
  const leadership = await leader.campaign();
  // It rejects when the heir is stopped.
  heir.campaign().catch(() => {});
  await vi.waitFor(() => expect(heir.belief().leaderId).toBe('node-1'), { timeout: 20_000 });
  return leadership;
}

it('a leader that is linked to the next in line leads for a second at most, unless it is answered', async () => {
  const leadership = await open('linked', true);
  await vi.waitFor(() => expect(leadership.remainingMs).toBeLessThan(1000), { timeout: 20_000, interval: 5 });
  expect(leadership.signal.aborted).toBe(false);
});

it('a leader that is not linked leads for as long as its lease', async () => {
  const leadership = await open('alone', false);
  expect(leadership.remainingMs).toBeGreaterThan(2000);
});
