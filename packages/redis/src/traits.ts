import { InvalidOptionError } from '@hustings/elector';
import type { StoreTraits } from '@hustings/lease';

export const assumptions = [
  "The clock of Redis' machine is not set forward by more than the guard while a lease is held.",
  'Redis forgets no lease before its time: it is not restarted without `appendfsync always`, no replica is promoted that has missed a write, and no lease is evicted (`maxmemory-policy noeviction`).',
];

export function traitsOf(name: string, survives: 'disk' | 'nothing'): StoreTraits {
  if (survives !== 'nothing' && survives !== 'disk') {
    throw new InvalidOptionError(`survives must be 'disk' or 'nothing', not ${survives}.`);
  }
  return {
    name,
    clock: 'store',
    expiryFactor: 1,
    minTtlMs: 100,
    granularityMs: 1,
    survives,
    releasedBy: 'anybody',
    tokens: 'clock',
    guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
    assumptions,
  };
}
