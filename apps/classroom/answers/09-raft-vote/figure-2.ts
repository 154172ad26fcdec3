import type { NodeId } from '@hustings/elector';
import {
  electionTimeoutMs,
  type RaftState,
  type RaftTransition,
  type VoteRequest,
} from '../../exercises/09-raft-vote/types.js';

export function onVoteRequest(state: RaftState, from: NodeId, request: VoteRequest): RaftTransition {
  const { currentTerm, log } = state;
  const isFree = state.votedFor === null || state.votedFor === from;
  const granted = request.term === currentTerm && isFree && isUpToDate(state, request);
  if (!granted) {
    return [state, [{ type: 'send', to: from, message: { type: 'vote-reply', term: currentTerm, granted } }]];
  }
  return [
    { ...state, votedFor: from },
    [
      { type: 'save', durable: { currentTerm, votedFor: from, log } },
      { type: 'send', to: from, message: { type: 'vote-reply', term: currentTerm, granted } },
      { type: 'set-timer', timer: 'election', delayMs: electionTimeoutMs },
    ],
  ];
}

function isUpToDate({ log }: RaftState, { lastIndex, lastTerm }: VoteRequest): boolean {
  const myLastTerm = log.at(-1) ?? 0;
  return lastTerm > myLastTerm || (lastTerm === myLastTerm && lastIndex >= log.length);
}
