/** Leases: they are granted, kept alive by their holders, and ended by the leader of the members. */

import type { LeaseId } from '../messages.js';
import { tellWatchers } from './requests.js';
import { change, type Lease, type ServerTransition, type SimulatedEtcdState, save } from './state.js';
import { placeOf, write } from './store.js';

export const isHeld = ({ leases }: SimulatedEtcdState, lease: LeaseId): boolean =>
  leases[placeOf(lease, leases, idOf)]?.id === lease;

export const idOf = ({ id }: Lease): LeaseId => id;

/** A revocation is a write of its own: each lease's keys go at one revision. */
export function endLeases(state: SimulatedEtcdState, ended: readonly LeaseId[]): ServerTransition {
  let after = state;
  for (const lease of ended) {
    const at = after.revision + 1;
    const bound = after.keys.filter((each) => each.lease === lease);
    after = change(after, { leases: after.leases.filter(({ id }) => id !== lease) });
    for (const { key } of bound) after = write(after, { type: 'delete', key }, at);
  }
  const [told, effects] = tellWatchers(state, after);
  return [told, [save(told), ...effects]];
}

const isOver = ({ expiresMs }: Lease, nowMs: number): boolean => expiresMs <= nowMs;

export const isAnyOver = ({ leases }: SimulatedEtcdState, nowMs: number): boolean =>
  leases.some((lease) => isOver(lease, nowMs));

export const expireLeases = (state: SimulatedEtcdState, nowMs: number): ServerTransition =>
  endLeases(state, state.leases.filter((lease) => isOver(lease, nowMs)).map(idOf));
