/** The words in which the rules are written. */

import type { DelayRangeMs, Effect, Input, Transition } from '@hustings/elector/protocol';
import type {
  EtcdAnnouncement,
  EtcdDurable,
  EtcdElectionRequest,
  EtcdMessage,
  EtcdRequest,
  EtcdTimer,
} from './messages.js';
import type { EtcdState } from './state.js';

export interface EtcdTypes {
  readonly state: EtcdState;
  readonly message: EtcdMessage;
  readonly durable: EtcdDurable;
  readonly timer: EtcdTimer;
  readonly request: EtcdElectionRequest;
  readonly announcement: EtcdAnnouncement;
}

export type EtcdInput = Input<EtcdTypes>;
export type EtcdEffect = Effect<EtcdTypes>;
export type EtcdTransition = Transition<EtcdTypes>;

/** Each rule goes on from the state that the one before it has left. */
export function andThen(
  first: EtcdTransition,
  ...rules: readonly ((state: EtcdState) => EtcdTransition)[]
): EtcdTransition {
  let [state, effects] = first;
  for (const rule of rules) {
    const [after, more] = rule(state);
    state = after;
    if (more.length > 0) effects = [...effects, ...more];
  }
  return [state, effects];
}

export const send = ({ settings }: EtcdState, message: EtcdRequest): EtcdEffect => ({
  type: 'send',
  to: settings.coordinator,
  message,
});

export const announce = (announcement: EtcdAnnouncement): EtcdEffect => ({ type: 'announce', announcement });

export const setTimer = (timer: EtcdTimer, delayMs: number): EtcdEffect => {
  const delay: DelayRangeMs = [delayMs, delayMs];
  return { type: 'set-timer', timer, delayMs: delay };
};

export const cancel = (timer: EtcdTimer): EtcdEffect => ({ type: 'cancel-timer', timer });
