/** The words in which the rules are written: transitions, and the effects they are made of. */

import { type Effect, type Input, setTimer, type Transition } from '@hustings/elector/protocol';
import { type Log, membershipAt } from './log.js';
import type { RaftAnnouncement, RaftDurable, RaftMessage, RaftRequest, RaftTimer } from './messages.js';
import { change, priorityOf, type RaftState } from './state.js';

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

/** The only way to change the log: what is derived from it changes along. */
export function withLog(state: RaftState, log: Log): RaftState {
  if (log === state.log) return state;
  const { membership, index } = membershipAt(log);
  return change(state, { log, membership, membershipIndex: index });
}

/** A node of low priority is patient, so that others are elected before it. No priority shortens the timeout. */
export function electionTimer({ settings, id }: RaftState): RaftEffect {
  const [minMs, maxMs] = settings.electionTimeoutMs;
  const extraMs = (1 - priorityOf(settings, id)) * (maxMs - minMs);
  return setTimer(
    'election',
    extraMs === 0 ? settings.electionTimeoutMs : [minMs + extraMs, maxMs + extraMs],
  );
}

export function quorumTimer({ settings }: RaftState): RaftEffect {
  const [periodMs] = settings.electionTimeoutMs;
  return setTimer('quorum', periodMs);
}
