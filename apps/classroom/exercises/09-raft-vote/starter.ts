import type { NodeId } from '@hustings/elector';
import type { RaftState, RaftTransition, VoteRequest } from './types.js';

/**
 * A candidate asks for this node's vote. `request.term` is at most `state.currentTerm`: when it was later, the term has
 * been taken over already, and `votedFor` is null again.
 *
 * Return the new state and what is to be done, in that order:
 *   { type: 'save', durable: { currentTerm, votedFor, log } }
 *   { type: 'send', to: from, message: { type: 'vote-reply', term, granted } }
 *   { type: 'set-timer', timer: 'election', delayMs: electionTimeoutMs }
 */
export function onVoteRequest(state: RaftState, from: NodeId, request: VoteRequest): RaftTransition {
  return [state, []];
}
