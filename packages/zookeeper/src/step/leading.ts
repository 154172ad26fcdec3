/** Leading: what must be proven before it begins, and while it lasts. */

import { andThen } from '@hustings/elector/protocol';
import {
  change,
  changeSession,
  deadlineMs,
  type OwnZnode,
  pingAgainMs,
  relayMs,
  type Session,
  type SignOfLife,
  type ZooKeeperState,
} from '../state.js';
import { tell } from '../tell.js';
import { settle, type ZooKeeperEffect, type ZooKeeperTransition } from '../transition.js';
import { confirm, get, list } from './asking.js';
import { isUnseen, onDataLost } from './data-loss.js';
import { abandon, giveUp } from './leaving.js';

/** More than are answered in `relayMs`, so that one that was relayed is among them. */
const keptAnswers = 8;

/**
 * First in the queue, which shows the own znode. If the session is proven for long enough, it lives, and nothing
 * more needs to be asked. Otherwise a write asks for a proof.
 */
export function takeLead(state: ZooKeeperState, own: OwnZnode, nowMs: number): ZooKeeperTransition {
  const { session } = state;
  if (session === null) return [state, []];
  if (!isUnseen(state, own.czxid)) return refuse(state, own);
  return mayLead(state, session, nowMs) ? lead(state, session, own, nowMs) : confirm(state, own.name, nowMs);
}

/** Keeps its place, and so lets nobody else lead, until it is told that lower tokens do no harm. */
function refuse(state: ZooKeeperState, { czxid }: OwnZnode): ZooKeeperTransition {
  return andThen(
    state.dataLost ? [state, []] : onDataLost(state, `it gives this node token ${czxid}`),
    tell,
    settle,
  );
}

/** Whoever has given up its znode, or its wish to lead, since it asked waits for another answer by now. */
export function onConfirmed(
  state: ZooKeeperState,
  before: Session,
  sentMs: number,
  exists: boolean,
  nowMs: number,
): ZooKeeperTransition {
  const session = learn(before, sentMs, nowMs);
  const learned = change(state, { session });
  const { own } = state;
  if (!exists || own === null) return list(abandon(learned), nowMs);
  // Too little is proven of a session that has just moved. The next ping proves more.
  return mayLead(learned, session, nowMs) ? lead(learned, session, own, nowMs) : settle(learned);
}

/** A lease that ends before the next ping is answered could not be renewed. */
function mayLead(state: ZooKeeperState, session: Session, nowMs: number): boolean {
  const nextPingMs = Math.max(nowMs, state.pingDueMs);
  return deadlineMs(state, session) >= nextPingMs + pingAgainMs(session.timeoutMs);
}

/** The only place where leadership begins. Pings go on as they did. */
function lead(state: ZooKeeperState, session: Session, own: OwnZnode, nowMs: number): ZooKeeperTransition {
  const leader = change(state, {
    leading: true,
    told: 'leading',
    floor: own.czxid,
    dataLost: false,
    leader: { name: own.name, leaderId: state.id, incarnation: state.incarnation, czxid: own.czxid },
    watching: null,
    awaited: null,
  });
  return andThen([leader, [leaseOf(leader, session, own, nowMs)]], (begun) => watchOwn(begun, nowMs));
}

/** Whoever's turn it is when the znode is deleted is told at once; so must be the one who leads. */
export function watchOwn(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { own } = state;
  return own === null ? [state, []] : get(state, 'watch', own.name, nowMs);
}

/** A ping was answered, which may have proven more of the session. */
export function renew(state: ZooKeeperState, exists: boolean, nowMs: number): ZooKeeperTransition {
  const { session, own } = state;
  if (session === null || own === null) return [state, []];
  if (!exists) return giveUp(state, 'deposed', nowMs);
  return deadlineMs(state, session) > nowMs ? [state, [leaseOf(state, session, own, nowMs)]] : [state, []];
}

const leaseOf = (
  state: ZooKeeperState,
  session: Session,
  { czxid }: OwnZnode,
  nowMs: number,
): ZooKeeperEffect => ({
  type: 'lead',
  token: BigInt(czxid),
  validForMs: deadlineMs(state, session) - nowMs,
});

/**
 * The ensemble's leader with a majority has carried out a write that was sent at `sentMs` over the present
 * connection. Members tell their leader at least every `relayMs` which sessions they have heard from, over the
 * same stream as the writes: so whatever this member had answered `relayMs` before the write, the leader knows. Of
 * the connection itself it knows at once: a member asks it about every session that comes.
 */
export function learn(session: Session, sentMs: number, nowMs: number, kept = keptAnswers): Session {
  const relayed = session.answered.findLast(({ relayedMs }) => relayedMs <= sentMs);
  const provenMs = Math.max(session.provenMs, relayed?.sentMs ?? session.provenMs);
  return heard(changeSession(session, { provenMs }), sentMs, nowMs, kept);
}

/** A member has answered what was sent at `sentMs`, so it had heard of the session then or later. */
export function heard(session: Session, sentMs: number, nowMs: number, kept = keptAnswers): Session {
  const sign: SignOfLife = { sentMs, relayedMs: nowMs + relayMs(session.timeoutMs) };
  const answered = [...session.answered, sign].slice(-kept);
  return changeSession(session, { answered });
}
