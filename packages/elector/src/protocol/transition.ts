/** The words in which rules are written: what a step leads to, one effect after the other. */

import type { NodeId } from '../elector.js';
import type { DelayRangeMs, ProtocolMessage } from './protocol.js';

type Rule<State, Effect> = (state: State) => readonly [state: State, effects: readonly Effect[]];

/** Each rule goes on from the state that the one before it has left. */
export function andThen<State, Effect>(
  first: readonly [state: State, effects: readonly Effect[]],
  ...rules: readonly Rule<State, Effect>[]
): readonly [state: State, effects: readonly Effect[]] {
  let [state, effects] = first;
  for (const rule of rules) {
    const [after, more] = rule(state);
    state = after;
    if (more.length > 0) effects = effects.length === 0 ? more : [...effects, ...more];
  }
  return [state, effects];
}

export const send = <const Message extends ProtocolMessage>(to: NodeId, message: Message) =>
  ({ type: 'send', to, message }) as const;

/** After exactly `delayMs`, or after a time that the driver draws from a range. */
export const setTimer = <Timer extends string>(timer: Timer, delayMs: number | DelayRangeMs) =>
  ({ type: 'set-timer', timer, delayMs: typeof delayMs === 'number' ? exactly(delayMs) : delayMs }) as const;

const exactly = (delayMs: number): DelayRangeMs => [delayMs, delayMs];

export const cancelTimer = <Timer extends string>(timer: Timer) => ({ type: 'cancel-timer', timer }) as const;

export const announce = <const Announcement>(announcement: Announcement) =>
  ({ type: 'announce', announcement }) as const;

export const followNobody = { type: 'follow', leaderId: null, token: null } as const;
