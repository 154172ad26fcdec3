/** The words in which the rules are written: transitions, the effects they are made of, and what is told. */

import type { NodeId } from '@hustings/elector';
import type { Effect, Input, Transition } from '@hustings/elector/protocol';
import type {
  ZooKeeperAnnouncement,
  ZooKeeperDurable,
  ZooKeeperElectionRequest,
  ZooKeeperMessage,
  ZooKeeperRequest,
  ZooKeeperTimer,
} from './messages.js';
import type { ZooKeeperState } from './state.js';

export interface ZooKeeperTypes {
  readonly state: ZooKeeperState;
  readonly message: ZooKeeperMessage;
  readonly durable: ZooKeeperDurable;
  readonly timer: ZooKeeperTimer;
  readonly request: ZooKeeperElectionRequest;
  readonly announcement: ZooKeeperAnnouncement;
}

export type ZooKeeperInput = Input<ZooKeeperTypes>;
export type ZooKeeperEffect = Effect<ZooKeeperTypes>;
export type ZooKeeperTransition = Transition<ZooKeeperTypes>;

export function andThen(
  first: ZooKeeperTransition,
  ...rules: readonly ((state: ZooKeeperState) => ZooKeeperTransition)[]
): ZooKeeperTransition {
  let [state, effects] = first;
  for (const rule of rules) {
    const [after, more] = rule(state);
    state = after;
    if (more.length > 0) effects = effects.length === 0 ? more : [...effects, ...more];
  }
  return [state, effects];
}

/** There is nothing to do until something happens. */
export const settle = (state: ZooKeeperState): ZooKeeperTransition => [
  { ...state, awaited: null },
  [cancel('request')],
];

export const isCoordinator = ({ settings }: ZooKeeperState, node: NodeId): boolean =>
  node === settings.coordinator;

export const send = ({ settings }: ZooKeeperState, message: ZooKeeperRequest): ZooKeeperEffect => ({
  type: 'send',
  to: settings.coordinator,
  message,
});
export const setTimer = (timer: ZooKeeperTimer, delayMs: number): ZooKeeperEffect => ({
  type: 'set-timer',
  timer,
  delayMs: [delayMs, delayMs],
});
export const cancel = (timer: ZooKeeperTimer): ZooKeeperEffect => ({ type: 'cancel-timer', timer });
