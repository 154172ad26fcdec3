// One refusal after the other, a set of voters, and one place that decides whether there are enough.
import { send, setTimer } from '@hustings/classroom';
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
  const message: PreVoteRequest = {
    type: 'pre-vote-request',
    term: state.currentTerm + 1,
    lastIndex: state.log.length,
    lastTerm: state.log.at(-1) ?? 0,
  };
  const [after, effects] = count({ ...state, preVotes: [] }, state.id, callElection);
  if (after.currentTerm !== state.currentTerm) return [after, effects];
  return [
    after,
    [...state.peers.map((peer) => send(peer, message)), setTimer('election', electionTimeoutMs)],
  ];
}

export function onPreVoteRequest(
  state: PreVoteState,
  from: NodeId,
  { term, lastIndex, lastTerm }: PreVoteRequest,
  nowMs: number,
): PreVoteTransition {
  const answer = (granted: boolean): PreVoteTransition => [
    state,
    [send(from, { type: 'pre-vote-reply', term: granted ? term : state.currentTerm, granted })],
  ];
  if (state.role === 'leader' || term <= state.currentTerm) return answer(false);
  if (nowMs < (state.heardMs ?? Number.NEGATIVE_INFINITY) + electionTimeoutMs[0]) return answer(false);
  const last = state.log.at(-1) ?? 0;
  if (lastTerm !== last) return answer(lastTerm > last);
  return answer(lastIndex >= state.log.length);
}

export function onPreVoteReply(
  state: PreVoteState,
  from: NodeId,
  { term, granted }: PreVoteReply,
  callElection: CallElection,
): PreVoteTransition {
  const isAnswer = granted && term === state.currentTerm + 1 && state.preVotes.includes(state.id);
  return isAnswer ? count(state, from, callElection) : [state, []];
}

function count(state: PreVoteState, from: NodeId, callElection: CallElection): PreVoteTransition {
  const preVotes = [...new Set([...state.preVotes, from])];
  const majority = Math.floor((state.peers.length + 1) / 2) + 1;
  return preVotes.length < majority ? [{ ...state, preVotes }, []] : callElection(state);
}
