// Votes that last for a time, from a majority: to be elected and to be renewed are one and the same question.
import { andThen, send, setTimer } from '@hustings/classroom';
import type { Guarantees, NodeId } from '@hustings/elector';
import type { Effect, Input, MachineTypes, Protocol, Transition } from '@hustings/elector/protocol';
import { maxDriftRate } from '../../exercises/15-your-own/types.js';

const leaseMs = 500;
const renewEveryMs = 100;
const patienceMs = [250, 500] as const;

interface Vote {
  readonly term: number;
  readonly votedFor: NodeId | null;
}

interface State extends Vote {
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly standing: boolean;
  readonly role: 'follower' | 'candidate' | 'leader';
  readonly leaderId: NodeId | null;
  /** Until then this node votes for nobody but `votedFor`, by its own clock; null when it is free. */
  readonly boundUntilMs: number | null;
  /** The question that it waits for answers to: when it was asked, and who said yes. */
  readonly askedMs: number;
  readonly votes: readonly NodeId[];
}

type Message =
  /** Vote for me in this term, or go on doing so. `leads` tells followers whom to follow. */
  | { readonly type: 'ask'; readonly term: number; readonly askedMs: number; readonly leads: boolean }
  | { readonly type: 'granted'; readonly term: number; readonly askedMs: number }
  | { readonly type: 'refused'; readonly term: number }
  /** I need your vote of this term no longer. */
  | { readonly type: 'release'; readonly term: number };

interface Majority extends MachineTypes {
  readonly state: State;
  readonly message: Message;
  readonly durable: Vote;
  readonly timer: 'patience' | 'renew';
  readonly request: never;
  readonly announcement: never;
}

type Step = Transition<Majority>;

const guarantees: Guarantees = {
  atMostOneLeader: true,
  monotonicTokens: true,
  toleratesPartition: true,
  orderedSuccession: false,
  targetedTransfer: false,
  leased: true,
  assumptions: [
    'clocks run at 0.99 to 1.01 times real time',
    'a majority of the nodes can talk to each other',
  ],
};

const waitAWhile: Effect<Majority> = setTimer('patience', patienceMs);
const save = ({ term, votedFor }: Vote): Effect<Majority> => ({ type: 'save', durable: { term, votedFor } });
const toAll = ({ peers }: State, message: Message): Effect<Majority>[] =>
  peers.map((peer) => send(peer, message));

const isBound = ({ boundUntilMs }: State, nowMs: number): boolean =>
  boundUntilMs !== null && nowMs < boundUntilMs;

function step(state: State, input: Input<Majority>, nowMs: number): Step {
  switch (input.type) {
    case 'started':
      return [state, [waitAWhile]];
    case 'restarted':
      // It may have voted a moment ago, and has forgotten when.
      return [{ ...state, ...input.durable, boundUntilMs: nowMs + leaseMs }, [waitAWhile]];
    case 'campaign-requested':
      return [{ ...state, standing: true }, []];
    case 'resign-requested':
      return leave(state, 'resigned');
    case 'lease-expired':
      return leave(state, 'lease-expired');
    case 'received':
      return onMessage(state, input.from, input.message, nowMs);
    case 'timer-fired':
      return input.timer === 'renew' ? onRenew(state, nowMs) : onImpatience(state, nowMs);
    default:
      return [state, []];
  }
}

function onMessage(state: State, from: NodeId, message: Message, nowMs: number): Step {
  switch (message.type) {
    case 'ask':
      return andThen(hear(state, from, message), (heard) => onAsk(heard, from, message, nowMs));
    case 'granted':
      return onGranted(state, from, message, nowMs);
    case 'refused':
      return message.term > state.term && state.role !== 'leader'
        ? takeOver(state, message.term)
        : [state, []];
    case 'release':
      return onRelease(state, from, message.term);
  }
}

type Ask = Extract<Message, { type: 'ask' }>;

/** Somebody who leads is followed, even by those who cannot vote for it. */
function hear(state: State, from: NodeId, { term, leads }: Ask): Step {
  if (!leads || state.role === 'leader') return [state, []];
  const follower: State = { ...state, role: 'follower', leaderId: from };
  return [follower, [{ type: 'follow', leaderId: from, token: BigInt(term) }, waitAWhile]];
}

function onAsk(state: State, from: NodeId, { term, askedMs }: Ask, nowMs: number): Step {
  const isAgain = term === state.term && state.votedFor === from;
  const isFree = term > state.term && !isBound(state, nowMs) && state.role !== 'leader';
  if (!isAgain && !isFree) return [state, [send(from, { type: 'refused', term: state.term })]];
  const voter: State = {
    ...state,
    term,
    votedFor: from,
    role: 'follower',
    boundUntilMs: nowMs + leaseMs,
  };
  const saved = isAgain ? [] : [save(voter)];
  return [voter, [...saved, waitAWhile, send(from, { type: 'granted', term, askedMs })]];
}

/** A later term is heard of, and nobody voted for in it yet. For how long this node is bound stays as it is. */
function takeOver(state: State, term: number): Step {
  const follower: State = { ...state, term, votedFor: null, role: 'follower' };
  return [follower, [save(follower)]];
}

/** A candidate that did not win sets its voters free, and waits for others before it tries again. */
function onImpatience(state: State, nowMs: number): Step {
  if (state.role === 'leader') return [state, []];
  const lost: State = { ...state, role: 'follower', leaderId: null };
  const effects: readonly Effect<Majority>[] = [{ type: 'follow', leaderId: null, token: null }, waitAWhile];
  if (state.role === 'candidate') {
    return [
      { ...lost, boundUntilMs: null },
      [...effects, ...toAll(lost, { type: 'release', term: lost.term })],
    ];
  }
  if (!state.standing || isBound(state, nowMs)) return [lost, effects];
  return andThen([lost, effects], (free) => stand(free, nowMs));
}

function stand(state: State, nowMs: number): Step {
  const candidate: State = {
    ...state,
    role: 'candidate',
    term: state.term + 1,
    votedFor: state.id,
  };
  return andThen([candidate, [save(candidate), { type: 'campaign' }]], (saved) => askAll(saved, nowMs));
}

/** Its own vote binds it, too. */
function askAll(state: State, nowMs: number): Step {
  const asking: State = { ...state, askedMs: nowMs, votes: [state.id], boundUntilMs: nowMs + leaseMs };
  const leads = state.role === 'leader';
  const question: Message = { type: 'ask', term: state.term, askedMs: nowMs, leads };
  return andThen([asking, toAll(asking, question)], (asked) => count(asked, nowMs));
}

function onRenew(state: State, nowMs: number): Step {
  if (state.role !== 'leader') return [state, []];
  return andThen([state, [setTimer('renew', renewEveryMs)]], (leader) => askAll(leader, nowMs));
}

function onGranted(
  state: State,
  from: NodeId,
  { term, askedMs }: Extract<Message, { type: 'granted' }>,
  nowMs: number,
): Step {
  const isOfNow = state.role !== 'follower' && term === state.term && askedMs === state.askedMs;
  if (!isOfNow || state.votes.includes(from)) return [state, []];
  return count({ ...state, votes: [...state.votes, from] }, nowMs);
}

/** Leads from when it asked, for as long as the fastest of its voters is bound, by the slowest clock. */
function count(state: State, nowMs: number): Step {
  const isMajority = 2 * state.votes.length > state.peers.length + 1;
  const guardedMs = (leaseMs * (1 - maxDriftRate)) / (1 + maxDriftRate);
  const validForMs = guardedMs - (nowMs - state.askedMs);
  if (!isMajority || validForMs <= 0) return [state, []];
  const led: Effect<Majority> = { type: 'lead', token: BigInt(state.term), validForMs };
  if (state.role === 'leader') return [state, [led]];
  const leader: State = { ...state, role: 'leader', leaderId: state.id };
  const { term, askedMs } = leader;
  const news: Message = { type: 'ask', term, askedMs, leads: true };
  return [leader, [led, setTimer('renew', renewEveryMs), ...toAll(leader, news)]];
}

function onRelease(state: State, from: NodeId, term: number): Step {
  const isFreed = state.votedFor === from && state.term === term && state.role === 'follower';
  const freed: State = isFreed ? { ...state, boundUntilMs: null } : state;
  if (state.leaderId !== from) return [freed, []];
  return [{ ...freed, leaderId: null }, [{ type: 'follow', leaderId: null, token: null }]];
}

function leave(state: State, reason: 'resigned' | 'lease-expired'): Step {
  const former: State = { ...state, standing: false, role: 'follower', leaderId: null, votes: [] };
  const stepsDown: Effect<Majority> = { type: 'step-down', reason };
  if (state.role === 'follower') return [{ ...state, standing: false }, [stepsDown]];
  return [
    { ...former, boundUntilMs: null },
    [stepsDown, waitAWhile, ...toAll(former, { type: 'release', term: state.term })],
  ];
}

const elector: Protocol<Majority> = {
  algorithm: 'majority-of-my-own',
  variant: 'default',
  guarantees,
  periodicMessages: new Set<Message['type']>(['ask', 'granted']),
  initialState: (id, peers) => ({
    id,
    peers,
    standing: false,
    role: 'follower',
    term: 0,
    votedFor: null,
    leaderId: null,
    boundUntilMs: null,
    askedMs: 0,
    votes: [],
  }),
  step,
  decodeMessage: (value) => value as Message,
  decodeDurable: (value) => value as Vote,
};

export default elector;
