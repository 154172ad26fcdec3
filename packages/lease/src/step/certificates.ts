/** Death certificates: the lease of a process that is known to have ended is released by whoever knows it. */

import type { NodeId } from '@hustings/elector';
import { setTimer, withDeath } from '@hustings/elector/protocol';
import { change, type LeaseState } from '../state.js';
import { holderOf } from '../tokens.js';
import { type LeaseTransition, toStore } from '../transition.js';

export function onPeerGone(state: LeaseState, peer: NodeId, incarnation: string): LeaseTransition {
  if (!state.settings.deathCertificates) return [state, []];
  return releaseDead(change(state, { gone: withDeath(state.gone, holderOf(peer, incarnation)) }));
}

/**
 * What was seen to be of a dead process, and nothing that has taken its place: the store compares holder and token.
 * The answer is a hint, and what is still there at the next look is released again.
 */
export function releaseDead(state: LeaseState): LeaseTransition {
  const { other, gone, settings, nextId: id } = state;
  if (other === null || other.holder === null || other.token === null) return [state, []];
  if (!gone.includes(other.holder)) return [state, []];
  const { holder, token } = other;
  return [
    change(state, { eviction: id, nextId: id + 1 }),
    [
      toStore(state, { type: 'release', id, name: settings.name, holder, token }),
      ...(state.look === null ? [setTimer('look', settings.requestTimeoutMs)] : []),
    ],
  ];
}
