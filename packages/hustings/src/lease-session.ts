/**
 * Many elections of one process on one store of leases, of any kind: PostgreSQL, Redis, an aggregator. Whoever renews
 * first renews for all, in one call where the store can take many at once.
 *
 * ```ts
 * import { leaseSession } from 'hustings/lease';
 *
 * const session = leaseSession({ id: 'node-1', store: aggregatorStore({ urls, secret }) });
 * const elector = session.elector('partition-17');
 * ```
 *
 * @packageDocumentation
 */

import { readOptions, record, required } from '@hustings/elector/options';
import type { LeaseElectionRequest, LeaseStore } from '@hustings/lease';
import { sharedStore } from '@hustings/lease/gateway';
import type { CommonOptions } from './front.js';
import { type LeaseOptions, leaseElector, leaseRules, withoutClose } from './lease.js';
import { type ElectionSession, openSession, sessionRules } from './session.js';

export { type AggregatorStoreOptions, aggregatorStore } from '@hustings/lease/aggregator';
export * from './index.js';
export type { ElectionSession } from './session.js';

export interface LeaseSessionOptions extends CommonOptions, Omit<LeaseOptions, 'election'> {
  /** It is closed when the session stops. */
  readonly store: LeaseStore;
  /** What the names of its elections begin with. Default `hustings`. */
  readonly prefix?: string | undefined;
}

const rules = { ...sessionRules(leaseRules), store: required(record, 'such as postgresStore({ client })') };

/** Throws `InvalidOptionError`. Nothing happens before the first of its electors starts. */
export function leaseSession(given: LeaseSessionOptions): ElectionSession<LeaseElectionRequest> {
  const {
    store,
    prefix = 'hustings',
    ...options
  } = readOptions<LeaseSessionOptions>('leaseSession', given, rules);
  const shared = sharedStore(store);
  return openSession(options, 'lease', () => ({
    open: (election, parts) =>
      leaseElector(
        { ...options, election: `${prefix}/${election}` },
        withoutClose(shared),
        store.traits.name,
        parts,
      ),
    stop: async () => shared.close?.(),
  }));
}
