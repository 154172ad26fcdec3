/** A store that gives a lease to one node at a time, and counts its time by a clock of its own. */

import type { NodeId } from '@hustings/elector';
import {
  type Input,
  type Machine,
  type MachineTypes,
  send,
  type Transition,
} from '@hustings/elector/protocol';
import type { Service } from '@hustings/simulator';
import type { StoreMessage } from '../../exercises/15-your-own/types.js';

interface StoreState {
  readonly holder: NodeId | null;
  readonly token: number;
  readonly untilMs: number;
}

interface StoreTypes extends MachineTypes {
  readonly state: StoreState;
  readonly message: StoreMessage;
  readonly durable: Omit<StoreState, 'untilMs'>;
  readonly timer: never;
  readonly request: never;
  readonly announcement: never;
}

/** Longer leases are not given: a store that comes back waits for as long, because its clock has begun anew. */
const longestMs = 2000;

const machine: Machine<StoreTypes> = {
  initialState: () => ({ holder: null, token: 0, untilMs: 0 }),
  step: (state, input, nowMs) => step(state, input, nowMs),
};

export const leaseStore = { id: 'store', machine } as unknown as Service;

function step(state: StoreState, input: Input<StoreTypes>, nowMs: number): Transition<StoreTypes> {
  if (input.type === 'restarted') return [{ ...state, ...input.durable, untilMs: nowMs + longestMs }, []];
  if (input.type !== 'received') return [state, []];
  return answer(state, input.from, input.message, nowMs);
}

function answer(
  state: StoreState,
  from: NodeId,
  message: StoreMessage,
  nowMs: number,
): Transition<StoreTypes> {
  const isHeld = nowMs < state.untilMs;
  const isIts = (token: number): boolean => isHeld && state.holder === from && state.token === token;
  switch (message.type) {
    case 'acquire':
      return isHeld && state.holder !== from
        ? refuse(state, from, message.askedMs)
        : grant(state, from, state.token + 1, message, nowMs);
    case 'renew':
      return isIts(message.token)
        ? grant(state, from, state.token, message, nowMs)
        : refuse(state, from, message.askedMs);
    case 'release':
      return isIts(message.token) ? release(state) : [state, []];
    case 'look':
      return [
        state,
        [send(from, { type: 'held', holder: isHeld ? state.holder : null, token: state.token })],
      ];
    default:
      return [state, []];
  }
}

function grant(
  state: StoreState,
  holder: NodeId,
  token: number,
  { ttlMs, askedMs }: { readonly ttlMs: number; readonly askedMs: number },
  nowMs: number,
): Transition<StoreTypes> {
  const givenMs = Math.min(ttlMs, longestMs);
  const granted: StoreState = {
    holder,
    token,
    untilMs: Math.max(nowMs + givenMs, holder === state.holder ? state.untilMs : 0),
  };
  return [
    granted,
    [
      { type: 'save', durable: { holder, token } },
      send(holder, { type: 'granted', token, ttlMs: givenMs, askedMs }),
    ],
  ];
}

const refuse = (state: StoreState, to: NodeId, askedMs: number): Transition<StoreTypes> => [
  state,
  [send(to, { type: 'refused', holder: state.holder, token: state.token, askedMs })],
];

const release = ({ token }: StoreState): Transition<StoreTypes> => [
  { holder: null, token, untilMs: 0 },
  [{ type: 'save', durable: { holder: null, token } }],
];
