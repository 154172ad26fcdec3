/** The session: how it is opened, kept, and lost. */

import { andThen, cancelTimer } from '@hustings/elector/protocol';
import type { ZooKeeperReply } from '../messages.js';
import {
  change,
  changeSession,
  pingPatienceMs,
  pingRestMs,
  type Session,
  type SignOfLife,
  type ZooKeeperState,
} from '../state.js';
import type { ZooKeeperEffect, ZooKeeperTransition } from '../transition.js';
import { connect, list, pingIn, sendPing } from './asking.js';
import { deleteDead } from './certificates.js';
import { heard, learn, renew, watchOwn } from './leading.js';
import { completeResignation, stepDown } from './leaving.js';
import { join, onChange } from './standing.js';

export function onConnected(
  state: ZooKeeperState,
  message: Extract<ZooKeeperReply, { type: 'connected' }>,
  nowMs: number,
): ZooKeeperTransition {
  const { awaited } = state;
  const isAnswer = awaited?.what === 'connect' && awaited.id === message.id;
  if (!isAnswer) return [state, []];
  // Whichever attempt it was that succeeded, it was made after the first was asked for; or a shared session was there.
  const { agoMs = 0 } = message;
  const greetedMs = Math.min(state.seekingSinceMs ?? awaited.sentMs, awaited.sentMs - agoMs);
  // The member has asked the ensemble's leader about the session before it answered.
  const answered: readonly SignOfLife[] = [{ sentMs: greetedMs, relayedMs: nowMs }];
  const { session: id, sessionTimeoutMs: timeoutMs } = message;
  if (state.session?.id === id)
    return resume(changeSession(state.session, { timeoutMs, answered }), state, nowMs);
  // The ensemble agreed on the session, and counts from there.
  const session: Session = { id, timeoutMs, provenMs: greetedMs, answered, attempt: 1, unsure: false };
  if (state.session === null) return resume(session, state, nowMs);
  return andThen(endSession(state), (former) => resume(session, former, nowMs));
}

/** Connected, perhaps to another member than before: what was proven stands, what the other answered counts no more. */
function resume(session: Session, state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const connected = change(state, {
    connected: true,
    seekingSinceMs: null,
    session,
    watching: null,
    awaited: null,
    pings: [],
  });
  return andThen(
    [connected, [cancelTimer('request')]],
    // At once: if it is a write, it proves that the ensemble's leader has been asked about the session.
    (member) => sendPing(member, nowMs),
    (member) => (member.leading ? watchOwn : join)(member, nowMs),
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
  const former = change(state, {
    session: null,
    seekingSinceMs: null,
    own: null,
    leader: state.leader?.name === state.own?.name ? null : state.leader,
    watching: null,
    awaited: null,
  });
  const quiet: ZooKeeperEffect[] = [cancelTimer('ping'), cancelTimer('request')];
  if (state.owesStepDown) return andThen([former, quiet], completeResignation);
  if (!state.standing) return [former, quiet];
  return andThen([former, quiet], (loser) => stepDown(loser, 'session-lost'));
}

export function onPingDue(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, pings } = state;
  if (!state.connected || session === null) return [state, []];
  // Nothing has been answered for so long: what connection there is carries nothing.
  const isDead = pings[0] !== undefined && nowMs - pings[0].sentMs >= pingPatienceMs(session.timeoutMs);
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
  const informed = (type === 'proven' ? learn : heard)(session, sentMs, nowMs);
  const learned = change(state, { session: informed, pings: [] });
  return andThen(pingIn(learned, pingRestMs(session.timeoutMs), nowMs), (node) => {
    // A leader may yet be told of the znode that it waited for.
    if (state.leading) return renew(node, exists || name !== own?.name, nowMs);
    if (!exists && name !== null) return onChange(node, name, nowMs);
    if (state.leader !== null) return deleteDead(node);
    // First in the queue and not leading yet; or nobody leads, as far as we have been told.
    return state.awaited === null ? list(node, nowMs) : [node, []];
  });
}
