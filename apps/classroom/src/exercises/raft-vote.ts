import {
  electionTimeoutMs,
  type RaftDurable,
  type RaftEffect,
  type RaftRules,
  type RaftState,
  raftWith,
  type VoteRequest,
} from '../given/raft.js';
import { forgetfulVoter } from '../given/raft-mutants.js';
import type { Exercise } from '../grading/check.js';
import { allOf, type Candidate, inDrawnRuns, inSchedules } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { casesOf, raftIsSafe, readRules } from './rules.js';

const timing = { detectionMs: 300, maxDelayMs: 30, settleMs: 2400 };

const faults = ['crash', 'restart', 'pause', 'isolate', 'split', 'loss', 'duplicate', 'reorder'] as const;

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
  readonly before: RaftState;
  readonly message: VoteRequest;
  readonly after: RaftState;
  readonly effects: readonly RaftEffect[];
}

function ask({ protocol }: Candidate<RaftState>, given: Case): Asked {
  const before = { ...voter, ...given.state };
  const message = { ...request, ...given.request };
  const [after, effects] = protocol.step(before, { type: 'received', from: 'n2', message }, 0);
  return { before, message, after, effects: effects as readonly RaftEffect[] };
}

function tellCase(_given: Case, { before, message, after }: Asked): string[] {
  const { currentTerm, votedFor, log } = before;
  const { term, lastIndex, lastTerm } = message;
  return [
    `n1 is in term ${currentTerm}, has voted for ${votedFor ?? 'nobody'}, and its log is [${log.join(', ')}]`,
    `n2 asks for its vote: term ${term}, lastIndex ${lastIndex}, lastTerm ${lastTerm}`,
    `after that votedFor is ${after.votedFor ?? 'null'}, and the effects are`,
  ];
}

const inCases = casesOf(ask, tellCase);

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

export const raftVoteExercise: Exercise<Candidate<RaftState>> = {
  id: '09-raft-vote',
  given: { './types.js': { electionTimeoutMs } },
  read(submission, watch, facts) {
    return {
      protocol: guarded(raftWith(readRules<RaftRules>(submission, 'onVoteRequest')), {
        before: watch,
        names: facts,
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
      inSchedules(raftIsSafe<RaftState>(), forgetfulVoter),
      inDrawnRuns(raftIsSafe<RaftState>(), { runs: 40, nodes: [3, 5], faults }),
    ),
    elects: inDrawnRuns<RaftState>(
      {},
      { runs: 15, nodes: [3, 5], faults: ['crash', 'restart', 'pause', 'slow-link', 'loss'] },
    ),
  },
};
