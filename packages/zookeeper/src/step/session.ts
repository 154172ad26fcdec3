/** The session: how it is opened, kept, and lost. */

import type { ZooKeeperReply } from '../messages.js';
import { pingEveryMs, type Session, type ZooKeeperState } from '../state.js';
import { andThen, cancel, setTimer, type ZooKeeperEffect, type ZooKeeperTransition } from '../transition.js';
import { heard, learn, renew } from './leading.js';
import { completeResignation, stepDown } from './leaving.js';
import { connect, list, sendPing } from './requests.js';
import { join, onChange } from './standing.js';

/** Ids begin at the clock's reading: an answer that outlives its process is not taken for another's. */
export function start(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return connect({ ...state, nextId: Math.max(1, Math.floor(nowMs * 1000)) }, nowMs);
}

export function onConnected(
  state: ZooKeeperState,
  message: Extract<ZooKeeperReply, { type: 'connected' }>,
  nowMs: number,
): ZooKeeperTransition {
  const { awaited } = state;
  const isAnswer = awaited?.what === 'connect' && awaited.id === message.id;
  if (state.session?.id === message.session) {
    return isAnswer || (message.id === null && !state.connected)
      ? resume({ ...state.session, timeoutMs: message.sessionTimeoutMs }, state, nowMs)
      : [state, []];
  }
  if (!isAnswer) return [state, []];
  const session: Session = {
    id: message.session,
    timeoutMs: message.sessionTimeoutMs,
    // The ensemble agreed on the session after it was first asked for, and counts from there.
    provenMs: state.seekingSinceMs ?? awaited.sentMs,
    answered: [],
    attempt: 1,
    unsure: false,
  };
  if (state.session === null) return resume(session, state, nowMs);
  return andThen(endSession(state), (former) => resume(session, former, nowMs));
}

/** Connected, perhaps to another member than before: what was proven stands, what was answered counts no more. */
function resume(session: Session, state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const connected: ZooKeeperState = {
    ...state,
    connected: true,
    seekingSinceMs: null,
    session: { ...session, answered: [] },
    watching: null,
    awaited: null,
    pings: [],
  };
  return andThen(
    [connected, [cancel('request')]],
    // At once, so that the next one finds something to prove.
    (member) => sendPing(member, nowMs),
    (member) => join(member, nowMs),
  );
}

/** Not lost: a leader goes on for as long as its session certainly lives. */
export function loseConnection(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return state.connected ? connect(state, nowMs) : [state, []];
}

export function onExpired(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return andThen(endSession(state), (former) => connect(former, nowMs));
}

/** The session is over, and with it every znode that it had created. */
function endSession(state: ZooKeeperState): ZooKeeperTransition {
  const former: ZooKeeperState = {
    ...state,
    session: null,
    connected: false,
    own: null,
    leader: state.leader?.name === state.own?.name ? null : state.leader,
    watching: null,
    awaited: null,
    pings: [],
  };
  const quiet: ZooKeeperEffect[] = [cancel('ping'), cancel('request')];
  if (state.owesStepDown) return andThen([former, quiet], completeResignation);
  if (!state.leading && !state.standing) return [former, quiet];
  return andThen([former, quiet], (loser) => stepDown(loser, 'session-lost'));
}

export function onPingDue(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, pings } = state;
  if (session === null || !state.connected) return [state, []];
  // Nothing has been answered for so long: what connection there is carries nothing.
  const isDead = pings[0] !== undefined && nowMs - pings[0].sentMs >= pingEveryMs(session.timeoutMs);
  return isDead ? connect(state, nowMs) : sendPing(state, nowMs);
}

export function onPong(
  state: ZooKeeperState,
  { id, type, exists }: Extract<ZooKeeperReply, { type: 'pong' | 'proven' }>,
  nowMs: number,
): ZooKeeperTransition {
  const { session, own } = state;
  const ping = state.pings.find((each) => each.id === id);
  if (session === null || ping === undefined) return [state, []];
  const { sentMs, name } = ping;
  const quiet: ZooKeeperState = { ...state, pings: [] };
  const answered = (type === 'proven' ? learn : heard)(quiet, sentMs, nowMs);
  return andThen([answered, [setTimer('ping', pingEveryMs(session.timeoutMs))]], (node) => {
    // A leader may yet be told of the znode that it waited for.
    if (state.leading) return renew(node, exists || name !== own?.name, nowMs);
    if (!exists && name !== null) return onChange(node, name, nowMs);
    // First in the queue and not leading yet; or nobody leads, as far as we have been told.
    const isWaiting = state.leader === null || state.leader.name === own?.name;
    return isWaiting && state.awaited === null ? list(node, nowMs) : [node, []];
  });
}
