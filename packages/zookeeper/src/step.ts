/**
 * Election on ZooKeeper. A candidate creates an ephemeral sequential znode; of all znodes the one with the lowest
 * number leads, and each candidate waits for the znode just before its own to go.
 *
 * The names, the order and the watches are those of Apache Curator's LeaderLatch, so its candidates and ours take
 * turns in one election; the recipe is that of the ZooKeeper documentation ("ZooKeeper Recipes and Solutions",
 * Leader Election). What we add is the proof: see `learn` in step/leading.ts.
 *
 * Events are hints: whatever they say, the node lists the queue again before it acts. Here is what may happen to a
 * node; the rules are in step/, by what they are about.
 */

import { andThen, announce, cancelTimer, setTimer } from '@hustings/elector/protocol';
import { isDefiniteFailure, type ZooKeeperReply } from './messages.js';
import { change, changeSession, isLook, type ZooKeeperState } from './state.js';
import { connect, ensure, list } from './step/asking.js';
import { onPeerGone } from './step/certificates.js';
import { acceptLowerTokens } from './step/data-loss.js';
import { onConfirmed, watchOwn } from './step/leading.js';
import { giveUp, leave, onDeleted, resign } from './step/leaving.js';
import { loseConnection, onConnected, onExpired, onPingDue, onPong } from './step/session.js';
import { onChange, onCreated, onGot, onListed, stand } from './step/standing.js';
import { tell } from './tell.js';
import { isCoordinator, type ZooKeeperInput, type ZooKeeperTransition } from './transition.js';
import { nameOf } from './znodes.js';

export type { ZooKeeperEffect, ZooKeeperInput, ZooKeeperTransition } from './transition.js';

export function step(state: ZooKeeperState, input: ZooKeeperInput, nowMs: number): ZooKeeperTransition {
  switch (input.type) {
    case 'started':
    case 'restarted':
      return connect(state, nowMs);
    case 'campaign-requested':
      return stand(change(state, { standing: true }), nowMs);
    case 'resign-requested':
      return resign(state, nowMs);
    case 'received':
      return isCoordinator(state, input.from)
        ? onReply(state, input.message as ZooKeeperReply, nowMs)
        : [state, []];
    case 'timer-fired':
      return input.timer === 'ping' ? onPingDue(state, nowMs) : onRequestTimer(state, nowMs);
    case 'lease-expired':
      return state.leading ? giveUp(state, 'lease-expired', nowMs) : [state, []];
    case 'health-changed':
      return onHealth(change(state, { healthy: input.healthy }), nowMs);
    case 'link-down':
      return isCoordinator(state, input.peer) ? loseConnection(state, nowMs) : [state, []];
    case 'link-up':
      return isCoordinator(state, input.peer) && !state.connected ? connect(state, nowMs) : [state, []];
    case 'requested':
      return lookAgain(acceptLowerTokens(state), nowMs);
    case 'peer-gone':
      return onPeerGone(state, input.incarnation);
    case 'observation-changed':
      return [state, []];
  }
}

function onHealth(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  if (state.healthy) return stand(state, nowMs);
  if (state.leading) return giveUp(state, 'unhealthy', nowMs);
  return andThen(tell(state), (patient) => (patient.standing ? leave(patient, nowMs) : [patient, []]));
}

const lookAgain = (state: ZooKeeperState, nowMs: number): ZooKeeperTransition =>
  isLook(state.awaited) ? list(state, nowMs) : [state, []];

function onRequestTimer(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  // A look is repeated: whether the connection is lost, the pings will tell. But a member that has lost touch with
  // its leader answers pings and never a write, so for a write it is better to try another one.
  if (!state.connected || !isLook(state.awaited)) return connect(state, nowMs);
  return (state.leading ? watchOwn : list)(state, nowMs);
}

function onReply(state: ZooKeeperState, message: ZooKeeperReply, nowMs: number): ZooKeeperTransition {
  switch (message.type) {
    case 'connected':
      return onConnected(state, message, nowMs);
    case 'disconnected':
      return message.session === state.session?.id ? loseConnection(state, nowMs) : [state, []];
    case 'expired':
      return message.session === state.session?.id ? onExpired(state, nowMs) : [state, []];
    case 'node-deleted':
    case 'children-changed':
      return message.session === state.session?.id
        ? onChange(state, nameOf(state, message.path), nowMs)
        : [state, []];
    case 'pong':
    case 'proven':
      return onPong(state, message, nowMs);
    case 'failed':
      return onFailed(state, message, nowMs);
    default:
      return onAnswer(state, message, nowMs);
  }
}

type Answer = Extract<ZooKeeperReply, { type: 'done' | 'created' | 'listed' | 'got' | 'confirmed' }>;

function onAnswer(state: ZooKeeperState, message: Answer, nowMs: number): ZooKeeperTransition {
  const { session, awaited } = state;
  if (session === null || awaited?.id !== message.id) return [state, []];
  switch (message.type) {
    case 'done':
      return awaited.what === 'delete' ? onDeleted(state, nowMs) : list(state, nowMs);
    case 'created':
      return onCreated(state, session, message, nowMs);
    case 'listed':
      return onListed(state, session, message.names, nowMs);
    case 'got':
      return onGot(state, session, awaited, message, nowMs);
    case 'confirmed':
      return onConfirmed(state, session, awaited.sentMs, message.exists, nowMs);
  }
}

function onFailed(
  state: ZooKeeperState,
  { id, reason, detail }: Extract<ZooKeeperReply, { type: 'failed' }>,
  nowMs: number,
): ZooKeeperTransition {
  const { awaited, session, settings } = state;
  if (awaited?.id !== id) return [state, []];
  const answered = change(state, { awaited: null });
  const isSure = isDefiniteFailure(reason) && awaited.what === 'create' && session !== null;
  const informed = isSure
    ? change(answered, { session: changeSession(session, { unsure: false }) })
    : answered;
  if (reason === 'no-node') {
    if (awaited.what === 'list' || awaited.what === 'create') return ensure(informed, nowMs);
    if (awaited.what === 'delete') return onDeleted(informed, nowMs);
    return onChange(informed, awaited.name, nowMs);
  }
  if (reason === 'refused') {
    // What ZooKeeper refused it will refuse again: let a person hear of it, and do not hurry.
    const pause = setTimer('request', settings.requestTimeoutMs);
    // A leader that may not watch its own znode has its pings.
    const next = state.leading ? cancelTimer('request') : pause;
    return [informed, [announce({ type: 'refused', detail }), next]];
  }
  return [change(informed, { connected: false, pings: [] }), [setTimer('request', settings.retryMs)]];
}
