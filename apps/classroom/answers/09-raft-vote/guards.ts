// One refusal after the other, and always saving: no less right.
import { send, setTimer } from '@hustings/classroom';
import type { NodeId } from '@hustings/elector';
import {
  electionTimeoutMs,
  type RaftState,
  type RaftTransition,
  type VoteRequest,
} from '../../exercises/09-raft-vote/types.js';

export function onVoteRequest(state: RaftState, from: NodeId, request: VoteRequest): RaftTransition {
  const refuse = (): RaftTransition => [
    state,
    [
      { type: 'save', durable: { currentTerm: state.currentTerm, votedFor: state.votedFor, log: state.log } },
      send(from, { type: 'vote-reply', term: state.currentTerm, granted: false }),
    ],
  ];
  if (request.term < state.currentTerm) return refuse();
  if (state.votedFor !== null && state.votedFor !== from) return refuse();
  const mine = [state.log.at(-1) ?? 0, state.log.length] as const;
  if (request.lastTerm < mine[0]) return refuse();
  if (request.lastTerm === mine[0] && request.lastIndex < mine[1]) return refuse();
  const voted = { ...state, votedFor: from };
  return [
    voted,
    [
      setTimer('election', electionTimeoutMs),
      { type: 'save', durable: { currentTerm: voted.currentTerm, votedFor: from, log: voted.log } },
      send(from, { type: 'vote-reply', term: voted.currentTerm, granted: true }),
    ],
  ];
}
