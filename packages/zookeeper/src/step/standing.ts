/** Standing and waiting: how a node enters the queue, whom it watches, and when it looks again. */

import { andThen, readSignature } from '@hustings/elector/protocol';
import type { ZnodeName, ZooKeeperReply } from '../messages.js';
import {
  change,
  changeSession,
  isEligible,
  isLook,
  type OwnZnode,
  type Question,
  type Session,
  type ZooKeeperState,
} from '../state.js';
import { tell } from '../tell.js';
import { settle, type ZooKeeperTransition } from '../transition.js';
import { inOrder, namesOf, protectedName } from '../znodes.js';
import { create, get, list, remove } from './asking.js';
import { deleteDead } from './certificates.js';
import { remember, rememberCreated, rememberLeader } from './data-loss.js';
import { takeLead } from './leading.js';
import { abandon, completeResignation, giveUp } from './leaving.js';

export function stand(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return andThen(tell(state), (candidate) =>
    isLook(candidate.awaited) ? join(candidate, nowMs) : [candidate, []],
  );
}

/** Enters the queue where that is wanted and nothing of ours can be in it; otherwise looks how the queue stands. */
export function join(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, own } = state;
  if (session === null || !state.connected || state.leading) return [state, []];
  // After an attempt that was abandoned, its znode may be there.
  const isFree = own === null && !session.unsure && session.attempt === 1;
  return isFree && isEligible(state) ? create(state, nowMs) : list(state, nowMs);
}

export function onCreated(
  state: ZooKeeperState,
  session: Session,
  { path, czxid }: Extract<ZooKeeperReply, { type: 'created' }>,
  nowMs: number,
): ZooKeeperTransition {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const sure = change(state, { session: changeSession(session, { unsure: false }) });
  // If nobody wants it any more, the list shows it, and it is deleted.
  return andThen(rememberCreated(sure, czxid), (informed) =>
    list(isEligible(state) ? change(informed, { own: { name, czxid } }) : abandon(informed), nowMs),
  );
}

/**
 * The queue, as it was after the last change that this session made: whoever was in it before us is there, and
 * somebody who has left may be there still. So whoever finds itself first is first.
 */
export function onListed(
  state: ZooKeeperState,
  session: Session,
  names: readonly ZnodeName[],
  nowMs: number,
): ZooKeeperTransition {
  const queue = inOrder(names);
  const mine = namesOf(session.id, queue);
  const current = isEligible(state) ? mine.find((name) => isCurrent(state, session, name)) : undefined;
  const leader = state.leader !== null && queue.includes(state.leader.name) ? state.leader : null;
  const seen = change(state, { queue, leader, session: changeSession(session, { unsure: false }) });
  const leftover = mine.find((name) => name !== current);
  if (leftover !== undefined) return remove(seen, leftover, nowMs);
  if (!isEligible(seen)) {
    return andThen(completeResignation(seen), (left) =>
      isEligible(left) ? join(left, nowMs) : observe(left, nowMs),
    );
  }
  if (current === undefined) return create(seen.own === null ? seen : abandon(seen), nowMs);
  if (seen.own === null) return get(seen, 'inspect', current, nowMs);
  return takePlace(seen, seen.own, nowMs);
}

function isCurrent({ own }: ZooKeeperState, session: Session, name: ZnodeName): boolean {
  return own === null ? name.startsWith(protectedName(session.id, session.attempt)) : name === own.name;
}

/** First in the queue: lead. Otherwise watch whoever must go first. */
function takePlace(state: ZooKeeperState, own: OwnZnode, nowMs: number): ZooKeeperTransition {
  const { queue, settings } = state;
  const place = queue.indexOf(own.name);
  if (place === 0) return takeLead(state, own, nowMs);
  const before = settings.succession === 'herd' ? queue[0] : queue[place - 1];
  if (before === undefined) return list(state, nowMs);
  return state.watching === before ? meetLeader(state, nowMs) : get(state, 'watch', before, nowMs);
}

/** A node that does not stand watches whoever leads, or, while nobody does, for somebody to come. */
function observe(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const [first] = state.queue;
  if (first === undefined) {
    return andThen(tell(state), (observer) =>
      observer.watching === '' ? settle(observer) : list(observer, nowMs, true),
    );
  }
  return state.watching === first ? meetLeader(state, nowMs) : get(state, 'watch', first, nowMs);
}

/** Learns who the first of the queue is, unless that is known. */
function meetLeader(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const [first] = state.queue;
  if (first === undefined || state.leader?.name === first) return andThen(tell(state), settle);
  return get(state, 'leader', first, nowMs);
}

export function onGot(
  state: ZooKeeperState,
  session: Session,
  { what, name }: Question,
  { data, czxid, owner }: Extract<ZooKeeperReply, { type: 'got' }>,
  nowMs: number,
): ZooKeeperTransition {
  if (what === 'inspect') {
    // The name is ours, but a znode that is not of this session will outlive it, or go before it.
    if (owner !== session.id || !isEligible(state)) return remove(state, name, nowMs);
    const own: OwnZnode = { name, czxid };
    return takePlace(change(state, { own }), own, nowMs);
  }
  const watching = what === 'watch' ? name : state.watching;
  // Curator's participants may have no id; the znode's name is as good.
  const { id, incarnation } = readSignature(data);
  const leader = { name, leaderId: id === '' ? name : id, incarnation, czxid };
  const met: ZooKeeperTransition =
    name === state.queue[0]
      ? rememberLeader(change(state, { leader }), leader)
      : [remember(state, czxid), []];
  return andThen(met, deleteDead, (informed) => meetLeader(change(informed, { watching }), nowMs));
}

/** A znode that we watch is gone, or the queue that was empty has changed: look again. */
export function onChange(state: ZooKeeperState, name: ZnodeName, nowMs: number): ZooKeeperTransition {
  if (state.leading) return name === state.own?.name ? giveUp(state, 'deposed', nowMs) : [state, []];
  const informed = change(state, {
    watching: state.watching === name ? null : state.watching,
    leader: state.leader?.name === name ? null : state.leader,
  });
  return andThen(tell(informed), (looker) =>
    // A list that is on its way finds the change, or has us watch the znode again, which does.
    isLook(looker.awaited) && looker.awaited?.what !== 'list' ? list(looker, nowMs) : [looker, []],
  );
}
