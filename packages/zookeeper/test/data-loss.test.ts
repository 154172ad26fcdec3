/** ZooKeeper comes back without its data. */

import type { AnyProtocol } from '@hustings/simulator';
import { describeDataLoss } from '@hustings/testkit/data-loss';
import { type ZooKeeperState, zookeeper } from '../src/index.js';
import { type SimulatedZooKeeperSettings, simulatedZooKeeper } from '../src/simulated.js';

/** Members that lag, fail, and lose touch: even then nobody takes that for a loss. */
const restless: Partial<SimulatedZooKeeperSettings> = {
  lagMs: [0, 300],
  leaderFailsEveryMs: [1500, 6000],
  memberCutEveryMs: [200, 1500],
};

for (const succession of ['queue', 'herd'] as const) {
  describeDataLoss<ZooKeeperState>({
    name: `a ZooKeeper, by ${succession},`,
    protocol: zookeeper({ sessionTimeoutMs: 2000, succession }) as AnyProtocol<ZooKeeperState>,
    service: (kind) => ({
      id: 'zookeeper',
      machine: simulatedZooKeeper(kind === 'forgetful' ? { losesDataOnRestart: true } : restless),
    }),
    isLeading: ({ leading }) => leading,
    everyoneSays: true,
    pace: 2,
  });
}
