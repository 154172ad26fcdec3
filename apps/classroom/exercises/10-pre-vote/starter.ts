import type { NodeId } from '@hustings/elector';
import type { CallElection, PreVoteReply, PreVoteRequest, PreVoteState, PreVoteTransition } from './types.js';

/** No leader has been heard of for a while. `state.role` is not 'leader'. */
export function onElectionTimeout(state: PreVoteState, callElection: CallElection): PreVoteTransition {
  // What Raft does without pre-vote.
  return callElection(state);
}

/** `from` asks whether this node would vote for it. */
export function onPreVoteRequest(
  state: PreVoteState,
  from: NodeId,
  request: PreVoteRequest,
  nowMs: number,
): PreVoteTransition {
  return [state, []];
}

/** `from` says whether it would vote for this node. */
export function onPreVoteReply(
  state: PreVoteState,
  from: NodeId,
  reply: PreVoteReply,
  callElection: CallElection,
): PreVoteTransition {
  return [state, []];
}
