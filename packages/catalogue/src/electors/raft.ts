import {
  defaultSettings,
  invariants,
  leaseMs,
  plainSettings,
  type RaftSettings,
  type RaftState,
  raft,
} from '@hustings/raft';
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
  variants: [
    raftVariant('default', {}),
    raftVariant('no-pre-vote', { preVote: false }),
    raftVariant('plain', plainSettings),
    raftVariant('certificates', { deathCertificates: true }),
  ],
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
      votes: isCandidate ? `${state.votes.length} of ${membership.voters.length}` : null,
      lease: role === 'leader' && leaseUntilMs !== null ? timeLeft(leaseUntilMs, nowMs) : null,
      committed: state.commitIndex === 0 ? null : `up to ${state.commitIndex}`,
      absence: absenceOf(state),
    });
  },
};

function raftVariant(variant: string, own: Partial<RaftSettings>): Variant<RaftState> {
  return {
    variant,
    configure(profile, budgetMs, _election, settings = {}) {
      checkSettings(settings, defaultSettings);
      const customary = { ...defaultSettings, ...own };
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
 * How slow messages may be for somebody to be elected and to stay in office. Safety needs no such bound: faults break it.
 * A tenth of the timeout, which is what others bear, is too slow for two reasons.
 *
 * Votes split again and again where a request takes as long as timeouts differ (§5.6: messages must be much quicker than
 * timeouts). Without that bound, 57 of 1,500 runs ended with nobody in office.
 *
 * The lease that votes give counts from when they were asked for. It must last until the first entry is answered, or the
 * office ends with it: four messages and three saves, each of which takes at most half as long as a message. Without that
 * bound, 59 of 1,500 runs went from one short office to the next.
 */
function maxDelayMs(settings: RaftSettings): number {
  const [minMs, maxMs] = settings.electionTimeoutMs;
  return Math.min(maxMs / 10, (maxMs - minMs) / 5, leaseMs(settings) / 5.5);
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
