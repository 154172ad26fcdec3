/** What stands between the elections of one process and ZooKeeper. `state.ts` says what it is for. */

import { find, put } from '@hustings/elector/sessions';
import type { ZooKeeperReply, ZooKeeperRequest } from '../messages.js';
import { close, disconnect, onConnectAsked, onConnected, onExpired, seekForOthers } from './connection.js';
import { onProven, prove, wantProof } from './proofs.js';
import { askFor, onAnswer } from './requests.js';
import {
  deliver,
  emptyLocal,
  type SharedEffect,
  type SharedInput,
  type SharedState,
  type SharedTransition,
} from './state.js';

export function step(state: SharedState, input: SharedInput, nowMs: number): SharedTransition {
  switch (input.type) {
    case 'opened':
      return [{ ...state, locals: put(state.locals, input.election, emptyLocal) }, []];
    case 'closed':
      return close(state, input.election, nowMs);
    case 'asked':
      return onAsked(state, input.election, input.request, nowMs);
    case 'answered':
      return onAnswered(state, input.reply, nowMs);
    case 'timer-fired':
      return prove(state, nowMs);
    case 'link-down':
      return disconnect(state);
    case 'link-up':
      return state.connected ? [state, []] : seekForOthers({ ...state, seeking: null }, nowMs);
    case 'started':
    case 'ended':
      // The session ends with the transport.
      return [state, []];
  }
}

function onAsked(
  state: SharedState,
  election: string,
  request: ZooKeeperRequest,
  nowMs: number,
): SharedTransition {
  const local = find(state.locals, election);
  if (local === undefined) return [state, []];
  const { session } = request;
  if (session !== null && session !== state.session?.id) {
    return [state, [deliver(election, { type: 'expired', session })]];
  }
  switch (request.type) {
    case 'connect':
      return onConnectAsked(state, election, local, request, nowMs);
    case 'ping':
    case 'prove':
      return wantProof(state, election, { id: request.id, type: request.type, path: request.path }, nowMs);
    default:
      return askFor(state, election, request, nowMs);
  }
}

function onAnswered(state: SharedState, reply: ZooKeeperReply, nowMs: number): SharedTransition {
  switch (reply.type) {
    case 'connected':
      return onConnected(state, reply, nowMs);
    case 'disconnected':
      return reply.session === state.session?.id ? disconnect(state) : [state, []];
    case 'expired':
      return onExpired(state, reply.session, nowMs);
    case 'node-deleted':
    case 'children-changed':
      return [state, reply.session === state.session?.id ? passOn(state, reply) : []];
    case 'proven':
      return onProven(state, reply.id, nowMs);
    default:
      return onAnswer(state, reply, nowMs);
  }
}

/** A watch is on a znode in an election's queue, or on the queue itself. */
function passOn(
  state: SharedState,
  event: Extract<ZooKeeperReply, { type: 'node-deleted' | 'children-changed' }>,
): SharedEffect[] {
  const name = event.path.slice(state.settings.prefix.length + 1);
  return [name, name.slice(0, Math.max(0, name.lastIndexOf('/')))].flatMap((election) =>
    find(state.locals, election)?.joined ? [deliver(election, event)] : [],
  );
}
