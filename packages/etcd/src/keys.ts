/** How keys are named and what their values say, so that candidates of the Go client and ours line up in one queue. */

import type { NodeId } from '@hustings/elector';
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

/** A value is the leader's id, and on further lines what it proclaimed. */
export function readValue(value: string): { readonly leaderId: NodeId; readonly proclaimed: string | null } {
  const end = value.indexOf('\n');
  return end === -1
    ? { leaderId: value, proclaimed: null }
    : { leaderId: value.slice(0, end), proclaimed: value.slice(end + 1) };
}
