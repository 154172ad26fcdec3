import { defaultSettings, invariants, type RaftSettings, type RaftState, raft } from '@hustings/raft';
import type { Random, Settings } from '@hustings/simulator';
import type { Algorithm, Variant } from '../algorithm.js';
import { matchedHeartbeatMs, matchedTimeoutMs } from '../matched.js';
import { absenceOf, portrait, roleOf, timeLeft } from '../portrait.js';
import { RaftHistory } from '../raft/history.js';
import { raftWorkload } from '../raft/workload.js';
import { checkSettings, settingsOf } from '../settings.js';

export const raftElector: Algorithm<RaftState> = {
  name: 'raft',
  coordinator: null,
  variants: [raftVariant('default', true), raftVariant('no-pre-vote', false)],
  invariants,
  workload: raftWorkload,
  historian: () => new RaftHistory(),
  drawSettings,
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
    configure(profile, budgetMs, _election, settings = {}) {
      checkSettings(settings, defaultSettings);
      const customary = { ...defaultSettings, preVote };
      const usual =
        profile === 'defaults'
          ? customary
          : {
              ...customary,
              electionTimeoutMs: matchedTimeoutMs(budgetMs),
              heartbeatMs: matchedHeartbeatMs(budgetMs),
            };
      const chosen = { ...usual, ...settingsOf(defaultSettings, settings) };
      const { electionTimeoutMs, heartbeatMs, maxDriftRate } = chosen;
      return {
        protocol: raft(chosen),
        parameters: { electionTimeoutMs, heartbeatMs },
        services: [],
        detectionMs: electionTimeoutMs[1],
        maxDelayMs: maxDelayMs(chosen),
        maxDriftRate,
      };
    },
  };
}

/**
 * Where timeouts hardly differ, votes split unless messages are much quicker than the difference. And the lease that
 * the votes gave must last until the first entry is answered: four messages, and some saves, from when they were asked for.
 */
function maxDelayMs({ electionTimeoutMs, maxDriftRate }: RaftSettings): number {
  const [minMs, maxMs] = electionTimeoutMs;
  const leaseMs = (0.9 * minMs * (1 - maxDriftRate)) / (1 + maxDriftRate);
  return Math.min(maxMs / 10, (maxMs - minMs) / 5, leaseMs / 5.5);
}

/** Little room between a lease's end and the next election, or much; with pre-votes, which hide flaws, or without. */
function drawSettings(random: Random): Settings {
  if (random.chance(0.25)) return {};
  const minMs = random.pick([60, 150]);
  const widthMs = random.pick([2, 20, 150]);
  const maxEntriesPerAppend = random.integer(1, 8);
  return {
    electionTimeoutMs: [minMs, minMs + widthMs],
    // Runs of wide timeouts are long: with many heartbeats, each would take the time of three others.
    heartbeatMs: minMs / random.pick(widthMs === 150 ? [3] : [3, 6]),
    maxDriftRate: random.pick([0.01, 0.2]),
    preVote: random.chance(0.5),
    checkQuorum: random.chance(0.8),
    snapshotThreshold: 8,
    maxEntriesPerAppend,
    maxAppendsInFlight: maxEntriesPerAppend,
  };
}
