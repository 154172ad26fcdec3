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
import type { LeaseMessage } from '../../exercises/07-lease-with-a-guard/types.js';

interface StoreState {
  readonly holder: NodeId | null;
  readonly token: number;
  readonly untilMs: number;
}

interface StoreTypes extends MachineTypes {
  readonly state: StoreState;
  readonly message: LeaseMessage;
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
  const { from, message } = input;
  if (message.type === 'acquire') {
    const isFree = nowMs >= state.untilMs || state.holder === from;
    return isFree
      ? grant(state, from, state.token + 1, message, nowMs)
      : refuse(state, from, message.askedMs);
  }
  if (message.type !== 'renew') return [state, []];
  const isIts = state.holder === from && state.token === message.token && nowMs < state.untilMs;
  return isIts ? grant(state, from, state.token, message, nowMs) : refuse(state, from, message.askedMs);
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
  [send(to, { type: 'refused', holder: state.holder, askedMs })],
];
