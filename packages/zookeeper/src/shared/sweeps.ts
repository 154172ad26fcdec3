/** An election that closes leaves nothing behind: what the session has created in its queue is deleted. */

import { andThen } from '@hustings/elector/protocol';
import { find } from '@hustings/elector/sessions';
import type { ZooKeeperReply } from '../messages.js';
import { namesOf } from '../znodes.js';
import { welcome } from './connection.js';
import { enqueue } from './requests.js';
import { type Asked, pathOf, type SharedState, type SharedTransition } from './state.js';

export function beginSweep(state: SharedState, election: string, nowMs: number): SharedTransition {
  const sweeps = state.sweeps.includes(election) ? state.sweeps : [...state.sweeps, election];
  return look({ ...state, sweeps }, election, nowMs);
}

/** On another connection, what was asked has no answer. */
export const sweepAgain = (state: SharedState, nowMs: number): SharedTransition =>
  andThen(
    [state, []],
    ...state.sweeps.map(
      (election) =>
        (after: SharedState): SharedTransition =>
          look(after, election, nowMs),
    ),
  );

function look(state: SharedState, election: string, nowMs: number): SharedTransition {
  if (state.session === null) return [state, []];
  const { id: session } = state.session;
  const path = pathOf(state, election);
  const request: Asked = { type: 'children', id: 0, session, path, watch: false };
  return enqueue(state, { election, asker: 'sweep', request }, nowMs);
}

export function onSwept(
  state: SharedState,
  election: string,
  request: Asked,
  reply: ZooKeeperReply,
  nowMs: number,
): SharedTransition {
  if (reply.type === 'listed') return removeFirst(state, election, reply.names, nowMs);
  if (reply.type === 'failed' && reply.reason === 'connection-loss') return [state, []];
  const isGone = reply.type === 'done' || (reply.type === 'failed' && reply.reason === 'no-node');
  return request.type === 'delete' && isGone
    ? look(state, election, nowMs)
    : endSweep(state, election, nowMs);
}

function removeFirst(
  state: SharedState,
  election: string,
  names: readonly string[],
  nowMs: number,
): SharedTransition {
  const session = state.session?.id ?? '';
  const [name] = namesOf(session, names);
  if (name === undefined) return endSweep(state, election, nowMs);
  const request: Asked = { type: 'delete', id: 0, session, path: `${pathOf(state, election)}/${name}` };
  return enqueue(state, { election, asker: 'sweep', request }, nowMs);
}

/** Whoever has opened the election again may begin. */
function endSweep(state: SharedState, election: string, nowMs: number): SharedTransition {
  const swept = { ...state, sweeps: state.sweeps.filter((each) => each !== election) };
  const isAwaited = find(state.locals, election)?.seeking != null;
  return isAwaited ? welcome(swept, election, nowMs) : [swept, []];
}
