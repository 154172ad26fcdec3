/** etcd comes back without its data. */

import type { AnyProtocol } from '@hustings/simulator';
import { describeDataLoss } from '@hustings/testkit/data-loss';
import { type EtcdState, etcd } from '../src/index.js';
import { simulatedEtcd } from '../src/simulated.js';

for (const succession of ['queue', 'race'] as const) {
  describeDataLoss<EtcdState>({
    name: `an etcd, by ${succession},`,
    protocol: etcd({ ttlSeconds: 2, succession }) as AnyProtocol<EtcdState>,
    service: (kind) => ({
      id: 'etcd',
      machine: simulatedEtcd({ losesDataOnRestart: kind === 'forgetful' }),
    }),
    isLeading: ({ phase }) => phase === 'leading',
    everyoneSays: true,
    pace: 2,
  });
}
