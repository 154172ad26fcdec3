/** One session and one connection: how elections join it, and how it moves and ends. */

import { andThen } from '@hustings/elector/protocol';
import { entriesOf, find, mapTable, put, remove } from '@hustings/elector/sessions';
import type { SessionId, ZooKeeperReply, ZooKeeperRequest } from '../messages.js';
import { changeSession, pingPatienceMs, type Session, type SignOfLife } from '../state.js';
import { forget } from './requests.js';
import {
  deliver,
  emptyLocal,
  type Local,
  type SharedEffect,
  type SharedState,
  type SharedTransition,
  toServer,
} from './state.js';
import { beginSweep, sweepAgain } from './sweeps.js';

/** One that asks although it was told of the connection has lost patience with it: others may be content. */
export function onConnectAsked(
  state: SharedState,
  election: string,
  local: Local,
  { id, session }: Extract<ZooKeeperRequest, { type: 'connect' }>,
  nowMs: number,
): SharedTransition {
  const seeking = { id, session, askedMs: nowMs };
  const seeker = replace(state, election, local, { ...emptyLocal, created: local.created, seeking });
  if (state.sweeps.includes(election)) return [seeker, []];
  if (!state.connected) return seek(seeker, nowMs);
  if (session === null || !isDead(state, nowMs)) return welcome(seeker, election, nowMs);
  return andThen(disconnect(seeker), (alone) => seek(alone, nowMs));
}

/** What an election waited for is forgotten. */
function replace(state: SharedState, election: string, local: Local, after: Local | null): SharedState {
  const { locals } = state;
  return {
    ...forget(state, election),
    locals: after === null ? remove(locals, election) : put(locals, election, after),
    joined: state.joined - (local.joined ? 1 : 0),
    waiting: state.waiting - (local.waits ? 1 : 0),
  };
}

/** Something was sent long ago, and no answer came. */
function isDead({ sent, proofs, session, settings }: SharedState, nowMs: number): boolean {
  const isOlder = (ms: number) => (each: { readonly sentMs: number }) => nowMs - each.sentMs >= ms;
  return (
    sent.some(isOlder(settings.requestTimeoutMs / 2)) ||
    proofs.some(isOlder(pingPatienceMs(session?.timeoutMs ?? 0) / 2))
  );
}

/** Asks for the connection that elections wait for. Once more, if no answer came. */
export function seek(state: SharedState, nowMs: number): SharedTransition {
  const { seeking, settings, session, nextId: id } = state;
  const { sessionTimeoutMs, requestTimeoutMs } = settings;
  if (seeking !== null && nowMs - seeking.sentMs < requestTimeoutMs) return [state, []];
  return [
    { ...state, seeking: { id, sinceMs: seeking?.sinceMs ?? nowMs, sentMs: nowMs }, nextId: id + 1 },
    [toServer({ type: 'connect', id, session: session?.id ?? null, sessionTimeoutMs })],
  ];
}

/**
 * Tells an election of the connection. In a session that is new to it, it counts from what it is told; it was there
 * before, and counts from what is proven. In one that it knows, it needs to know since when this connection was sought.
 */
export function welcome(state: SharedState, election: string, nowMs: number): SharedTransition {
  const { session, locals } = state;
  const local = find(locals, election);
  if (!state.connected) return seek(state, nowMs);
  if (session === null || local === undefined || local.seeking === null) return [state, []];
  const { id, askedMs, session: known } = local.seeking;
  const knownMs = known === session.id ? state.greetedMs : session.provenMs;
  return [
    {
      ...state,
      locals: put(locals, election, { ...local, joined: true, seeking: null }),
      joined: state.joined + 1,
    },
    [
      deliver(election, {
        type: 'connected',
        id,
        session: session.id,
        sessionTimeoutMs: session.timeoutMs,
        agoMs: Math.max(0, askedMs - knownMs),
      }),
    ],
  ];
}

export function onConnected(
  state: SharedState,
  { id, session, sessionTimeoutMs: timeoutMs }: Extract<ZooKeeperReply, { type: 'connected' }>,
  nowMs: number,
): SharedTransition {
  const { seeking } = state;
  if (seeking?.id !== id) return [state, []];
  const { sinceMs } = seeking;
  const answered: readonly SignOfLife[] = [{ sentMs: sinceMs, relayedMs: nowMs }];
  const isResumed = state.session?.id === session;
  const opened: Session = { id: session, timeoutMs, provenMs: sinceMs, answered, attempt: 1, unsure: false };
  const connected: SharedState = {
    ...state,
    session: isResumed ? changeSession(state.session, { timeoutMs, answered }) : opened,
    connected: true,
    greetedMs: sinceMs,
    seeking: null,
    sweeps: isResumed ? state.sweeps : [],
  };
  const seekers = entriesOf(state.locals).flatMap(([election, local]) =>
    local.seeking === null || connected.sweeps.includes(election) ? [] : [election],
  );
  return andThen(
    [connected, []],
    ...seekers.map(
      (election) =>
        (after: SharedState): SharedTransition =>
          welcome(after, election, nowMs),
    ),
    (after) => sweepAgain(after, nowMs),
  );
}

/** The connection carries nothing any more. The session may live on. */
export function disconnect(state: SharedState): SharedTransition {
  if (!state.connected || state.session === null) return [state, []];
  const { id: session } = state.session;
  const told: SharedEffect[] = [];
  const locals = mapTable(state.locals, (election, local) => {
    if (!local.joined) return local;
    told.push(deliver(election, { type: 'disconnected', session }));
    return { ...emptyLocal, created: local.created };
  });
  return [{ ...state, ...nothingAsked, locals, connected: false }, told];
}

const nothingAsked = { joined: 0, waiting: 0, queue: [], sent: [], proofs: [] } as const;

/** Every znode that any of them had created is gone. */
export function onExpired(state: SharedState, session: SessionId, nowMs: number): SharedTransition {
  if (state.session?.id !== session) return [state, []];
  const told: SharedEffect[] = [];
  const locals = mapTable(state.locals, (election, local) => {
    const isInIt = local.joined || local.seeking?.session === session;
    if (isInIt) told.push(deliver(election, { type: 'expired', session }));
    return { ...emptyLocal, seeking: isInIt ? null : local.seeking };
  });
  const ended: SharedState = {
    ...{ ...state, ...nothingAsked, locals },
    ...{ session: null, connected: false, seeking: null, sweeps: [] },
  };
  return andThen([ended, told], (after) => seekForOthers(after, nowMs));
}

export function seekForOthers(state: SharedState, nowMs: number): SharedTransition {
  const isSought = entriesOf(state.locals).some(([, { seeking }]) => seeking !== null);
  return isSought ? seek(state, nowMs) : [state, []];
}

export function close(state: SharedState, election: string, nowMs: number): SharedTransition {
  const local = find(state.locals, election);
  if (local === undefined) return [state, []];
  const closed = replace(state, election, local, null);
  const mayBeThere = local.created !== null && local.created === state.session?.id;
  return mayBeThere ? beginSweep(closed, election, nowMs) : [closed, []];
}
