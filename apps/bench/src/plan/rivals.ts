/** Other people's electors, to stand beside ours in one table: same servers, same faults, same clock. */

import type { Configuration, CoordinatorKind } from '@hustings/catalogue';
import type { FaultName } from './faults.js';

export interface PeerVariant {
  readonly variant: string;
  readonly faults: readonly FaultName[];
}

export interface Peer {
  readonly name: string;
  /** Whose servers it uses, and which of our algorithms it stands beside: its lease is as long as that one's. */
  readonly coordinator: CoordinatorKind;
  readonly variants: readonly PeerVariant[];
}

/**
 * What can be done to a stranger's process and to its connections. Single messages cannot be lost, doubled or
 * delayed on the way: TCP would put them right, or the connection would break.
 */
const faultsOfPeers: readonly FaultName[] = [
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

export const peers: readonly Peer[] = [
  {
    name: 'etcd3',
    coordinator: 'etcd',
    variants: [{ variant: 'default', faults: faultsOfPeers }],
  },
  {
    name: 'etcdctl',
    coordinator: 'etcd',
    variants: [
      // Its lease is fixed at 60 s. Only what does not wait for the end of a lease can be compared.
      { variant: 'elect', faults: ['graceful'] },
      // The same queue of the same Go client, with a lease of one's own choice.
      { variant: 'lock', faults: faultsOfPeers },
    ],
  },
  {
    name: 'curator',
    coordinator: 'zookeeper',
    variants: [{ variant: 'default', faults: faultsOfPeers }],
  },
];

export const peerOf = (algorithm: string): Peer | null =>
  peers.find(({ name }) => name === algorithm) ?? null;

/** The length of the lease or session, in the words of the server that grants it. */
export function peerParameters(variant: string, parameters: Configuration): Configuration {
  const names = ['detectionMs', 'ttlSeconds', 'sessionTimeoutMs', 'tickMs'];
  const own = Object.entries(parameters).filter(([name]) => names.includes(name));
  const fixed = variant === 'elect' ? { ttlSeconds: electLeaseSeconds } : {};
  return { ...Object.fromEntries(own), ...fixed };
}

/** `etcdctl elect` has no flag for it. */
const electLeaseSeconds = 60;
