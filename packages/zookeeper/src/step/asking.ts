/** What a node asks of ZooKeeper. No rule is in here: only who asks for what, and what is then awaited. */

import { andThen, setTimer, sign } from '@hustings/elector/protocol';
import type { SessionId, ZnodeName, ZooKeeperRequest } from '../messages.js';
import {
  change,
  changeSession,
  isNext,
  pingAgainMs,
  type Question,
  type SentPing,
  type ZooKeeperState,
} from '../state.js';
import { tell } from '../tell.js';
import { toCoordinator, type ZooKeeperTransition } from '../transition.js';
import { pathOf, protectedName } from '../znodes.js';

/** Asks for a session, or for the way back into the one that there is. Watches and pings begin anew. */
export function connect(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { settings, session } = state;
  const seekingSinceMs = state.seekingSinceMs ?? nowMs;
  return ask(
    change(state, { connected: false, pings: [], seekingSinceMs }),
    { what: 'connect' },
    nowMs,
    (id) => ({
      type: 'connect',
      id,
      session: session?.id ?? null,
      sessionTimeoutMs: settings.sessionTimeoutMs,
    }),
  );
}

/** The queue's own znode is missing, or somebody has removed it. */
export function ensure(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return askInSession(
    change(state, { queue: [], watching: null }),
    { what: 'ensure' },
    nowMs,
    (id, session) => ({
      type: 'ensure',
      id,
      session,
      path: state.settings.path,
    }),
  );
}

/** The answer may be lost, and the znode be there all the same: until that is known, the session is unsure. */
export function create(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session: before } = state;
  if (before === null) return [state, []];
  return andThen(tell(change(state, { session: changeSession(before, { unsure: true }) })), (candidate) =>
    askInSession(candidate, { what: 'create' }, nowMs, (id, session) => ({
      type: 'create',
      id,
      session,
      path: pathOf(state, protectedName(session, before.attempt)),
      data: sign(state),
    })),
  );
}

export function list(state: ZooKeeperState, nowMs: number, watch = false): ZooKeeperTransition {
  if (!state.connected || state.leading) return [state, []];
  return askInSession(
    change(state, { watching: watch ? '' : state.watching }),
    { what: 'list' },
    nowMs,
    (id, session) => ({ type: 'children', id, session, path: state.settings.path, watch }),
  );
}

export function get(
  state: ZooKeeperState,
  what: 'inspect' | 'watch' | 'leader',
  name: ZnodeName,
  nowMs: number,
): ZooKeeperTransition {
  return askInSession(state, { what, name }, nowMs, (id, session) => ({
    type: 'get',
    id,
    session,
    path: pathOf(state, name),
    watch: what === 'watch',
  }));
}

export function confirm(state: ZooKeeperState, name: ZnodeName, nowMs: number): ZooKeeperTransition {
  return andThen(tell(state), (candidate) =>
    askInSession(candidate, { what: 'confirm', name }, nowMs, (id, session) => ({
      type: 'confirm',
      id,
      session,
      path: pathOf(state, name),
    })),
  );
}

export function remove(state: ZooKeeperState, name: ZnodeName, nowMs: number): ZooKeeperTransition {
  return askInSession(state, { what: 'delete', name }, nowMs, (id, session) => ({
    type: 'delete',
    id,
    session,
    path: pathOf(state, name),
  }));
}

/**
 * A leader proves its own znode; everyone else asks after the leader's, in case an event went missing. Whoever is
 * next asks by a write as well, so that its session is proven when its turn comes.
 */
export function sendPing(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, own, leader, settings, nextId: id } = state;
  if (session === null) return [state, []];
  const name = state.leading ? (own?.name ?? null) : (leader?.name ?? null);
  const path = name === null ? settings.path : pathOf(state, name);
  const type = state.leading || isNext(state) ? 'prove' : 'ping';
  const ping: SentPing = { id, sentMs: nowMs, name };
  const sent = change(state, { pings: [...state.pings, ping], nextId: id + 1 });
  return andThen([sent, [toCoordinator(state, { type, id, session: session.id, path })]], (pinged) =>
    pingIn(pinged, pingAgainMs(session.timeoutMs), nowMs),
  );
}

export function pingIn(state: ZooKeeperState, delayMs: number, nowMs: number): ZooKeeperTransition {
  return [change(state, { pingDueMs: nowMs + delayMs }), [setTimer('ping', delayMs)]];
}

function askInSession(
  state: ZooKeeperState,
  about: Pick<Question, 'what'> & Partial<Question>,
  nowMs: number,
  request: (id: number, session: SessionId) => ZooKeeperRequest,
): ZooKeeperTransition {
  const { session } = state;
  return session === null ? [state, []] : ask(state, about, nowMs, (id) => request(id, session.id));
}

/** Sends a request that the node waits for. Whatever it waited for before is no longer wanted. */
function ask(
  state: ZooKeeperState,
  { what, name = '' }: Pick<Question, 'what'> & Partial<Question>,
  nowMs: number,
  request: (id: number) => ZooKeeperRequest,
): ZooKeeperTransition {
  const id = state.nextId;
  return [
    change(state, { awaited: { what, id, sentMs: nowMs, name }, nextId: id + 1 }),
    [toCoordinator(state, request(id)), setTimer('request', state.settings.requestTimeoutMs)],
  ];
}
