import { defaultSettings, invariants, type RaftState, raft } from '@hustings/raft';
import type { Algorithm, Variant } from '../algorithm.js';
import { matchedHeartbeatMs, matchedTimeoutMs } from '../matched.js';
import { absenceOf, portrait, roleOf, timeLeft } from '../portrait.js';

export const raftElector: Algorithm<RaftState> = {
  name: 'raft',
  coordinator: null,
  variants: [raftVariant('default', true), raftVariant('no-pre-vote', false)],
  invariants,
  portray(state, nowMs) {
    const { role, leaderId, leaseUntilMs, membership } = state;
    const isCandidate = role === 'candidate' || role === 'pre-candidate';
    return portrait({
      role: roleOf(role, leaderId),
      term: state.currentTerm,
      vote: state.votedFor === null ? null : `for ${state.votedFor}`,
      votes: isCandidate ? `${Object.keys(state.votes).length} of ${membership.voters.length}` : null,
      lease: role === 'leader' && leaseUntilMs !== null ? timeLeft(leaseUntilMs, nowMs) : null,
      committed: state.commitIndex === 0 ? null : `up to ${state.commitIndex}`,
      absence: absenceOf(state),
    });
  },
};

function raftVariant(variant: string, preVote: boolean): Variant<RaftState> {
  return {
    variant,
    configure(profile, budgetMs) {
      const { electionTimeoutMs, heartbeatMs } =
        profile === 'defaults'
          ? defaultSettings
          : { electionTimeoutMs: matchedTimeoutMs(budgetMs), heartbeatMs: matchedHeartbeatMs(budgetMs) };
      return {
        protocol: raft({ electionTimeoutMs, heartbeatMs, preVote }),
        parameters: { electionTimeoutMs, heartbeatMs },
        services: [],
        detectionMs: electionTimeoutMs[1],
        maxDelayMs: electionTimeoutMs[1] / 10,
      };
    },
  };
}
