import { memoryStorage, type RunningMachine, runMachine } from '@hustings/runtime';
import { MemoryNetwork } from '@hustings/transport/memory';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { ZooKeeperMessage } from '../src/index.js';
import { type SimulatedZooKeeperRequest, simulatedZooKeeper } from '../src/simulated.js';
import { type Coordinator, contractChecks } from './contract.js';

const tickMs = 200;
/** Every client that the checks may open; a memory network wants to know its nodes beforehand. */
const clients = Array.from({ length: 3 * contractChecks.length }, (_, room) =>
  ['a', 'b', 'short', 'long', 'guest', 'patient'].map((name) => `${name}${room + 1}`),
).flat();

describe.each([
  ['of one member', { members: 1 }],
  ['of three members', { members: 3 }],
  ['of three members that lag', { members: 3, lagMs: [0, 40] }],
] as const)('a simulated ensemble %s', (_, settings) => {
  const network = new MemoryNetwork<ZooKeeperMessage>();
  let server: RunningMachine<SimulatedZooKeeperRequest>;
  const coordinator: Coordinator = {
    tickMs,
    hasEpochs: settings.members > 1,
    transport: (id) => network.transport(id, ['zookeeper']),
    failLeader: async () => server.request({ type: 'fail-leader' }),
  };

  beforeAll(async () => {
    server = await runMachine({
      machine: simulatedZooKeeper({ tickMs, containerCheckMs: 300, ...settings }),
      transport: network.transport('zookeeper', clients),
      storage: memoryStorage(),
    });
  });
  afterAll(() => server.stop());

  for (const check of contractChecks) it(check.name, () => check.run(coordinator));
});
