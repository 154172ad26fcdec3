/** How much longer a leader may lead. */

import { deadlineMs, type EtcdState } from '../state.js';
import type { EtcdTransition } from '../transition.js';

/** The deadline has moved: up where the lease was renewed or the heir has answered, down where an offer was made. */
export function renew(state: EtcdState, nowMs: number): EtcdTransition {
  const { session, ownRevision } = state;
  if (session === null || ownRevision === null) return [state, []];
  const validForMs = deadlineMs(state, session) - nowMs;
  return [state, [{ type: 'lead', token: BigInt(ownRevision), validForMs }]];
}

/** A deadline that has passed has passed for ever, even if what would have moved it up is here now. */
export function isOver(state: EtcdState, nowMs: number): boolean {
  const { phase, session } = state;
  return phase === 'leading' && session !== null && deadlineMs(state, session) <= nowMs;
}
