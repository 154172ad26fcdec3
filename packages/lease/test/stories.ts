/** Runs of the election on a simulated store, for the tests of this package. */

import { type AnyProtocol, parseSchedule, run, type Schedule, type Violation } from '@hustings/simulator';
import {
  invariants,
  type LeaseProtocol,
  type LeaseSettings,
  type LeaseState,
  lease,
  type StoreTraits,
} from '../src/index.js';
import { type SimulatedStoreRequest, type SimulatedStoreSettings, simulatedStore } from '../src/simulated.js';

export const seeds = Array.from({ length: 30 }, (_, seed) => seed);

const traits: StoreTraits = {
  ...{ name: 'simulated', clock: 'store', expiryFactor: 1, minTtlMs: 1, granularityMs: 1, survives: 'disk' },
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [],
};

/** An election on such a store, with leases of a second and no margin: what is too late by a moment is seen. */
export function electionOn(
  { clock = 'store', tokens = 'counter' }: Partial<SimulatedStoreSettings>,
  settings: Partial<LeaseSettings> = {},
): LeaseProtocol {
  const { store: _, ...others } = settings;
  return lease({ ...traits, clock, tokens }, { ttlMs: 1000, requestTimeoutMs: 300, marginMs: 0, ...others });
}

interface Story {
  readonly store?: Partial<SimulatedStoreSettings>;
  readonly protocol?: LeaseProtocol;
  readonly settles?: boolean;
  /** What the death of one of the store's members is. */
  readonly failLeader?: SimulatedStoreRequest;
}

/** Holds a run to all that is promised. */
export function broken(
  schedule: Schedule,
  {
    store = {},
    protocol = electionOn(store),
    settles = true,
    failLeader = { type: 'fail-over' },
  }: Story = {},
): Violation | null {
  return run(protocol as AnyProtocol<LeaseState>, schedule, {
    ...{ invariants, promised: protocol.guarantees, settles },
    services: [{ id: 'store', machine: simulatedStore(store), failLeader }],
  }).violation;
}

export const scheduleOf = (seed: number, faults: string, nodes = 'n1 n2 n3 n4 n5'): Schedule =>
  parseSchedule(`nodes ${nodes}\nlatency 1 20\nrun 12000\nseed ${seed}\n${faults}`);
