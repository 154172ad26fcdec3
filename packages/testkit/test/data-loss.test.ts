/** The election on a store, held to the suite from here: its own tests cannot use the testkit, which uses it. */

import { type LeaseState, lease, type StoreTraits } from '@hustings/lease';
import { simulatedStore } from '@hustings/lease/simulated';
import type { AnyProtocol } from '@hustings/simulator';
import { describeDataLoss } from '../src/data-loss.js';

const traits: StoreTraits = {
  ...{ name: 'simulated', clock: 'store', expiryFactor: 1, minTtlMs: 1, granularityMs: 1, survives: 'disk' },
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [],
};

describeDataLoss<LeaseState>({
  name: 'a store',
  protocol: lease(traits, { ttlMs: 1000, requestTimeoutMs: 300, marginMs: 0 }) as AnyProtocol<LeaseState>,
  service: (kind) => ({
    id: 'store',
    machine: simulatedStore({ losesDataOnRestart: kind === 'forgetful' }),
  }),
  isLeading: ({ phase }) => phase === 'leading',
  everyoneSays: false,
  pace: 1,
});
