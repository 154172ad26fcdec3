/** What PostgreSQL and Redis share: an election on leases in a store. */

import { must, numberAbove, type OptionTable, required, text } from '@hustings/elector/options';
import { type LeaseAnnouncement, type LeaseStore, lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { memoryStorage } from '@hustings/runtime';
import type { Report } from './diagnostics.js';
import { type CommonOptions, type HustingsElector, openElector } from './front.js';
import { commonRules } from './shared-options.js';

export interface LeaseOptions {
  /** Candidates of one election compete for it. */
  readonly election: string;
  /** How long a leader that is not heard of stays leader. Default 5000. */
  readonly ttlMs?: number | undefined;
}

export const leaseRules: OptionTable = {
  ...commonRules,
  election: required(text, 'the name of the election; candidates of one name compete'),
  ttlMs: numberAbove(0),
};

/** Something with methods, of which the store itself says what it needs. */
export const client = must(
  'a client',
  (value) => ['object', 'function'].includes(typeof value) && value !== null,
);

export function leaseElector(options: CommonOptions & LeaseOptions, store: LeaseStore): HustingsElector {
  const { id, election, ttlMs, driftBound } = options;
  let tell: (report: Report) => void = () => {};
  return openElector(options, election, {
    protocol: lease(store.traits, {
      name: election,
      ...(ttlMs === undefined ? {} : { ttlMs }),
      ...(driftBound === undefined ? {} : { driftBound }),
    }),
    peers: [],
    storage: memoryStorage(),
    transport: (report) => {
      tell = report;
      return leaseGateway({ id, store });
    },
    onAnnouncement: (announcement) => tell(reportOf(announcement)),
  });
}

const reportOf = ({ type, detail }: LeaseAnnouncement): Report => ({ type, level: 'error', message: detail });
