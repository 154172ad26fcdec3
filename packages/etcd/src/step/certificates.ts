/** Death certificates: the key of a process that is known to have ended is deleted by whoever knows it. */

import { hasDied, setTimer, withDeath } from '@hustings/elector/protocol';
import { readValue } from '../keys.js';
import { change, type EtcdState, type Member } from '../state.js';
import { type EtcdEffect, type EtcdTransition, toCoordinator } from '../transition.js';

export function onPeerGone(state: EtcdState, incarnation: string): EtcdTransition {
  if (!state.settings.deathCertificates) return [state, []];
  return deleteDead(change(state, { gone: withDeath(state.gone, incarnation) }));
}

/**
 * Of those that are known; who is not known now will be, before it matters. What was seen to be of a dead process is
 * deleted, and nothing that was put in its place. Nobody waits for the answer: the deletion is told to whoever watches,
 * and what is still there at the next look is deleted again.
 */
export function deleteDead(state: EtcdState): EtcdTransition {
  if (state.gone.length === 0) return [state, []];
  const dead = state.members.filter((member) => isOfTheDead(state, member));
  if (dead.length === 0) return [state, []];
  const { nextId, settings } = state;
  const deletions = dead.map((member, place) => deletion(state, nextId + place, member));
  const lookLater = state.look === null ? [setTimer('look', settings.requestTimeoutMs)] : [];
  return [change(state, { nextId: nextId + dead.length }), [...deletions, ...lookLater]];
}

function isOfTheDead({ gone }: EtcdState, { value }: Member): boolean {
  const { leaderId: id, incarnation } = readValue(value);
  return hasDied(gone, { id, incarnation });
}

const deletion = (state: EtcdState, id: number, { key, createRevision: revision }: Member): EtcdEffect =>
  toCoordinator(state, {
    type: 'txn',
    id,
    compare: [{ key, target: 'create', revision }],
    success: [{ type: 'delete', key }],
    failure: [],
  });
