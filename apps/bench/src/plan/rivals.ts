/** Other people's electors, to stand beside ours in one table: same servers, same faults, same clock. */

import type { Configuration, CoordinatorKind } from '@hustings/catalogue';
import type { FaultName } from './faults.js';

export interface RivalVariant {
  readonly variant: string;
  readonly faults: readonly FaultName[];
}

export interface Rival {
  readonly name: string;
  /** Whose servers it uses, and which of our algorithms it stands beside: its lease is as long as that one's. */
  readonly coordinator: CoordinatorKind;
  readonly variants: readonly RivalVariant[];
}

/**
 * What can be done to a stranger's process and to its connections. Single messages cannot be lost, doubled or
 * delayed on the way: TCP would put them right, or the connection would break.
 */
const faultsOfRivals: readonly FaultName[] = [
  'crash',
  'restart',
  'pause',
  'isolate',
  'split',
  'graceful',
  'isolate-from-coordinator',
  'coordinator-member-crash',
  'coordinator-crash',
];

export const rivals: readonly Rival[] = [
  {
    name: 'etcd3',
    coordinator: 'etcd',
    variants: [{ variant: 'default', faults: faultsOfRivals }],
  },
  {
    name: 'etcdctl',
    coordinator: 'etcd',
    variants: [
      // Its lease is fixed at 60 s. Only what does not wait for the end of a lease can be compared.
      { variant: 'elect', faults: ['graceful'] },
      // The same queue of the same Go client, with a lease of one's own choice.
      { variant: 'lock', faults: faultsOfRivals },
    ],
  },
  {
    name: 'curator',
    coordinator: 'zookeeper',
    variants: [{ variant: 'default', faults: faultsOfRivals }],
  },
];

export const rivalOf = (algorithm: string): Rival | null =>
  rivals.find(({ name }) => name === algorithm) ?? null;

/** The length of the lease or session, in the words of the server that grants it. */
export function rivalParameters(variant: string, parameters: Configuration): Configuration {
  const names = ['detectionMs', 'ttlSeconds', 'sessionTimeoutMs', 'tickMs'];
  const own = Object.entries(parameters).filter(([name]) => names.includes(name));
  const fixed = variant === 'elect' ? { ttlSeconds: electLeaseSeconds } : {};
  return { ...Object.fromEntries(own), ...fixed };
}

/** `etcdctl elect` has no flag for it. */
const electLeaseSeconds = 60;
