/** How keys are named and what their values say, so that candidates of the Go client and ours line up in one queue. */

import type { NodeId } from '@hustings/elector';
import { readSignature } from '@hustings/elector/protocol';
import type { LeaseId } from './messages.js';
import type { EtcdSettings } from './state.js';

export const prefixOf = ({ name }: EtcdSettings): string => `${name}/`;

/** As the Go client names it, so that its candidates and ours line up in one queue. */
export function keyOf(settings: EtcdSettings, lease: LeaseId): string {
  return settings.succession === 'race'
    ? settings.name
    : `${prefixOf(settings)}${BigInt(lease).toString(16)}`;
}

/**
 * Whether a key is a candidate's. Below `jobs/` are the keys of the election `jobs/billing` as well, and whatever
 * else somebody has put there.
 */
export function isCandidate(settings: EtcdSettings, key: string): boolean {
  if (settings.succession === 'race') return key === settings.name;
  const prefix = prefixOf(settings);
  return key.startsWith(prefix) && /^[0-9a-f]+$/.test(key.slice(prefix.length));
}

interface Value {
  readonly leaderId: NodeId;
  /** Which process of it; null where it does not say. */
  readonly incarnation: string | null;
  readonly proclaimed: string | null;
}

/** A value is the leader's signature, and on further lines what it proclaimed. */
export function readValue(value: string): Value {
  const end = value.indexOf('\n');
  const { id: leaderId, incarnation } = readSignature(end === -1 ? value : value.slice(0, end));
  return { leaderId, incarnation, proclaimed: end === -1 ? null : value.slice(end + 1) };
}
