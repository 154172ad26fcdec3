/** Sessions: they are opened at a member, kept alive through it, and ended by the leader. */

import type { NodeId } from '@hustings/elector';
import { andThen, send } from '@hustings/elector/protocol';
import type { SessionId, ZooKeeperReply, ZooKeeperRequest } from '../messages.js';
import { catchUp, commit } from './requests.js';
import {
  bumped,
  change,
  changeSession,
  leaderOf,
  nextTickMs,
  type ServerSession,
  type ServerTransition,
  type State,
  save,
} from './state.js';
import { without } from './tree.js';

export function onConnect(
  state: State,
  client: NodeId,
  { id: lastId, session, sessionTimeoutMs }: Extract<ZooKeeperRequest, { type: 'connect' }>,
  nowMs: number,
): ServerTransition {
  if (session === null) return open(state, client, lastId, sessionTimeoutMs, nowMs);
  const index = indexOf(state, session);
  const known = state.sessions[index];
  if (known === undefined) return [state, [send(client, { type: 'expired', session })]];
  if (known.client !== client || lastId <= known.lastId) return [state, []];
  // This message stands for the whole greeting, so nothing is counted from it before the client has shown, by its
  // next request, that it has heard the answer: one that hears nothing cannot connect to a real server at all.
  const moved = changeSession(known, {
    lastId,
    member: nextMember(state),
    isUnreported: false,
    greetedMs: nowMs,
  });
  return welcome(
    change(withSession(state, index, moved), {
      watches: state.watches.filter((each) => each.session !== session),
    }),
    moved,
  );
}

function open(
  state: State,
  client: NodeId,
  lastId: number,
  sessionTimeoutMs: number,
  nowMs: number,
): ServerTransition {
  const { tickMs } = state.settings;
  const timeoutMs = Math.min(Math.max(sessionTimeoutMs, 2 * tickMs), 20 * tickMs);
  const session: ServerSession = {
    id: `10${state.nextSession.toString(16).padStart(14, '0')}`,
    client,
    timeoutMs,
    expiresMs: nextTickMs(state, nowMs + timeoutMs),
    lastId,
    member: nextMember(state),
    isUnreported: false,
    greetedMs: null,
  };
  const sessions = [...state.sessions, session];
  return welcome(bumped(change(state, { nextSession: state.nextSession + 1, sessions })), session);
}

function welcome(state: State, { id, client, timeoutMs, lastId, member }: ServerSession): ServerTransition {
  const answer: ZooKeeperReply = {
    type: 'connected',
    id: lastId,
    session: id,
    sessionTimeoutMs: timeoutMs,
  };
  const greeted = change(state, { connections: (state.connections + 1) % state.settings.members });
  return andThen(
    [greeted, [save(greeted), send(client, answer)]],
    // A client is not served by a member that knows less than it has seen already.
    (current) => (member === null ? [current, []] : catchUp(current, member)),
  );
}

/** Connections go to the members in turn, but not to one that has lost touch. */
function nextMember({ settings: { members }, cut, connections }: State): number {
  const member = connections % members;
  return member === cut ? (member + 1) % members : member;
}

/** The leader counts from when it hears of it; another member asked it when the session came, and has yet to tell it more. */
export function hear(state: State, index: number, lastId: number, nowMs: number): State {
  const session = state.sessions[index]!;
  const isAtLeader = session.member === leaderOf(state);
  const sinceMs = isAtLeader ? nowMs : session.greetedMs;
  const heard = changeSession(session, {
    lastId,
    isUnreported: session.isUnreported || !isAtLeader,
    expiresMs: sinceMs === null ? session.expiresMs : expiryMs(state, session, sinceMs),
    greetedMs: null,
  });
  return withSession(state, index, heard);
}

export function relay(state: State, nowMs: number): State {
  const isTold = ({ isUnreported, member }: ServerSession): boolean => isUnreported && member !== state.cut;
  if (!state.sessions.some(isTold)) return state;
  const sessions = state.sessions.map((each) =>
    isTold(each) ? changeSession(renewed(state, each, nowMs), { isUnreported: false }) : each,
  );
  return change(state, { sessions });
}

const expiryMs = (state: State, { timeoutMs }: ServerSession, sinceMs: number): number =>
  nextTickMs(state, sinceMs + timeoutMs);

export const renewed = (state: State, session: ServerSession, nowMs: number): ServerSession =>
  changeSession(session, { expiresMs: expiryMs(state, session, nowMs), greetedMs: null });

export function expireSessions(state: State, nowMs: number): ServerTransition {
  const expired = state.sessions.filter(({ expiresMs }) => expiresMs <= nowMs);
  const endings = expired.map((session) => (before: State) => endSession(before, session));
  return andThen([state, []], ...endings);
}

function endSession(state: State, { id, member, client }: ServerSession): ServerTransition {
  const ended = change(state, {
    sessions: state.sessions.filter((each) => each.id !== id),
    watches: state.watches.filter((watch) => watch.session !== id),
  });
  const isTold = member !== null && member !== state.cut;
  const tree = without(state.tree, ({ owner }) => owner === id);
  return andThen(commit(ended, tree), (after) => [
    after,
    isTold ? [send(client, { type: 'expired', session: id })] : [],
  ]);
}

/** What a member had heard of those who are disconnected is lost. */
export function disconnect(state: State, concerns: (session: ServerSession) => boolean): State {
  const sessions = state.sessions.map((session) =>
    concerns(session)
      ? changeSession(session, { member: null, isUnreported: false, greetedMs: null })
      : session,
  );
  return change(state, { sessions });
}

/** Where the session is among all; -1 if it is over. Ids have one length, so text orders them. */
export function indexOf({ sessions }: State, id: SessionId): number {
  let low = 0;
  let high = sessions.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sessions[middle]!.id;
    if (found === id) return middle;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

const withSession = (state: State, index: number, session: ServerSession): State =>
  change(state, { sessions: state.sessions.with(index, session) });
