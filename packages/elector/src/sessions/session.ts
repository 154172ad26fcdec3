/** What stands between the elections of a process and their coordinator hears, and does. */

import type { DelayRangeMs } from '../protocol/protocol.js';

export type SessionInput<Request, Reply, Timer extends string> =
  | { readonly type: 'started' }
  | { readonly type: 'opened' | 'closed'; readonly election: string }
  /** An election asks something of the coordinator. */
  | { readonly type: 'asked'; readonly election: string; readonly request: Request }
  /** The coordinator says something. */
  | { readonly type: 'answered'; readonly reply: Reply }
  | { readonly type: 'timer-fired'; readonly timer: Timer }
  | { readonly type: 'link-up' | 'link-down' }
  /** All elections are closed: what is held is to be given back. */
  | { readonly type: 'ended' };

export type SessionEffect<Request, Reply, Timer extends string> =
  /** To the coordinator. */
  | { readonly type: 'send'; readonly request: Request }
  | { readonly type: 'deliver'; readonly election: string; readonly reply: Reply }
  | { readonly type: 'set-timer'; readonly timer: Timer; readonly delayMs: DelayRangeMs };

export type SessionStep<State, Request, Reply, Timer extends string> = (
  state: State,
  input: SessionInput<Request, Reply, Timer>,
  nowMs: number,
) => readonly [state: State, effects: readonly SessionEffect<Request, Reply, Timer>[]];
