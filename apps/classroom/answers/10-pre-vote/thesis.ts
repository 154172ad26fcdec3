import type { NodeId } from '@hustings/elector';
import {
  type CallElection,
  electionTimeoutMs,
  type PreVoteReply,
  type PreVoteRequest,
  type PreVoteState,
  type PreVoteTransition,
} from '../../exercises/10-pre-vote/types.js';

export function onElectionTimeout(state: PreVoteState, callElection: CallElection): PreVoteTransition {
  if (state.peers.length === 0) return callElection(state);
  const request: PreVoteRequest = {
    type: 'pre-vote-request',
    term: state.currentTerm + 1,
    lastIndex: state.log.length,
    lastTerm: state.log.at(-1) ?? 0,
  };
  return [
    { ...state, preVotes: [state.id] },
    [
      { type: 'set-timer', timer: 'election', delayMs: electionTimeoutMs },
      ...state.peers.map((to) => ({ type: 'send', to, message: request }) as const),
    ],
  ];
}

export function onPreVoteRequest(
  state: PreVoteState,
  from: NodeId,
  request: PreVoteRequest,
  nowMs: number,
): PreVoteTransition {
  const granted = request.term > state.currentTerm && !hasLeader(state, nowMs) && isUpToDate(state, request);
  const term = granted ? request.term : state.currentTerm;
  return [state, [{ type: 'send', to: from, message: { type: 'pre-vote-reply', term, granted } }]];
}

const hasLeader = ({ role, heardMs }: PreVoteState, nowMs: number): boolean =>
  role === 'leader' || (heardMs !== null && nowMs - heardMs < electionTimeoutMs[0]);

function isUpToDate({ log }: PreVoteState, { lastIndex, lastTerm }: PreVoteRequest): boolean {
  const myLastTerm = log.at(-1) ?? 0;
  return lastTerm > myLastTerm || (lastTerm === myLastTerm && lastIndex >= log.length);
}

export function onPreVoteReply(
  state: PreVoteState,
  from: NodeId,
  reply: PreVoteReply,
  callElection: CallElection,
): PreVoteTransition {
  if (!reply.granted || reply.term !== state.currentTerm + 1) return [state, []];
  if (state.preVotes.length === 0 || state.preVotes.includes(from)) return [state, []];
  const asked = { ...state, preVotes: [...state.preVotes, from] };
  return 2 * asked.preVotes.length > asked.peers.length + 1 ? callElection(asked) : [asked, []];
}
