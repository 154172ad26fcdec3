/** Raft, intact and broken in eight ways, and what it does in a few dozen runs: what a check is to tell apart. */

import {
  type AnyEffect,
  type AnyProtocol,
  drawSchedule,
  parseSchedule,
  record,
  type Schedule,
  type TraceEvent,
} from '@hustings/simulator';
import type { Run, Step } from '../../exercises/08-kill-the-mutants/types.js';
import { deepFreeze } from '../plain.js';
import { type RaftMessage, type RaftRules, type RaftState, raftWith } from './raft.js';

type RaftProtocol = AnyProtocol<RaftState>;

const timing = { detectionMs: 300, maxDelayMs: 30, settleMs: 900 };
const faults = ['crash', 'restart', 'pause', 'isolate', 'split', 'loss'] as const;
const runCount = 24;

/** n3 votes for n1, comes back from a crash, and is asked by n2, which has not heard of n1, in the same term. */
export const forgetfulVoter = `nodes n1 n2 n3
seed 1
latency 1
run 400
at 0 stall n1 n2 until 390
at 100 fire n1 election
at 101.5 restart n3
at 110 fire n2 election
`;

export const intactRules: RaftRules = {
  onVoteRequest(state, from, request) {
    const lastTerm = state.log.at(-1) ?? 0;
    const isAsGood =
      request.lastTerm > lastTerm || (request.lastTerm === lastTerm && request.lastIndex >= state.log.length);
    const isFree = state.votedFor === null || state.votedFor === from;
    return answer(state, from, request.term === state.currentTerm && isFree && isAsGood);
  },
};

function answer(state: RaftState, from: string, granted: boolean) {
  const reply = {
    type: 'send',
    to: from,
    message: { type: 'vote-reply', term: state.currentTerm, granted },
  } as const;
  if (!granted) return [state, [reply]] as const;
  const { currentTerm, log } = state;
  return [
    { ...state, votedFor: from },
    [
      { type: 'save', durable: { currentTerm, votedFor: from, log } },
      reply,
      { type: 'set-timer', timer: 'election', delayMs: [150, 300] },
    ],
  ] as const;
}

const intact = raftWith(intactRules) as RaftProtocol;

const withRule = (onVoteRequest: RaftRules['onVoteRequest']): RaftProtocol =>
  raftWith({ onVoteRequest }) as RaftProtocol;

/** The intact one, but for this. */
const withStep = (step: RaftProtocol['step']): RaftProtocol => ({ ...intact, step });

const messageIn = (input: Parameters<RaftProtocol['step']>[1]): RaftMessage | null =>
  input.type === 'received' ? (input.message as RaftMessage) : null;

export const mutants: Readonly<Record<string, RaftProtocol>> = {
  'votes-for-everybody': withRule((state, from, request) =>
    answer(state, from, request.term === state.currentTerm),
  ),
  'forgets-its-vote': withStep((state, input, nowMs) => {
    const [after, effects] = intact.step(state, input, nowMs);
    const isVote = messageIn(input)?.type === 'vote-request';
    return [after, isVote ? effects.filter(({ type }) => type !== 'save') : effects];
  }),
  'looks-at-no-log': withRule((state, from, request) => {
    const isFree = state.votedFor === null || state.votedFor === from;
    return answer(state, from, request.term === state.currentTerm && isFree);
  }),
  'forgets-its-term': withStep((state, input, nowMs) => {
    if (input.type !== 'restarted') return intact.step(state, input, nowMs);
    const durable = { ...(input.durable as object), currentTerm: 0, votedFor: null };
    return intact.step(state, { ...input, durable }, nowMs);
  }),
  'needs-no-majority': withStep((state, input, nowMs) => {
    let [after, effects] = intact.step(state, input, nowMs);
    if (after.role !== 'candidate' || state.currentTerm === after.currentTerm) return [after, effects];
    for (const from of after.peers) {
      const message: RaftMessage = { type: 'vote-reply', term: after.currentTerm, granted: true };
      const [next, more] = intact.step(after, { type: 'received', from, message }, nowMs);
      after = next;
      effects = [...effects, ...more];
    }
    return [after, effects];
  }),
  'commits-at-once': withStep((state, input, nowMs) => {
    const [after, effects] = intact.step(state, input, nowMs);
    return [after.role === 'leader' ? { ...after, commitIndex: after.log.length } : after, effects];
  }),
  'heeds-no-later-term': withStep((state, input, nowMs) => {
    const message = messageIn(input);
    const isDeposed = state.role === 'leader' && message !== null && message.term > state.currentTerm;
    return isDeposed ? [state, []] : intact.step(state, input, nowMs);
  }),
  'follows-old-leaders': withStep((state, input, nowMs) => {
    const message = messageIn(input);
    if (
      input.type !== 'received' ||
      message?.type !== 'append' ||
      message.term >= state.currentTerm ||
      state.role === 'leader'
    ) {
      return intact.step(state, input, nowMs);
    }
    return intact.step(
      state,
      { ...input, message: { ...message, term: state.currentTerm } as RaftMessage },
      nowMs,
    );
  }),
};

const schedules: readonly Schedule[] = [
  parseSchedule(forgetfulVoter),
  ...Array.from({ length: runCount }, (_, index) =>
    drawSchedule(
      1000 + index,
      { nodes: [3, 3], faults },
      { timing, targetedTransfer: false, leased: false, hasCoordinator: false },
    ),
  ),
];

const known = new Map<string, readonly Run[]>();

/** The runs of a mutant, or of 'intact'. Made once: they do not depend on whose check looks at them. */
export function runsOf(name: string): readonly Run[] {
  const runs = known.get(name) ?? schedules.map((schedule) => runOf(mutants[name] ?? intact, schedule));
  known.set(name, runs);
  return runs;
}

function runOf(protocol: RaftProtocol, schedule: Schedule): Run {
  const recording = record({ protocol, invariants: {}, timing, letsTwoLead: true }, schedule, {
    maxSteps: 60_000,
  });
  const { events, nodes } = recording.facts;
  const steps = events.flatMap((event): Step[] =>
    event.type === 'step' ? [stepOf(event, recording.at(event.node, event.sequence).state)] : [],
  );
  return deepFreeze({ nodes, steps });
}

function stepOf(event: Extract<TraceEvent, { type: 'step' }>, state: RaftState): Step {
  const { atMs, node, input, effects } = event;
  const { role, currentTerm, votedFor, log, commitIndex } = state;
  return {
    atMs,
    node,
    heard: input.type === 'received' ? { from: input.from, message: input.message as RaftMessage } : null,
    isRestart: input.type === 'restarted' || (input.type === 'started' && atMs > 0),
    sent: effects.flatMap((effect: AnyEffect) =>
      effect.type === 'send' ? [{ to: effect.to, message: effect.message as RaftMessage }] : [],
    ),
    role,
    currentTerm,
    votedFor,
    log,
    commitIndex,
  };
}
