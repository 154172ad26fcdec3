import type { NodeId } from '@hustings/elector';
import type { Recording } from '@hustings/simulator';
import {
  electionTimeoutMs,
  type PreVoteEffect,
  type PreVoteReply,
  type PreVoteRequest,
  type PreVoteState,
} from '../../exercises/10-pre-vote/types.js';
import { type PreVoteRules, raftWithPreVote } from '../given/raft-pre-vote.js';
import type { Exercise } from '../grading/check.js';
import { allOf, type Candidate, inDrawnRuns, inRecordings, inSchedules } from '../grading/runs.js';
import { guarded } from '../guard.js';
import { casesOf, raftIsSafe, readRules, tellValue } from './rules.js';

type Answer = Candidate<PreVoteState>;

/** A failed pre-vote costs another timeout. */
const timing = { detectionMs: 450, maxDelayMs: 30, settleMs: 3000 };

const nowMs = 1000;

const follower: PreVoteState = {
  id: 'n1',
  peers: ['n2', 'n3', 'n4', 'n5'],
  role: 'follower',
  currentTerm: 4,
  votedFor: 'n3',
  log: [1, 2, 2],
  leaderId: null,
  votes: [],
  commitIndex: 2,
  stored: {},
  standing: true,
  preVotes: [],
  heardMs: 700,
};

type Happening =
  | { readonly fires: true }
  | { readonly request: Partial<PreVoteRequest> }
  | { readonly replies: readonly (Partial<PreVoteReply> & { readonly from: NodeId })[] };

interface Case {
  readonly state?: Partial<PreVoteState>;
  readonly happens: Happening;
}

interface Asked {
  readonly before: PreVoteState;
  readonly after: PreVoteState;
  readonly effects: readonly PreVoteEffect[];
}

function inputsOf(happens: Happening) {
  if ('fires' in happens) return [{ type: 'timer-fired', timer: 'election' }] as const;
  const received = (from: NodeId, message: PreVoteRequest | PreVoteReply) =>
    ({ type: 'received', from, message }) as const;
  if ('request' in happens) {
    const request: PreVoteRequest = { type: 'pre-vote-request', term: 5, lastIndex: 3, lastTerm: 2 };
    return [received('n2', { ...request, ...happens.request })];
  }
  return happens.replies.map(({ from, ...reply }) =>
    received(from, { type: 'pre-vote-reply', term: 5, granted: true, ...reply }),
  );
}

function ask({ protocol }: Answer, { state, happens }: Case): Asked {
  const before = { ...follower, ...state };
  let after: PreVoteState = before;
  const effects: PreVoteEffect[] = [];
  for (const input of inputsOf(happens)) {
    const [next, more] = protocol.step(after, input, nowMs);
    after = next;
    effects.push(...(more as readonly PreVoteEffect[]));
  }
  return { before, after, effects };
}

function tellCase({ happens }: Case, { before, after }: Asked): string[] {
  const { role, currentTerm, votedFor, log, heardMs, preVotes, peers } = before;
  const heard = heardMs === null ? 'never' : `${nowMs - heardMs} ms ago`;
  return [
    `n1 is a ${role} in term ${currentTerm}, one of ${peers.length + 1} nodes; votedFor is ${votedFor ?? 'null'}, its log [${log.join(', ')}],`,
    `preVotes [${preVotes.join(', ')}], and it heard of a leader ${heard}`,
    ...('fires' in happens
      ? ['its election timer fires']
      : inputsOf(happens).map(
          (input) => `it gets ${'message' in input ? `${tellValue(input.message)} from ${input.from}` : ''}`,
        )),
    `then its term is ${after.currentTerm}, preVotes is [${after.preVotes.join(', ')}], and the effects are`,
  ];
}

const inCases = casesOf(ask, tellCase);

const sentIn = (effects: readonly PreVoteEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'send' ? [effect] : []));

const callsElection = ({ effects }: Asked): boolean =>
  sentIn(effects).some(({ message }) => message.type === 'vote-request');

function asksEverybody({ before, effects }: Asked): string | null {
  const sent = sentIn(effects);
  const other = sent.find(({ message }) => message.type !== 'pre-vote-request');
  if (other !== undefined) return `It sends a ${other.message.type}.`;
  for (const peer of before.peers) {
    const own = sent.filter(({ to }) => to === peer);
    if (own.length !== 1) return `${peer} is asked ${own.length} times.`;
  }
  const { log, currentTerm } = before;
  const lastTerm = log.at(-1) ?? 0;
  const expected = { type: 'pre-vote-request', term: currentTerm + 1, lastIndex: log.length, lastTerm };
  for (const { message } of sent) {
    const wrong = Object.entries(expected).find(
      ([field, value]) => (message as unknown as Record<string, unknown>)[field] !== value,
    );
    if (wrong !== undefined) return `In the request, ${wrong[0]} should be ${wrong[1]}.`;
  }
  return null;
}

function asksInItsTerm({ before, after, effects }: Asked): string | null {
  if (after.currentTerm !== before.currentTerm) return `Its term is now ${after.currentTerm}.`;
  if (after.votedFor !== before.votedFor) return `votedFor is now ${after.votedFor ?? 'null'}.`;
  if (effects.some(({ type }) => type === 'save'))
    return 'It saves, although nothing has changed that is kept.';
  if (tellValue(after.preVotes) !== '["n1"]')
    return 'preVotes should be [n1]: whom it has asked has not answered yet.';
  return startsTimer(effects)
    ? null
    : "The timer 'election' is not set: if nobody answers, it never asks again.";
}

const startsTimer = (effects: readonly PreVoteEffect[]): boolean =>
  effects.some((effect) => effect.type === 'set-timer' && effect.timer === 'election');

function says(granted: boolean, term: number) {
  return ({ before, after, effects }: Asked): string | null => {
    const [reply, ...others] = sentIn(effects);
    if (reply === undefined) return 'n2 gets no answer.';
    const { to, message } = reply;
    if (others.length > 0 || to !== 'n2' || message.type !== 'pre-vote-reply')
      return 'n2, and nobody else, should get one pre-vote-reply.';
    if (message.granted !== granted) return granted ? 'It is refused.' : 'It is granted.';
    if (message.term !== term) return `The reply is of term ${message.term}, not ${term}.`;
    if (effects.length > 1) return `It does more than reply: ${effects.map(({ type }) => type).join(', ')}.`;
    return tellValue(after) === tellValue(before)
      ? null
      : 'Its state has changed, although a pre-vote is no vote.';
  };
}

const grants = says(true, 5);
const refuses = says(false, 4);

const elects = (asked: Asked): string | null =>
  asked.after.currentTerm === 5 ? null : 'No election is called.';
const waits = (asked: Asked): string | null =>
  callsElection(asked) || asked.after.currentTerm !== asked.before.currentTerm
    ? 'An election is called.'
    : null;

const asking = { preVotes: ['n1'] };

/** By then all logs are as long as they get: a node that has missed nothing is not refused for its log. */
const cutOff = `nodes n1 n2 n3
seed 1
latency 1 5
run 4500
at 10 fire n1 election
at 2000 isolate n3 until 3000
`;

const cutOffOfFive = `nodes n1 n2 n3 n4 n5
seed 2
latency 1 5
run 4500
at 10 fire n2 election
at 2000 split n4 n5 until 3000
`;

/** n3 is heard by everyone and hears nobody. */
const deaf = `nodes n1 n2 n3
seed 3
latency 1 5
run 4500
at 10 fire n1 election
at 2000 one-way n3 until 3000
`;

/** n3 and n2 hear each other; n1 leads, and only n2 hears it. */
const behindAWall = `nodes n1 n2 n3
seed 4
latency 1 5
run 4500
at 10 fire n1 election
at 2000 cut n1 n3 until 3000
`;

/** Every first question gets lost. */
const lostQuestions = `nodes n1 n2 n3
seed 5
latency 1 5
run 5000
at 0 loss 1 until 600
`;

function firstLeaderStays({ facts }: Recording<PreVoteState>): string | null {
  const { tenures } = facts;
  const [first, second] = tenures;
  if (first === undefined) return 'Nobody ever leads.';
  if (first.beganMs > 400) return `Nobody leads before ${first.beganMs.toFixed(1)} ms.`;
  if (second !== undefined)
    return `${first.node} led, and ${second.node} leads from ${second.beganMs.toFixed(1)} ms on.`;
  return first.endedMs === null || first.endedMs >= facts.endMs
    ? null
    : `${first.node} leads no longer from ${first.endedMs.toFixed(1)} ms on.`;
}

export const preVoteExercise: Exercise<Answer> = {
  id: '10-pre-vote',
  given: { './types.js': { electionTimeoutMs } },
  read(submission, watch, facts) {
    const names = ['onElectionTimeout', 'onPreVoteRequest', 'onPreVoteReply'] as const;
    const rules = readRules<PreVoteRules>(submission, ...names);
    return {
      protocol: guarded(raftWithPreVote(rules), {
        before: watch,
        names: facts,
      }) as Answer['protocol'],
      timing,
      fieldsOf: ({ role, currentTerm, votedFor, log, preVotes }) => ({
        role,
        currentTerm,
        votedFor,
        log,
        preVotes,
      }),
    };
  },
  checks: {
    'asks-first': inCases(
      [{ happens: { fires: true } }, asksEverybody],
      [{ state: { log: [] }, happens: { fires: true } }, asksEverybody],
    ),
    'changes-nothing': inCases(
      [{ happens: { fires: true } }, asksInItsTerm],
      [{ state: { preVotes: ['n1', 'n2'] }, happens: { fires: true } }, asksInItsTerm],
    ),
    grants: inCases(
      [{ happens: { request: {} } }, grants],
      [{ state: { heardMs: null }, happens: { request: {} } }, grants],
      [{ happens: { request: { lastIndex: 4 } } }, grants],
      [{ happens: { request: { lastIndex: 1, lastTerm: 3 } } }, grants],
      [{ happens: { request: { term: 9 } } }, says(true, 9)],
    ),
    'has-a-leader': inCases(
      [{ state: { heardMs: 1000 }, happens: { request: {} } }, refuses],
      [{ state: { heardMs: 900 }, happens: { request: {} } }, refuses],
      [{ state: { heardMs: 800 }, happens: { request: {} } }, grants],
      [{ state: { role: 'leader', leaderId: 'n1', heardMs: null }, happens: { request: {} } }, refuses],
    ),
    'old-or-short': inCases(
      [{ happens: { request: { term: 4 } } }, refuses],
      [{ happens: { request: { term: 2 } } }, refuses],
      [{ happens: { request: { lastIndex: 2 } } }, refuses],
      [{ happens: { request: { lastIndex: 9, lastTerm: 1 } } }, refuses],
    ),
    majority: inCases(
      [{ state: asking, happens: { replies: [{ from: 'n2' }, { from: 'n3' }] } }, elects],
      [{ state: asking, happens: { replies: [{ from: 'n2' }] } }, waits],
      [{ state: asking, happens: { replies: [{ from: 'n2' }, { from: 'n2' }] } }, waits],
      [
        {
          state: asking,
          happens: { replies: [{ from: 'n2' }, { from: 'n3', term: 4, granted: false }] },
        },
        waits,
      ],
      [
        {
          state: asking,
          happens: {
            replies: [
              { from: 'n2', term: 4 },
              { from: 'n3', term: 4 },
            ],
          },
        },
        waits,
      ],
      [{ happens: { replies: [{ from: 'n2' }, { from: 'n3' }, { from: 'n4' }] } }, waits],
      [{ state: { peers: [] }, happens: { fires: true } }, elects],
    ),
    returns: inRecordings([cutOff, cutOffOfFive], firstLeaderStays),
    'half-deaf': inRecordings([deaf, behindAWall], firstLeaderStays),
    elects: allOf(
      inSchedules<PreVoteState>({}, lostQuestions),
      inDrawnRuns<PreVoteState>(
        {},
        { runs: 12, nodes: [3, 5], faults: ['crash', 'restart', 'pause', 'slow-link', 'loss'] },
      ),
    ),
    safe: inDrawnRuns(raftIsSafe<PreVoteState>(), {
      runs: 15,
      nodes: [3, 5],
      faults: ['crash', 'restart', 'pause', 'isolate', 'split', 'loss', 'duplicate', 'reorder'],
    }),
  },
};
