/**
 * Election on ZooKeeper. A candidate creates an ephemeral sequential znode; of all znodes the one with the lowest
 * number leads, and each candidate waits for the znode just before its own to go.
 *
 * The names, the order and the watches are those of Apache Curator's LeaderLatch, so its candidates and ours take
 * turns in one election; the recipe is that of the ZooKeeper documentation ("ZooKeeper Recipes and Solutions",
 * Leader Election). What we add is the proof: see `learn`.
 *
 * Events are hints: whatever they say, the node lists the queue again before it acts.
 */

import type { Effect, Input, NodeId, StepDownReason, Transition } from '@hustings/elector';
import {
  isDefiniteFailure,
  type ZnodeName,
  type ZooKeeperAnnouncement,
  type ZooKeeperDurable,
  type ZooKeeperMessage,
  type ZooKeeperReply,
  type ZooKeeperRequest,
  type ZooKeeperTimer,
} from './messages.js';
import { inOrder, isOwn, protectedName } from './queue.js';
import {
  type Awaited,
  deadlineMs,
  pingEveryMs,
  relayMs,
  type SentPing,
  type Session,
  type ZooKeeperState,
} from './state.js';

export type ZooKeeperInput = Input<ZooKeeperMessage, ZooKeeperDurable, ZooKeeperTimer>;
export type ZooKeeperEffect = Effect<
  ZooKeeperMessage,
  ZooKeeperDurable,
  ZooKeeperTimer,
  ZooKeeperAnnouncement
>;
export type ZooKeeperTransition = Transition<
  ZooKeeperState,
  ZooKeeperMessage,
  ZooKeeperDurable,
  ZooKeeperTimer,
  ZooKeeperAnnouncement
>;

export function step(state: ZooKeeperState, input: ZooKeeperInput, nowMs: number): ZooKeeperTransition {
  switch (input.type) {
    case 'started':
    case 'restarted':
      return start(state, nowMs);
    case 'campaign-requested':
      return stand({ ...state, standing: true }, nowMs);
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
      return onHealth({ ...state, healthy: input.healthy }, nowMs);
    case 'link-down':
      return isCoordinator(state, input.peer) ? loseConnection(state, nowMs) : [state, []];
    case 'link-up':
      return isCoordinator(state, input.peer) && !state.connected ? connect(state, nowMs) : [state, []];
    case 'observation-changed':
    case 'requested':
      return [state, []]; // It offers nothing beside leading.
  }
}

/** Ids begin at the clock's reading: an answer that outlives its process is not taken for another's. */
function start(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return connect({ ...state, nextId: Math.max(1, Math.floor(nowMs * 1000)) }, nowMs);
}

// ---- The session --------------------------------------------------------------------------------------

/** Asks for a session, or for the way back into the one that there is. Watches and pings begin anew. */
function connect(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { settings, session } = state;
  const seekingSinceMs = session === null ? (state.seekingSinceMs ?? nowMs) : null;
  return ask({ ...state, connected: false, ping: null, seekingSinceMs }, 'connect', nowMs, (id) => ({
    type: 'connect',
    id,
    session: session?.id ?? null,
    sessionTimeoutMs: settings.sessionTimeoutMs,
  }));
}

function onConnected(
  state: ZooKeeperState,
  message: Extract<ZooKeeperReply, { type: 'connected' }>,
  nowMs: number,
): ZooKeeperTransition {
  const isAnswer = state.awaited === 'connect' && state.awaitedId === message.id;
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
    provenMs: state.seekingSinceMs ?? state.awaitedSentMs,
    answeredMs: [],
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
    session: { ...session, answeredMs: [] },
    watching: null,
    awaited: null,
    ping: null,
  };
  const quiet: ZooKeeperEffect[] = [cancel('request')];
  if (state.leading) return andThen([connected, quiet], (leader) => sendPing(leader, nowMs));
  return andThen([connected, [...quiet, nextPing(session)]], (member) => join(member, nowMs));
}

/** Not lost: a leader goes on for as long as its session certainly lives. */
function loseConnection(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return state.connected ? connect(state, nowMs) : [state, []];
}

function onExpired(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
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
    ping: null,
  };
  const quiet: ZooKeeperEffect[] = [cancel('ping'), cancel('request')];
  if (state.owesStepDown) return andThen([former, quiet], completeResignation);
  if (!state.leading && !state.standing) return [former, quiet];
  return andThen([former, quiet], (loser) => stepDown(loser, 'session-lost'));
}

// ---- Standing and waiting -----------------------------------------------------------------------------

function stand(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return andThen(tell(state), (candidate) =>
    candidate.awaited === null || isLook(candidate.awaited) ? join(candidate, nowMs) : [candidate, []],
  );
}

/** Enters the queue where that is wanted and nothing of ours can be in it; otherwise looks how the queue stands. */
function join(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, own } = state;
  if (session === null || !state.connected || state.leading) return [state, []];
  // After an attempt that was abandoned, its znode may be there.
  const isFree = own === null && !session.unsure && session.attempt === 1;
  return isFree && isEligible(state) ? create(state, session, nowMs) : list(state, nowMs);
}

/** The answer may be lost, and the znode be there all the same: until that is known, the session is unsure. */
function create(state: ZooKeeperState, session: Session, nowMs: number): ZooKeeperTransition {
  const path = pathOf(state, protectedName(session.id, session.attempt));
  return andThen(tell({ ...state, session: { ...session, unsure: true } }), (candidate) =>
    ask(candidate, 'create', nowMs, (id) => ({
      type: 'create',
      id,
      session: session.id,
      path,
      data: state.id,
    })),
  );
}

function onCreated(
  state: ZooKeeperState,
  session: Session,
  { path, czxid }: Extract<ZooKeeperReply, { type: 'created' }>,
  nowMs: number,
): ZooKeeperTransition {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const sure: ZooKeeperState = { ...state, session: { ...session, unsure: false } };
  // Nobody wants it any more: the list shows it, and it is deleted.
  if (!isEligible(state)) return list(abandon(sure), nowMs);
  return list({ ...sure, own: { name, czxid } }, nowMs);
}

function list(state: ZooKeeperState, nowMs: number, watch = false): ZooKeeperTransition {
  const { session, settings } = state;
  if (session === null || !state.connected || state.leading) return [state, []];
  return ask({ ...state, watching: watch ? '' : state.watching }, 'list', nowMs, (id) => ({
    type: 'children',
    id,
    session: session.id,
    path: settings.path,
    watch,
  }));
}

/**
 * The queue, as it was after the last change that this session made: whoever was in it before us is there, and
 * somebody who has left may be there still. So whoever finds itself first is first.
 */
function onListed(
  state: ZooKeeperState,
  session: Session,
  names: readonly ZnodeName[],
  nowMs: number,
): ZooKeeperTransition {
  const queue = inOrder(names);
  const mine = queue.filter((name) => isOwn(name, session.id));
  const current = isEligible(state) ? mine.find((name) => isCurrent(state, session, name)) : undefined;
  const leader = state.leader !== null && queue.includes(state.leader.name) ? state.leader : null;
  const seen: ZooKeeperState = { ...state, queue, leader, session: { ...session, unsure: false } };
  const leftover = mine.find((name) => name !== current);
  if (leftover !== undefined) return remove(seen, leftover, nowMs);
  if (!isEligible(seen)) {
    return andThen(completeResignation(seen), (left) =>
      isEligible(left) ? join(left, nowMs) : observe(left, nowMs),
    );
  }
  if (current === undefined) {
    const free = seen.own === null ? seen : abandon(seen);
    return free.session === null ? [free, []] : create(free, free.session, nowMs);
  }
  if (seen.own === null) return fetch(seen, 'inspect', current, nowMs);
  return takePlace(seen, nowMs);
}

function isCurrent({ own }: ZooKeeperState, session: Session, name: ZnodeName): boolean {
  return own === null ? name.startsWith(protectedName(session.id, session.attempt)) : name === own.name;
}

/** First in the queue: confirm it, and lead. Otherwise watch whoever must go first. */
function takePlace(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { queue, own, settings } = state;
  const place = own === null ? -1 : queue.indexOf(own.name);
  if (place === 0) return confirm(state, nowMs);
  const before = settings.succession === 'herd' ? queue[0] : queue[place - 1];
  if (before === undefined) return list(state, nowMs);
  return state.watching === before ? meetLeader(state, nowMs) : fetch(state, 'watch', before, nowMs);
}

/** A node that does not stand watches whoever leads, or, while nobody does, for somebody to come. */
function observe(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const [first] = state.queue;
  if (first === undefined) {
    return andThen(tell({ ...state, leader: null }), (observer) =>
      observer.watching === '' ? settle(observer) : list(observer, nowMs, true),
    );
  }
  return state.watching === first ? meetLeader(state, nowMs) : fetch(state, 'watch', first, nowMs);
}

/** Learns who the first of the queue is, unless that is known. */
function meetLeader(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const [first] = state.queue;
  if (first === undefined || state.leader?.name === first) return andThen(tell(state), settle);
  return fetch(state, 'leader', first, nowMs);
}

function fetch(
  state: ZooKeeperState,
  awaited: 'inspect' | 'watch' | 'leader',
  name: ZnodeName,
  nowMs: number,
): ZooKeeperTransition {
  const { session } = state;
  if (session === null) return [state, []];
  return ask({ ...state, awaitedName: name }, awaited, nowMs, (id) => ({
    type: 'get',
    id,
    session: session.id,
    path: pathOf(state, name),
    watch: awaited === 'watch',
  }));
}

function onGot(
  state: ZooKeeperState,
  session: Session,
  { data, czxid, owner }: Extract<ZooKeeperReply, { type: 'got' }>,
  nowMs: number,
): ZooKeeperTransition {
  const { awaited, awaitedName: name } = state;
  if (awaited === 'inspect') {
    // The name is ours, but a znode that is not of this session will outlive it, or go before it.
    if (owner !== session.id || !isEligible(state)) return remove(state, name, nowMs);
    return takePlace({ ...state, own: { name, czxid } }, nowMs);
  }
  const watching = awaited === 'watch' ? name : state.watching;
  // Curator's participants may have no id; the znode's name is as good.
  const leader =
    name === state.queue[0] ? { name, leaderId: data === '' ? name : data, czxid } : state.leader;
  return meetLeader({ ...state, watching, leader }, nowMs);
}

/** A znode that we watch is gone, or the queue that was empty has changed: look again. */
function onChange(state: ZooKeeperState, name: ZnodeName, nowMs: number): ZooKeeperTransition {
  if (state.leading) return [state, []];
  const informed: ZooKeeperState = {
    ...state,
    watching: state.watching === name ? null : state.watching,
    leader: state.leader?.name === name ? null : state.leader,
  };
  return andThen(tell(informed), (looker) =>
    looker.awaited === null || looker.awaited === 'watch' || looker.awaited === 'leader'
      ? list(looker, nowMs)
      : [looker, []],
  );
}

// ---- Leading ------------------------------------------------------------------------------------------

function confirm(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, own } = state;
  if (session === null || own === null) return [state, []];
  return andThen(tell(state), (candidate) =>
    ask(candidate, 'confirm', nowMs, (id) => ({
      type: 'confirm',
      id,
      session: session.id,
      path: pathOf(state, own.name),
    })),
  );
}

function onConfirmed(state: ZooKeeperState, exists: boolean, nowMs: number): ZooKeeperTransition {
  const { own } = state;
  const learned = learn(state, state.awaitedSentMs);
  if (!exists) return list(abandon(learned), nowMs);
  if (own === null || learned.session === null || !isEligible(learned)) return list(learned, nowMs);
  const validForMs = deadlineMs(learned, learned.session) - nowMs;
  // Too little is proven of a session that has just moved. The next ping proves more.
  if (validForMs <= 0) return settle(learned);
  const leader: ZooKeeperState = {
    ...learned,
    leading: true,
    told: 'leading',
    leader: { name: own.name, leaderId: state.id, czxid: own.czxid },
    watching: null,
    awaited: null,
    ping: null,
  };
  return [
    leader,
    [cancel('request'), { type: 'lead', token: BigInt(own.czxid), validForMs }, nextPing(learned.session)],
  ];
}

/**
 * The ensemble's leader with a majority has carried out a write that was sent at `sentMs` over the present
 * connection. Members tell their leader at least every `relayMs` which sessions they have heard from, over the
 * same stream as the writes: so whatever this member had heard `relayMs` before the write, the leader knows.
 */
function learn(state: ZooKeeperState, sentMs: number): ZooKeeperState {
  const { session } = state;
  if (session === null) return state;
  const relayed = session.answeredMs.findLast((each) => each <= sentMs - relayMs(session.timeoutMs));
  const provenMs = Math.max(session.provenMs, relayed ?? session.provenMs);
  return heard({ ...state, session: { ...session, provenMs } }, sentMs);
}

/** A member answered a ping that was sent at this moment, so it had heard of the session then or later. */
function heard(state: ZooKeeperState, sentMs: number): ZooKeeperState {
  const { session } = state;
  if (session === null) return state;
  return { ...state, session: { ...session, answeredMs: [...session.answeredMs, sentMs].slice(-4) } };
}

function onPingDue(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  if (state.session === null || !state.connected) return [state, []];
  // The last one has not been answered: what connection there is carries nothing.
  return state.ping === null ? sendPing(state, nowMs) : connect(state, nowMs);
}

/** A leader proves its own znode; everyone else asks after the leader's, in case an event went missing. */
function sendPing(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, own, leader, settings, nextId: id } = state;
  if (session === null) return [state, []];
  const name = state.leading ? (own?.name ?? null) : (leader?.name ?? null);
  const path = name === null ? settings.path : pathOf(state, name);
  const ping: SentPing = { id, sentMs: nowMs, name };
  return [
    { ...state, ping, nextId: id + 1 },
    [
      send(state, { type: state.leading ? 'prove' : 'ping', id, session: session.id, path }),
      nextPing(session),
    ],
  ];
}

function onPong(state: ZooKeeperState, ping: SentPing, exists: boolean, nowMs: number): ZooKeeperTransition {
  const answered = heard({ ...state, ping: null }, ping.sentMs);
  if (!exists && ping.name !== null) return onChange(answered, ping.name, nowMs);
  // First in the queue and not leading yet; or nobody leads, as far as we have been told.
  const isWaiting = !state.leading && (state.leader === null || state.leader.name === state.own?.name);
  return isWaiting && state.awaited === null ? list(answered, nowMs) : [answered, []];
}

function onProven(
  state: ZooKeeperState,
  ping: SentPing,
  exists: boolean,
  nowMs: number,
): ZooKeeperTransition {
  const proven = learn({ ...state, ping: null }, ping.sentMs);
  if (!state.leading || state.own === null || proven.session === null) return [proven, []];
  if (!exists) return giveUp(proven, 'deposed', nowMs);
  const validForMs = deadlineMs(proven, proven.session) - nowMs;
  if (validForMs <= 0) return [proven, []];
  return [proven, [{ type: 'lead', token: BigInt(state.own.czxid), validForMs }]];
}

// ---- Leaving ------------------------------------------------------------------------------------------

/** Nothing is forgotten until ZooKeeper has acknowledged that our znode is gone. */
function resign(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  // A leader acts no more from here on, whoever drives it: the next may begin before the deletion is acknowledged.
  const left: ZooKeeperTransition = state.leading ? stepDown(state, 'deposed') : [state, []];
  return andThen(left, (former) => {
    const { own, session, awaited } = former;
    const resigning: ZooKeeperState = { ...former, standing: false, owesStepDown: true };
    const isAbsent = own === null && session?.unsure !== true && awaited !== 'delete';
    if (session !== null && !isAbsent) return leave(resigning, nowMs);
    return andThen(completeResignation(resigning), (observer) => lookOn(observer, nowMs));
  });
}

/** Stops leading at once, and makes way for the next. */
function giveUp(state: ZooKeeperState, reason: StepDownReason, nowMs: number): ZooKeeperTransition {
  return andThen(stepDown(state, reason), (former) => leave(former, nowMs));
}

/** Takes the own znode out of the queue; if it is not known whether there is one, the list will tell. */
function leave(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { own } = state;
  const left = abandon(state);
  if (!state.connected) return [left, []];
  if (own !== null) return remove(left, own.name, nowMs);
  return state.awaited === 'create' || state.awaited === 'delete' ? [left, []] : list(left, nowMs);
}

function remove(state: ZooKeeperState, name: ZnodeName, nowMs: number): ZooKeeperTransition {
  const { session } = state;
  if (session === null) return [state, []];
  return ask({ ...state, awaitedName: name }, 'delete', nowMs, (id) => ({
    type: 'delete',
    id,
    session: session.id,
    path: pathOf(state, name),
  }));
}

function onDeleted(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const isSure = state.session?.unsure === false;
  return andThen(isSure ? completeResignation(state) : [state, []], (former) => list(former, nowMs));
}

/** The znode, if there is one, is not to be led with any more: the next has another name. */
function abandon(state: ZooKeeperState): ZooKeeperState {
  const { session, own, leader } = state;
  return {
    ...state,
    own: null,
    leader: leader !== null && leader.name === own?.name ? null : leader,
    session: session === null ? null : { ...session, attempt: session.attempt + 1 },
  };
}

function completeResignation(state: ZooKeeperState): ZooKeeperTransition {
  if (!state.owesStepDown) return [state, []];
  const { standing } = state;
  // A request to campaign that came since then stands.
  return andThen(stepDown({ ...state, owesStepDown: false }, 'resigned'), (former) =>
    tell({ ...former, standing }),
  );
}

/** The only place where leadership ends and, with it, the candidacy. */
function stepDown(state: ZooKeeperState, reason: StepDownReason): ZooKeeperTransition {
  const isKnown = state.told !== 'leading' && state.told !== 'candidate';
  const former: ZooKeeperState = {
    ...state,
    leading: false,
    standing: false,
    told: isKnown ? state.told : 'nobody',
  };
  return [former, [{ type: 'step-down', reason }]];
}

function onHealth(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  if (state.healthy) return stand(state, nowMs);
  if (state.leading) return giveUp(state, 'unhealthy', nowMs);
  return andThen(tell(state), (patient) =>
    patient.standing && patient.session !== null ? leave(patient, nowMs) : [patient, []],
  );
}

function lookOn(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  return state.awaited === null || isLook(state.awaited) ? list(state, nowMs) : [state, []];
}

// ---- What arrives, and what does not --------------------------------------------------------------------

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
    case 'failed':
      return onFailed(state, message, nowMs);
    default:
      return onAnswer(state, message, nowMs);
  }
}

type Answer = Extract<
  ZooKeeperReply,
  { type: 'done' | 'created' | 'listed' | 'got' | 'pong' | 'confirmed' | 'proven' }
>;

function onAnswer(state: ZooKeeperState, message: Answer, nowMs: number): ZooKeeperTransition {
  const { session, ping, awaited } = state;
  if (session === null) return [state, []];
  if (ping?.id === message.id) {
    if (message.type === 'pong') return onPong(state, ping, message.exists, nowMs);
    return message.type === 'proven' ? onProven(state, ping, message.exists, nowMs) : [state, []];
  }
  if (awaited === null || state.awaitedId !== message.id) return [state, []];
  const answered: ZooKeeperState = { ...state, awaited: null };
  switch (message.type) {
    case 'done':
      return awaited === 'delete' ? onDeleted(answered, nowMs) : list(answered, nowMs);
    case 'created':
      return onCreated(answered, session, message, nowMs);
    case 'listed':
      return onListed(answered, session, message.names, nowMs);
    case 'got':
      return onGot(state, session, message, nowMs);
    case 'confirmed':
      return onConfirmed(answered, message.exists, nowMs);
    default:
      return [state, []];
  }
}

function onFailed(
  state: ZooKeeperState,
  { id, reason, detail }: Extract<ZooKeeperReply, { type: 'failed' }>,
  nowMs: number,
): ZooKeeperTransition {
  const { awaited, session, settings } = state;
  if (awaited === null || id !== state.awaitedId) return [state, []];
  const answered: ZooKeeperState = { ...state, awaited: null };
  const isSure = isDefiniteFailure(reason) && awaited === 'create' && session !== null;
  const informed = isSure ? { ...answered, session: { ...session, unsure: false } } : answered;
  if (reason === 'no-node') {
    if (awaited === 'list' || awaited === 'create') return ensure(informed, nowMs);
    if (awaited === 'delete') return onDeleted(informed, nowMs);
    return onChange(informed, state.awaitedName, nowMs);
  }
  if (reason === 'refused') {
    // What ZooKeeper refused it will refuse again: let a person hear of it, and do not hurry.
    return [
      informed,
      [
        { type: 'announce', announcement: { type: 'refused', detail } },
        setTimer('request', settings.requestTimeoutMs),
      ],
    ];
  }
  return [
    { ...informed, connected: false, ping: null },
    [{ type: 'set-timer', timer: 'request', delayMs: settings.retryMs }],
  ];
}

/** The queue's own znode is missing, or somebody has removed it. */
function ensure(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const { session, settings } = state;
  if (session === null) return [state, []];
  return ask({ ...state, queue: [], watching: null }, 'ensure', nowMs, (id) => ({
    type: 'ensure',
    id,
    session: session.id,
    path: settings.path,
  }));
}

function onRequestTimer(state: ZooKeeperState, nowMs: number): ZooKeeperTransition {
  const isRetry = state.connected && state.awaited === null;
  return isRetry ? list(state, nowMs) : connect(state, nowMs);
}

// ---- Telling ------------------------------------------------------------------------------------------

/** Has the driver believe what this node knows, if it does not yet. A leader has nobody to follow. */
function tell(state: ZooKeeperState): ZooKeeperTransition {
  const { leader, own } = state;
  // Until it has stepped down, a leader that resigns counts as one.
  if (state.told === 'leading') return [state, []];
  if (leader !== null && leader.name !== own?.name) {
    const told = `${leader.czxid}`;
    if (state.told === told) return [state, []];
    return [{ ...state, told }, [{ type: 'follow', leaderId: leader.leaderId, token: BigInt(leader.czxid) }]];
  }
  const told = isEligible(state) ? 'candidate' : 'nobody';
  if (state.told === told) return [state, []];
  const effect: ZooKeeperEffect = isEligible(state)
    ? { type: 'campaign' }
    : { type: 'follow', leaderId: null, token: null };
  return [{ ...state, told }, [effect]];
}

// ---- Small words --------------------------------------------------------------------------------------

/** Sends a request that the node waits for. Whatever it waited for before is no longer wanted. */
function ask(
  state: ZooKeeperState,
  awaited: Awaited,
  nowMs: number,
  request: (id: number) => ZooKeeperRequest,
): ZooKeeperTransition {
  const id = state.nextId;
  return [
    { ...state, awaited, awaitedId: id, awaitedSentMs: nowMs, nextId: id + 1 },
    [send(state, request(id)), setTimer('request', state.settings.requestTimeoutMs)],
  ];
}

/** There is nothing to do until something happens. */
const settle = (state: ZooKeeperState): ZooKeeperTransition => [
  { ...state, awaited: null },
  [cancel('request')],
];

function andThen(
  first: ZooKeeperTransition,
  ...rules: readonly ((state: ZooKeeperState) => ZooKeeperTransition)[]
): ZooKeeperTransition {
  let [state, effects] = first;
  for (const rule of rules) {
    const [after, more] = rule(state);
    state = after;
    if (more.length > 0) effects = [...effects, ...more];
  }
  return [state, effects];
}

const isEligible = ({ standing, healthy, owesStepDown }: ZooKeeperState): boolean =>
  standing && healthy && !owesStepDown;
/** Requests that only look: another may take their place at any time. */
const isLook = (awaited: Awaited): boolean =>
  awaited === 'list' || awaited === 'watch' || awaited === 'leader';
const isCoordinator = ({ settings }: ZooKeeperState, node: NodeId): boolean => node === settings.coordinator;
const pathOf = ({ settings }: ZooKeeperState, name: ZnodeName): string => `${settings.path}/${name}`;
/** The name of a znode in the queue; the empty name for the queue itself. */
const nameOf = ({ settings }: ZooKeeperState, path: string): ZnodeName =>
  path.slice(settings.path.length + 1);
const send = ({ settings }: ZooKeeperState, message: ZooKeeperRequest): ZooKeeperEffect => ({
  type: 'send',
  to: settings.coordinator,
  message,
});
const setTimer = (timer: ZooKeeperTimer, delayMs: number): ZooKeeperEffect => ({
  type: 'set-timer',
  timer,
  delayMs: [delayMs, delayMs],
});
const cancel = (timer: ZooKeeperTimer): ZooKeeperEffect => ({ type: 'cancel-timer', timer });
const nextPing = ({ timeoutMs }: Session): ZooKeeperEffect => setTimer('ping', pingEveryMs(timeoutMs));
