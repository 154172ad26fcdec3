/** What the driver is told to believe. */

import { followNobody } from '@hustings/elector/protocol';
import { change, type LeaseState, type OthersLease, type Phase } from './state.js';
import { isAfter, nodeOf } from './tokens.js';
import type { LeaseEffect, LeaseTransition } from './transition.js';

const seeking: ReadonlySet<Phase> = new Set(['acquiring', 'waiting', 'refusing']);

/** Has the driver believe what this node knows, if it does not yet. */
export function tell(state: LeaseState): LeaseTransition {
  // Until it has stepped down, a leader that resigns counts as one.
  if (state.told === 'leading') return [state, []];
  const leader = believable(state);
  const told = leader === null ? (seeking.has(state.phase) ? 'candidate' : 'nobody') : nameOf(leader);
  if (told === state.told) return [state, []];
  return [change(state, { told }), [leader === null ? unled(told) : follow(leader)]];
}

/** A token below one that was seen is of a store that has lost data: whoever has it is not believed. */
function believable({ holder, other, floor }: LeaseState): OthersLease | null {
  if (other === null || other.isOver || other.holder === null || other.holder === holder) return null;
  return other.token !== null && isAfter(floor, other.token) ? null : other;
}

const nameOf = ({ holder, token }: OthersLease): string => `${holder} with ${token}`;

const unled = (told: string): LeaseEffect => (told === 'candidate' ? { type: 'campaign' } : followNobody);

const follow = ({ holder, token }: OthersLease): LeaseEffect => ({
  type: 'follow',
  leaderId: holder === null ? null : nodeOf(holder),
  token: token === null ? null : BigInt(token),
});
