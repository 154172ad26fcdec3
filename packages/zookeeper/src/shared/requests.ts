/** What elections ask within the session: a few at a time, each answered to whoever asked. */

import { andThen } from '@hustings/elector/protocol';
import { find, put } from '@hustings/elector/sessions';
import type { ZooKeeperReply } from '../messages.js';
import { learnOf } from './proofs.js';
import {
  deliver,
  type Sent,
  type SharedState,
  type SharedTransition,
  toServer,
  type Waiting,
} from './state.js';
import { onSwept } from './sweeps.js';

/** An election waits for one answer at a time: what it asked for before is no longer wanted. */
export function askFor(
  state: SharedState,
  election: string,
  request: Waiting['request'],
  nowMs: number,
): SharedTransition {
  const local = find(state.locals, election);
  if (local === undefined) return [state, []];
  if (!local.joined) {
    const { id } = request;
    const detail = 'not connected';
    return [state, [deliver(election, { type: 'failed', id, reason: 'connection-loss', detail })]];
  }
  const { session: created } = request;
  const noted =
    request.type === 'create'
      ? { ...state, locals: put(state.locals, election, { ...local, created }) }
      : state;
  return enqueue(forget(noted, election), { election, asker: 'election', request }, nowMs);
}

export const enqueue = (state: SharedState, waiting: Waiting, nowMs: number): SharedTransition =>
  sendMore({ ...state, queue: [...state.queue, waiting] }, nowMs);

/** What was sent may be carried out yet, but its answer is nobody's. */
export function forget(state: SharedState, election: string): SharedState {
  const isOwn = (each: Waiting | Sent): boolean => each.election === election && each.asker === 'election';
  return {
    ...state,
    queue: state.queue.some(isOwn) ? state.queue.filter((each) => !isOwn(each)) : state.queue,
    sent: state.sent.some(isOwn)
      ? state.sent.map((each) => (isOwn(each) ? { ...each, asker: 'nobody' } : each))
      : state.sent,
  };
}

function sendMore(state: SharedState, nowMs: number): SharedTransition {
  const { session, queue, nextId, settings } = state;
  const isAwaited = ({ asker }: Sent): boolean => asker === 'election' || asker === 'sweep';
  const room = settings.requestsAtOnce - state.sent.filter(isAwaited).length;
  if (!state.connected || session === null || room <= 0 || queue.length === 0) return [state, []];
  const sent = queue
    .slice(0, room)
    .map((waiting, index): Sent => ({ ...waiting, id: nextId + index, sentMs: nowMs }));
  return [
    { ...state, queue: queue.slice(room), sent: [...state.sent, ...sent], nextId: nextId + sent.length },
    sent.map(({ request, id }) => toServer({ ...request, id, session: session.id })),
  ];
}

type Answer = Extract<ZooKeeperReply, { readonly id: number }>;

export function onAnswer(state: SharedState, reply: Answer, nowMs: number): SharedTransition {
  const answered = state.sent.find(({ id }) => id === reply.id);
  if (answered === undefined) return [state, []];
  const { session } = state;
  const isProof = reply.type === 'confirmed' && session !== null;
  const after: SharedState = {
    ...state,
    session: isProof ? learnOf(session, answered.sentMs, nowMs) : session,
    sent: state.sent.filter((each) => each !== answered && !isOvertaken(each, answered)),
  };
  return andThen(passOn(after, answered, reply, nowMs), (told) => sendMore(told, nowMs));
}

const isRead = ({ request: { type } }: Sent): boolean =>
  type === 'children' || type === 'get' || type === 'ping';

/** Answers come in order, so what was asked before and nobody waits for is lost. A write may wait for its leader. */
const isOvertaken = (each: Sent, answered: Sent): boolean =>
  (each.asker === 'nobody' || each.asker === 'audit') &&
  each.id < answered.id &&
  (isRead(each) || !isRead(answered));

function passOn(
  state: SharedState,
  { asker, election, request }: Sent,
  reply: Answer,
  nowMs: number,
): SharedTransition {
  switch (asker) {
    case 'election':
      return [state, [deliver(election, { ...reply, id: request.id })]];
    case 'sweep':
      return onSwept(state, election, request, reply, nowMs);
    case 'audit': {
      const { path, session } = request;
      const isMissing = reply.type === 'pong' && !reply.exists;
      return [state, isMissing ? [deliver(election, { type: 'node-deleted', session, path })] : []];
    }
    default:
      return [state, []];
  }
}
