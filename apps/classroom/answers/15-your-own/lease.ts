// A lease from the store: whoever has it leads, until a moment before the store may give it to another.
import { send, setTimer } from '@hustings/classroom';
import type { Guarantees, NodeId } from '@hustings/elector';
import type { Effect, Input, MachineTypes, Protocol, Transition } from '@hustings/elector/protocol';
import { maxDriftRate, type StoreMessage } from '../../exercises/15-your-own/types.js';

const ttlMs = 500;
const renewEveryMs = 120;
const askEveryMs = [120, 240] as const;

interface State {
  readonly id: NodeId;
  /** Whether the application wants to lead. */
  readonly standing: boolean;
  /** The token that this node leads with. */
  readonly token: number | null;
  /** Leases up to this one were given up, or never used. */
  readonly lastToken: number;
}

interface Lease extends MachineTypes {
  readonly state: State;
  readonly message: StoreMessage;
  readonly durable: never;
  readonly timer: 'ask' | 'renew';
  readonly request: never;
  readonly announcement: never;
}

const guarantees: Guarantees = {
  atMostOneLeader: true,
  monotonicTokens: true,
  toleratesPartition: true,
  orderedSuccession: false,
  targetedTransfer: false,
  leased: true,
  assumptions: ['clocks run at 0.99 to 1.01 times real time', 'the store keeps what it has granted'],
};

function step(state: State, input: Input<Lease>, nowMs: number): Transition<Lease> {
  switch (input.type) {
    case 'started':
    case 'restarted':
      return ask(state, nowMs);
    case 'campaign-requested':
      return ask({ ...state, standing: true }, nowMs);
    case 'resign-requested':
      return leave(state, 'resigned');
    case 'lease-expired':
      return leave(state, 'lease-expired');
    case 'received':
      return onAnswer(state, input.message, nowMs);
    case 'timer-fired':
      return input.timer === 'renew' ? renew(state, nowMs) : ask(state, nowMs);
    default:
      return [state, []];
  }
}

/** Whoever does not stand only looks. */
function ask(state: State, nowMs: number): Transition<Lease> {
  if (state.token !== null) return [state, []];
  const question: StoreMessage = state.standing
    ? { type: 'acquire', ttlMs, askedMs: nowMs }
    : { type: 'look' };
  return [state, [send('store', question), setTimer('ask', askEveryMs)]];
}

function renew(state: State, nowMs: number): Transition<Lease> {
  if (state.token === null) return [state, []];
  const renewal = { type: 'renew', token: state.token, ttlMs, askedMs: nowMs } as const;
  return [state, [send('store', renewal), setTimer('renew', renewEveryMs)]];
}

function onAnswer(state: State, message: StoreMessage, nowMs: number): Transition<Lease> {
  switch (message.type) {
    case 'granted':
      return onGranted(state, message, nowMs);
    case 'refused':
      // An answer to a question from before it led says nothing about its lease.
      if (state.token !== null) return message.token > state.token ? leave(state, 'deposed') : [state, []];
      return [state, follow(state, message.holder, message.token)];
    case 'held':
      return [state, state.token === null ? follow(state, message.holder, message.token) : []];
    default:
      return [state, []];
  }
}

type Granted = Extract<StoreMessage, { type: 'granted' }>;

function onGranted(state: State, message: Granted, nowMs: number): Transition<Lease> {
  const { token } = message;
  const isNew = token > state.lastToken;
  if (isNew && !state.standing) {
    return [{ ...state, lastToken: token }, [send('store', { type: 'release', token })]];
  }
  // A question that came twice was granted twice: the lease that it led with is no longer its own.
  if (isNew && state.token !== null) return leave(state, 'deposed');
  // An answer that came twice: that lease has been given back.
  if (!isNew && token !== state.token) return [state, []];
  const validForMs = timeLeftOf(message, nowMs);
  if (validForMs <= 0) return [state, []];
  const led: Effect<Lease> = { type: 'lead', token: BigInt(token), validForMs };
  const begins = state.token === null ? [setTimer('renew', renewEveryMs)] : [];
  return [{ ...state, token, lastToken: token }, [led, ...begins]];
}

/** The store's clock may run fast, and ours slow; and it began to count before we heard of it. */
function timeLeftOf({ ttlMs: givenMs, askedMs }: Granted, nowMs: number): number {
  return (givenMs * (1 - maxDriftRate)) / (1 + maxDriftRate) - (nowMs - askedMs);
}

function follow({ id }: State, holder: NodeId | null, token: number): Effect<Lease>[] {
  const leaderId = holder === id ? null : holder;
  return [{ type: 'follow', leaderId, token: leaderId === null ? null : BigInt(token) }];
}

/** One place ends it, whatever the reason: the application will ask again if it wants to lead again. */
function leave(state: State, reason: 'resigned' | 'deposed' | 'lease-expired'): Transition<Lease> {
  const { token } = state;
  return [
    { ...state, standing: false, token: null },
    [
      { type: 'step-down', reason },
      ...(token === null ? [] : [send<StoreMessage>('store', { type: 'release', token })]),
      setTimer('ask', askEveryMs),
    ],
  ];
}

export const services = ['store'];

const elector: Protocol<Lease> = {
  algorithm: 'lease-of-my-own',
  variant: 'default',
  guarantees,
  periodicMessages: new Set<StoreMessage['type']>(['renew', 'look', 'held']),
  initialState: (id) => ({ id, standing: false, token: null, lastToken: 0 }),
  step,
  decodeMessage: (value) => value as StoreMessage,
  decodeDurable: (value) => value as never,
};

export default elector;
