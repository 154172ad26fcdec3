import {
  electionTimeoutMs,
  type RaftDurable,
  type RaftEffect,
  type RaftRules,
  type RaftState,
  raftWith,
  type VoteRequest,
} from '../given/raft.js';
import { RaftHistory } from '../given/raft-history.js';
import { forgetfulVoter } from '../given/raft-mutants.js';
import type { Check, Exercise, Finding } from '../grading/check.js';
import { allOf, type Candidate, inDrawnRuns, inSchedules, type Rules } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { deepFreeze } from '../plain.js';
import { slips } from '../slips.js';

const timing = { detectionMs: 300, maxDelayMs: 30, settleMs: 2400 };

const faults = ['crash', 'restart', 'pause', 'isolate', 'split', 'loss', 'duplicate', 'reorder'] as const;

/** Two lead at once in two terms, in the paper's Raft without leases, and that is not what is asked here. */
const safety: Rules<RaftState> = { historian: () => new RaftHistory(), settles: false };

const voter: RaftState = {
  id: 'n1',
  peers: ['n2', 'n3'],
  role: 'follower',
  currentTerm: 4,
  votedFor: null,
  log: [1, 2, 2],
  leaderId: null,
  votes: [],
  commitIndex: 2,
  stored: {},
  standing: true,
};

const request: VoteRequest = { type: 'vote-request', term: 4, lastIndex: 3, lastTerm: 2 };

interface Case {
  readonly state?: Partial<RaftState>;
  readonly request?: Partial<VoteRequest>;
}

interface Asked {
  readonly after: RaftState;
  readonly effects: readonly RaftEffect[];
  /** The case and what came of it, for the student. */
  readonly story: string;
}

function ask({ protocol }: Candidate<RaftState>, asked: Case): Asked {
  const state = { ...voter, ...asked.state };
  const message = { ...request, ...asked.request };
  const [after, effects] = protocol.step(state, { type: 'received', from: 'n2', message }, 0);
  return {
    after,
    effects: effects as readonly RaftEffect[],
    story: tellCase(state, message, after, effects as readonly RaftEffect[]),
  };
}

function tellCase(
  { currentTerm, votedFor, log }: RaftState,
  { term, lastIndex, lastTerm }: VoteRequest,
  after: RaftState,
  effects: readonly RaftEffect[],
): string {
  return [
    `n1 is in term ${currentTerm}, has voted for ${votedFor ?? 'nobody'}, and its log is [${log.join(', ')}]`,
    `n2 asks for its vote: term ${term}, lastIndex ${lastIndex}, lastTerm ${lastTerm}`,
    `after that votedFor is ${after.votedFor ?? 'null'}, and the effects are`,
    ...(effects.length === 0 ? ['  none'] : effects.map((effect) => `  ${tellEffect(effect)}`)),
  ]
    .map((line) => `  ${line}\n`)
    .join('');
}

const tellEffect = (effect: RaftEffect): string =>
  JSON.stringify(effect, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));

/** Of all cases, the first that goes wrong. */
const inCases =
  (...cases: readonly (readonly [Case, (asked: Asked) => string | null])[]): Check<Candidate<RaftState>> =>
  (candidate): Finding | null => {
    for (const [given, look] of cases) {
      const asked = ask(candidate, given);
      const detail = look(asked);
      if (detail !== null) return { detail, story: asked.story };
    }
    return null;
  };

const repliesOf = (effects: readonly RaftEffect[]) =>
  effects.flatMap((effect) =>
    effect.type === 'send' && effect.to === 'n2' && effect.message.type === 'vote-reply'
      ? [effect.message]
      : [],
  );

function grants({ after, effects }: Asked): string | null {
  const [reply, ...others] = repliesOf(effects);
  if (reply === undefined) return 'n2 gets no vote-reply.';
  if (others.length > 0) return 'n2 gets more than one vote-reply.';
  if (!reply.granted) return 'The vote is refused.';
  if (reply.term !== after.currentTerm)
    return `The reply is of term ${reply.term}, not ${after.currentTerm}.`;
  return after.votedFor === 'n2' ? null : `The vote is granted, but votedFor is ${after.votedFor ?? 'null'}.`;
}

function refuses({ after, effects }: Asked, votedFor: string | null = null): string | null {
  const [reply] = repliesOf(effects);
  if (reply === undefined) return 'n2 gets no vote-reply: it should be told that it was refused.';
  if (reply.granted) return 'The vote is granted.';
  if (reply.term !== 4) return `The reply is of term ${reply.term}; it should carry the voter's own term, 4.`;
  return after.votedFor === votedFor ? null : `votedFor is now ${after.votedFor ?? 'null'}.`;
}

function isDurable(asked: Asked): string | null {
  const { effects } = asked;
  const saved = effects.findIndex(({ type }) => type === 'save');
  const said = effects.findIndex(({ type }) => type === 'send');
  if (saved === -1) return 'The vote is not saved: after a crash this node would vote again.';
  if (saved > said)
    return 'The reply comes before the save: a crash between them would forget a vote that was given.';
  const effect = effects[saved] as Extract<RaftEffect, { type: 'save' }>;
  const { currentTerm, votedFor, log } = effect.durable as Partial<RaftDurable>;
  if (currentTerm !== 4) return `The term that is saved is ${currentTerm}, not 4.`;
  if (votedFor !== 'n2') return `The vote that is saved is for ${votedFor}, not for n2.`;
  return JSON.stringify(log) === '[1,2,2]'
    ? null
    : 'The log is not saved with it: a save replaces all that was saved.';
}

const startsTimer = ({ effects }: Asked): boolean =>
  effects.some((effect) => effect.type === 'set-timer' && effect.timer === 'election');

/** What a rule is given may not change, also where another rule has just made it. */
const guardedRules = ({ onVoteRequest }: RaftRules): RaftRules => ({
  onVoteRequest: (state, from, asked) => onVoteRequest(deepFreeze(state), from, asked),
});

export const raftVoteExercise: Exercise<Candidate<RaftState>> = {
  id: '09-raft-vote',
  given: { './types.js': { electionTimeoutMs } },
  read({ exports }, watch) {
    const { onVoteRequest } = exports as Partial<RaftRules>;
    if (typeof onVoteRequest !== 'function') throw slips.noExport("export a function 'onVoteRequest'");
    return {
      protocol: guarded(raftWith(guardedRules({ onVoteRequest })), {
        before: watch,
      }) as Candidate<RaftState>['protocol'],
      timing,
      fieldsOf: ({ role, currentTerm, votedFor, log }) => ({ role, currentTerm, votedFor, log }),
    };
  },
  checks: {
    grants: inCases([{}, grants], [{ state: { log: [] }, request: { lastIndex: 0, lastTerm: 0 } }, grants]),
    'old-term': inCases(
      [{ request: { term: 3 } }, refuses],
      [{ request: { term: 3, lastIndex: 9, lastTerm: 3 } }, refuses],
    ),
    once: inCases([{ state: { votedFor: 'n3' } }, (asked) => refuses(asked, 'n3')]),
    again: inCases([{ state: { votedFor: 'n2' } }, grants]),
    'log-term': inCases(
      [{ request: { lastIndex: 3, lastTerm: 1 } }, refuses],
      [{ request: { lastIndex: 9, lastTerm: 1 } }, refuses],
      [{ request: { lastIndex: 1, lastTerm: 3 } }, grants],
    ),
    'log-length': inCases(
      [{ request: { lastIndex: 2, lastTerm: 2 } }, refuses],
      [{ request: { lastIndex: 4, lastTerm: 2 } }, grants],
    ),
    durable: inCases([{}, isDurable]),
    timer: inCases(
      [
        {},
        (asked) =>
          startsTimer(asked)
            ? null
            : "The timer 'election' is not started anew, although the vote was given: this node may soon stand against the one it voted for.",
      ],
      [
        { state: { votedFor: 'n3' } },
        (asked) =>
          startsTimer(asked)
            ? "The timer 'election' is started anew, although this vote is one to refuse: whoever asks in vain again and again would keep the others from standing."
            : null,
      ],
    ),
    safe: allOf(
      inSchedules(safety, forgetfulVoter),
      inDrawnRuns(safety, { runs: 40, nodes: [3, 5], faults }),
    ),
    elects: inDrawnRuns<RaftState>(
      {},
      { runs: 15, nodes: [3, 5], faults: ['crash', 'restart', 'pause', 'slow-link', 'loss'] },
    ),
  },
};
