import { startZooKeeperEnsemble, type ZooKeeperEnsemble } from '@hustings/servers';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { zookeeperGateway } from '../../src/gateway.js';
import { type Coordinator, contractChecks } from '../contract.js';

const tickMs = 200;

describe.each([
  ['of one member', 1],
  ['of three members', 3],
] as const)('a real ensemble %s', (_, members) => {
  let ensemble: ZooKeeperEnsemble;
  const coordinator: Coordinator = {
    tickMs,
    hasEpochs: members > 1,
    transport: (id) => zookeeperGateway({ id, hosts: ensemble.hosts }),
    async failLeader() {
      const leader = await ensemble.leader();
      await ensemble.killMember(leader);
      await ensemble.restartMember(leader);
    },
  };

  beforeAll(async () => {
    ensemble = await startZooKeeperEnsemble({
      members,
      tickMs,
      properties: ['-Dznode.container.checkIntervalMs=300'],
    });
  });
  afterAll(() => ensemble?.stop());

  for (const check of contractChecks) it(check.name, () => check.run(coordinator));
});
