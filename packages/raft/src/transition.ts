/** The words in which the rules are written: transitions, and the effects they are made of. */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs, Effect, Input, Transition } from '@hustings/elector/protocol';
import { type Log, membershipAt } from './log.js';
import type { RaftAnnouncement, RaftDurable, RaftMessage, RaftRequest, RaftTimer } from './messages.js';
import { priorityOf, type RaftState } from './state.js';

export interface RaftTypes {
  readonly state: RaftState;
  readonly message: RaftMessage;
  readonly durable: RaftDurable;
  readonly timer: RaftTimer;
  readonly request: RaftRequest;
  readonly announcement: RaftAnnouncement;
}

export type RaftInput = Input<RaftTypes>;
export type RaftEffect = Effect<RaftTypes>;
export type RaftTransition = Transition<RaftTypes>;

export function andThen(
  [state, effects]: RaftTransition,
  rule: (state: RaftState) => RaftTransition,
): RaftTransition {
  const [next, more] = rule(state);
  return [next, effects.length === 0 ? more : more.length === 0 ? effects : [...effects, ...more]];
}

/** The only way to change the log: what is derived from it changes along. */
export function withLog(state: RaftState, log: Log): RaftState {
  if (log === state.log) return state;
  const { membership, index } = membershipAt(log);
  return { ...state, log, membership, membershipIndex: index };
}

export function send(to: NodeId, message: RaftMessage): RaftEffect {
  return { type: 'send', to, message };
}

export function announce(announcement: RaftAnnouncement): RaftEffect {
  return { type: 'announce', announcement };
}

export function setTimer(timer: RaftTimer, delayMs: DelayRangeMs): RaftEffect {
  return { type: 'set-timer', timer, delayMs };
}

export function cancel(timer: RaftTimer): RaftEffect {
  return { type: 'cancel-timer', timer };
}

/** A node of low priority is patient, so that others are elected before it. No priority shortens the timeout. */
export function electionTimer(state: RaftState): RaftEffect {
  const { settings } = state;
  const [minMs, maxMs] = settings.electionTimeoutMs;
  const extraMs = patienceOf(state) * (maxMs - minMs);
  return setTimer(
    'election',
    extraMs === 0 ? settings.electionTimeoutMs : [minMs + extraMs, maxMs + extraMs],
  );
}

/** From 0 to 1: how much of the range of timeouts a node waits for those of higher priority. */
export function patienceOf({ settings, id }: RaftState): number {
  return 1 - priorityOf(settings, id);
}

export function quorumTimer({ settings }: RaftState): RaftEffect {
  const [periodMs] = settings.electionTimeoutMs;
  return setTimer('quorum', [periodMs, periodMs]);
}

export const followNobody: RaftEffect = { type: 'follow', leaderId: null, token: null };
