/**
 * Death certificates: a voter is bound to a leader because that leader may hold a lease. A process that has ended holds
 * none, so whoever knows that it has ended is free at once. Terms, votes and logs are as ever.
 *
 * Only the promise to exactly that process is void: another process of the same node may lead by now. What a voter
 * promised before it restarted it has forgotten, and nothing frees it but time.
 */

import type { NodeId } from '@hustings/elector';
import { followNobody, setTimer } from '@hustings/elector/protocol';
import type { Life } from '../messages.js';
import { change, type RaftState } from '../state.js';
import type { RaftEffect, RaftTransition } from '../transition.js';

/** From now on what comes from the peer comes from this process, whose name may be unknown. */
export function meet(state: RaftState, peer: NodeId, incarnation: string | undefined): RaftState {
  if (!state.settings.deathCertificates) return state;
  return change(state, { lives: { ...state.lives, [peer]: incarnation } });
}

/** Binds a voter to the process that it has heard lead. It has no use for older certificates, and need not take care. */
export function bindingTo({ lives }: RaftState, peer: NodeId, nowMs: number): Partial<RaftState> {
  const incarnation = lives[peer];
  const boundTo = incarnation === undefined ? null : { peer, incarnation };
  return { boundSinceMs: nowMs, boundTo, certificate: null, caretaker: false };
}

/** Free, if it was bound to this process and to no other. */
export function release(state: RaftState, dead: Life | undefined): RaftState {
  const { boundTo } = state;
  const isReleased =
    dead !== undefined && boundTo?.peer === dead.peer && boundTo.incarnation === dead.incarnation;
  return isReleased ? change(state, { boundSinceMs: null, boundTo: null, certificate: boundTo }) : state;
}

/**
 * The leader is dead, and this node free to vote. The others have the same certificate by now, or are shown it along
 * with the request; so that not all begin a term together, they go in the order of the membership, a heartbeat apart.
 */
export function onPeerGone(state: RaftState, dead: Life): RaftTransition {
  const free = release(state, dead);
  if (free === state || (state.role !== 'follower' && state.role !== 'pre-candidate')) return [free, []];
  const heirs = state.membership.voters.filter((voter) => voter !== dead.peer);
  const turn = Math.max(0, heirs.indexOf(state.id));
  const election: RaftEffect = setTimer('election', turn * state.settings.heartbeatMs);
  if (state.leaderId !== dead.peer) return [free, [election]];
  return [change(free, { leaderId: null }), [followNobody, election]];
}
