/** What candidates of all makes have in common. */

import type { Leadership } from '@hustings/elector';
import { type LeaseStore, lease } from '@hustings/lease';
import { leaseGateway } from '@hustings/lease/gateway';
import { createElector, memoryStorage } from '@hustings/runtime';
import type { CandidateSettings } from './settings.js';

export interface Candidate {
  campaign(): Promise<Leadership>;
  resign(): Promise<void>;
}

export type Start = (settings: CandidateSettings) => Promise<Candidate>;

export const first = ({ store: [address = ''] }: CandidateSettings): string => address;

/** One of ours. */
export async function onStore(
  { id, election, ttlMs }: CandidateSettings,
  store: LeaseStore,
): Promise<Candidate> {
  const elector = createElector({
    protocol: lease(store.traits, { name: election, ttlMs }),
    transport: leaseGateway({ id, store }),
    peers: [],
    storage: memoryStorage(),
  });
  await elector.start();
  return elector;
}

/** What the others have: they know of no token, and of no end. */
export const unfenced: Leadership = {
  token: 0n,
  holder: '',
  signal: new AbortController().signal,
  remainingMs: Number.POSITIVE_INFINITY,
  assertValid: () => {},
  toJSON: () => ({ token: '0', holder: '' }),
};
