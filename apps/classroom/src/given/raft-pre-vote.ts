/** The Raft of the exercises with pre-vote, of which a student writes the rules. */

import type { NodeId } from '@hustings/elector';
import { andThen, type Input, type Protocol, setTimer } from '@hustings/elector/protocol';
import {
  type CallElection,
  electionTimeoutMs,
  type PreVoteRaft,
  type PreVoteReply,
  type PreVoteRequest,
  type PreVoteState,
  type PreVoteTransition,
} from '../../exercises/10-pre-vote/types.js';
import { raftWith } from './raft.js';
import { intactRules } from './raft-mutants.js';

export interface PreVoteRules {
  onElectionTimeout(state: PreVoteState, callElection: CallElection): PreVoteTransition;
  onPreVoteRequest(
    state: PreVoteState,
    from: NodeId,
    request: PreVoteRequest,
    nowMs: number,
  ): PreVoteTransition;
  onPreVoteReply(
    state: PreVoteState,
    from: NodeId,
    reply: PreVoteReply,
    callElection: CallElection,
  ): PreVoteTransition;
}

/** It hands on whatever else a state holds. */
const raft = raftWith(intactRules) as unknown as Protocol<PreVoteRaft>;

export function raftWithPreVote(rules: PreVoteRules): Protocol<PreVoteRaft> {
  return {
    ...raft,
    algorithm: 'raft-sketch-pre-vote',
    initialState: (id, peers) => ({ ...raft.initialState(id, peers), preVotes: [], heardMs: null }),
    step: (state, input, nowMs) => step(state, input, nowMs, rules),
  };
}

const callElection: CallElection = (state) =>
  raft.step({ ...state, preVotes: [] }, { type: 'timer-fired', timer: 'election' }, 0);

function step(
  state: PreVoteState,
  input: Input<PreVoteRaft>,
  nowMs: number,
  rules: PreVoteRules,
): PreVoteTransition {
  if (input.type === 'timer-fired' && input.timer === 'election') {
    if (state.role === 'leader') return [state, []];
    if (!state.standing) return [state, [setTimer('election', electionTimeoutMs)]];
    return rules.onElectionTimeout(state, callElection);
  }
  if (input.type !== 'received') return raft.step(state, input, nowMs);
  const { from, message } = input;
  switch (message.type) {
    case 'pre-vote-request':
      return rules.onPreVoteRequest(state, from, message, nowMs);
    case 'pre-vote-reply':
      return andThen(learnTerm(state, from, message), (next) =>
        rules.onPreVoteReply(next, from, message, callElection),
      );
    case 'append': {
      const [after, effects] = raft.step(state, input, nowMs);
      if (message.term < state.currentTerm) return [after, effects];
      return [{ ...after, heardMs: nowMs, preVotes: [] }, effects];
    }
    default:
      return raft.step(state, input, nowMs);
  }
}

/** A refusal tells a later term as any reply does. */
function learnTerm(state: PreVoteState, from: NodeId, { term, granted }: PreVoteReply): PreVoteTransition {
  if (granted || term <= state.currentTerm) return [state, []];
  const message = { type: 'append-reply', term, stored: 0 } as const;
  return raft.step({ ...state, preVotes: [] }, { type: 'received', from, message }, 0);
}
