/** Death certificates: the znode of a leader that is known to have died is deleted by whoever knows it. */

import { hasDied, withDeath } from '@hustings/elector/protocol';
import { change, type ZooKeeperState } from '../state.js';
import { toCoordinator, type ZooKeeperTransition } from '../transition.js';
import { pathOf } from '../znodes.js';

export function onPeerGone(state: ZooKeeperState, incarnation: string): ZooKeeperTransition {
  if (!state.settings.deathCertificates) return [state, []];
  return deleteDead(change(state, { gone: withDeath(state.gone, incarnation) }));
}

/**
 * Of all znodes only the first is known by its owner, and only the first matters: another's turn to be first, and to be
 * deleted, will come. A name is given once, to one session, so that what is deleted is what was seen. Nobody waits for
 * the answer: the deletion is told to whoever watches, and one that is lost is sent again with the next ping.
 */
export function deleteDead(state: ZooKeeperState): ZooKeeperTransition {
  const { leader, session, connected, gone, nextId: id } = state;
  if (leader === null || session === null || !connected) return [state, []];
  if (!hasDied(gone, { id: leader.leaderId, incarnation: leader.incarnation })) return [state, []];
  const path = pathOf(state, leader.name);
  return [
    change(state, { nextId: id + 1 }),
    [toCoordinator(state, { type: 'delete', id, session: session.id, path })],
  ];
}
