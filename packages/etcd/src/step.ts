/**
 * Election on etcd. A candidate holds a lease and a key bound to it; of all keys the one that was created first
 * leads, and each candidate waits for the key just before its own to go.
 *
 * The keys, the order and the resignation are those of etcd's own client for Go (package
 * `client/v3/concurrency`, `Election`), so its candidates and ours take turns in one election.
 *
 * A look is one transaction, so what it finds was true at one moment. From there on events tell who comes and goes,
 * in order and without gaps; where that is in doubt, the node looks again before it acts.
 */

import type { DelayRangeMs, Effect, Input, StepDownReason, Transition } from '@hustings/elector';
import {
  applyChanges,
  findOwn,
  isAfter,
  joining,
  keyOf,
  leaving,
  looking,
  next,
  predecessorOf,
  prefixOf,
  proclaiming,
  readValue,
  readView,
} from './election.js';
import {
  type Change,
  type EtcdAnnouncement,
  type EtcdDurable,
  type EtcdElectionRequest,
  type EtcdMessage,
  type EtcdReply,
  type EtcdRequest,
  type EtcdTimer,
  isDefiniteFailure,
  type Revision,
  type TransactionResult,
} from './messages.js';
import { deadlineMs, type EtcdState, type Session, type Watch } from './state.js';

export type EtcdInput = Input<EtcdMessage, EtcdDurable, EtcdTimer, EtcdElectionRequest>;
export type EtcdEffect = Effect<EtcdMessage, EtcdDurable, EtcdTimer, EtcdAnnouncement>;
export type EtcdTransition = Transition<EtcdState, EtcdMessage, EtcdDurable, EtcdTimer, EtcdAnnouncement>;

export function step(state: EtcdState, input: EtcdInput, nowMs: number): EtcdTransition {
  switch (input.type) {
    case 'started':
    case 'restarted':
      return start(state, nowMs);
    case 'campaign-requested':
      return stand({ ...state, standing: true }, nowMs);
    case 'resign-requested':
      return resign(state, nowMs);
    case 'received':
      return input.from === state.settings.coordinator
        ? onReply(state, input.message as EtcdReply, nowMs)
        : [state, []];
    case 'timer-fired':
      return onTimer(state, input.timer, nowMs);
    case 'lease-expired':
      return state.phase === 'leading' ? giveUp(state, 'lease-expired', nowMs) : [state, []];
    case 'health-changed':
      return onHealth({ ...state, healthy: input.healthy }, nowMs);
    case 'link-down':
      return input.peer === state.settings.coordinator ? [suspect(state), []] : [state, []];
    case 'link-up':
      return input.peer === state.settings.coordinator && state.suspicious
        ? tryEverything(state, nowMs)
        : [state, []];
    case 'observation-changed':
      return [state, []];
    case 'requested':
      return proclaim(state, input.request.value);
  }
}

/** Ids begin at the clock's reading: an answer that outlives its process is not taken for another's. */
function start(state: EtcdState, nowMs: number): EtcdTransition {
  const started: EtcdState = { ...state, nextId: Math.max(1, Math.floor(nowMs * 1000)) };
  return andThen([started, [nextAudit(state)]], look);
}

// ---- Standing and waiting -----------------------------------------------------------------------------

/** Enters the election, unless this node is in it already or must leave it first. */
function stand(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.phase !== 'observing' || !state.standing || !state.healthy) return [state, []];
  return andThen(tell({ ...state, phase: 'granting' }), (granting) => ask(granting, nowMs));
}

/** Sends what the phase waits for, and again when no answer comes. Each is safe to repeat. */
function ask(state: EtcdState, nowMs: number): EtcdTransition {
  const id = state.nextId;
  const request = requestOf(state, id, nowMs);
  if (request === null) return [state, []];
  return [
    { ...state, request: id, nextId: id + 1 },
    [send(state, request), setTimer('request', state.settings.requestTimeoutMs)],
  ];
}

function requestOf(state: EtcdState, id: number, nowMs: number): EtcdRequest | null {
  const { phase, settings, session, ownRevision } = state;
  if (phase === 'granting') return { type: 'grant', id, ttlSeconds: settings.ttlSeconds, sentMs: nowMs };
  if (session === null) return null;
  if (phase === 'joining') return { type: 'txn', id, ...joining(state, session) };
  if (phase !== 'leaving') return null;
  // Whether the own key was put is not known: only the end of the lease is certain to take it away.
  if (ownRevision === null) return { type: 'revoke', id, lease: session.lease };
  return { type: 'txn', id, ...leaving(session, ownRevision) };
}

function onGranted(
  state: EtcdState,
  { id, lease, ttlSeconds, sentMs }: Extract<EtcdReply, { type: 'granted' }>,
  nowMs: number,
): EtcdTransition {
  if (state.phase !== 'granting' || state.request !== id) {
    // The answer came after we asked again, or gave up. Nobody will use this lease.
    return state.session?.lease === lease ? [state, []] : revoke(state, lease);
  }
  const session: Session = {
    lease,
    key: keyOf(state.settings, lease),
    ttlMs: 1000 * ttlSeconds,
    renewedMs: sentMs,
    isDoubtful: false,
  };
  const member: EtcdState = { ...state, phase: 'joining', session };
  return andThen([member, [nextKeepAlive(state, session, nowMs)]], (joiner) => ask(joiner, nowMs));
}

function onJoined(
  state: EtcdState,
  session: Session,
  result: TransactionResult,
  nowMs: number,
): EtcdTransition {
  const waiting: EtcdState = { ...answered(state), phase: 'waiting' };
  const own = findOwn(result, session);
  if (state.settings.succession === 'race') return onView(waiting, result, nowMs);
  // The key is named after our lease, so under another lease it cannot be.
  if (own === null) return rejoin(state, nowMs);
  return look({ ...waiting, ownRevision: own.createRevision, ownModRevision: own.modRevision });
}

/** The key or its lease is gone, but not the wish: enter again, at the end of the queue. */
function rejoin(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(forgetSession(state), (former) => stand(former, nowMs));
}

// ---- Looking ------------------------------------------------------------------------------------------

/** Asks how the election stands. An answer to an earlier look is no longer wanted. */
function look(state: EtcdState, type: 'txn' | 'audit' = 'txn'): EtcdTransition {
  if (!state.settings.observes && state.phase !== 'waiting' && state.phase !== 'leading') return [state, []];
  const id = state.nextId;
  return [
    { ...state, look: id, nextId: id + 1 },
    [send(state, { type, id, ...looking(state) }), setTimer('look', state.settings.requestTimeoutMs)],
  ];
}

/** An answer that is on its way will do, unless it turns out to be older than what made us ask: onView sees to that. */
const lookUnlessAsked = (state: EtcdState): EtcdTransition =>
  state.look === null ? look(state) : [state, []];

function onLook(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  return andThen([{ ...state, look: null }, [cancel('look')]], (looked) => onView(looked, result, nowMs));
}

/** The election as it was at `result.revision`: act on it, and watch for what comes after. */
function onView(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  if (isAfter(state.heardUpTo, result.revision)) {
    // An event was quicker than this answer. A look that is sent now sees at least as much as it told.
    return look({ ...state, heardUpTo: result.revision });
  }
  const { members, ownIsThere } = readView(state, result);
  const seen: EtcdState = { ...state, members, lookedAt: result.revision };
  return andThen(
    ownIsThere ? onOwnFound(seen, result, nowMs) : onOwnMissing(seen, nowMs),
    tell,
    (told) => [told, announceValue(state, told)],
    (told) => watchFrom(told, next(result.revision)),
  );
}

function onOwnFound(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  const { phase, session } = state;
  if (phase !== 'waiting' || session === null) return [state, []];
  // In a race the own key is found by looking; in a queue it is known since joining.
  const own = state.ownRevision === null ? findOwn(result, session) : null;
  const known: EtcdState =
    own === null ? state : { ...state, ownRevision: own.createRevision, ownModRevision: own.modRevision };
  return predecessorOf(known) === null ? takeTurn(known, nowMs) : [known, []];
}

function onOwnMissing(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.phase === 'leading') return depose(state);
  if (state.phase !== 'waiting') return [state, []];
  if (state.settings.succession === 'queue') return rejoin(state, nowMs);
  return state.members.length === 0 ? run(state, nowMs) : [state, []];
}

/** The one key of a race is free: try to be the first to put it. */
function run(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(tell({ ...state, phase: 'joining' }), (runner) => ask(runner, nowMs));
}

function watchFrom(state: EtcdState, fromRevision: Revision): EtcdTransition {
  const wanted = wantedWatches(state);
  const kept = state.suspicious
    ? []
    : state.watches.filter((watch) => wanted.some((each) => isSameWatch(each, watch)));
  const dropped = state.watches.filter((watch) => !kept.includes(watch));
  const added = wanted
    .filter((each) => !kept.some((watch) => isSameWatch(each, watch)))
    .map((each, index): Watch => ({ ...each, id: state.nextId + index }));
  return [
    {
      ...state,
      watches: [...kept, ...added],
      nextId: state.nextId + added.length,
      suspicious: false,
    },
    [
      ...added.map((watch) => send(state, { type: 'watch', ...watch, fromRevision })),
      ...dropped.map(({ id }) => send(state, { type: 'cancel-watch', id })),
    ],
  ];
}

type WantedWatch = Omit<Watch, 'id'>;

function wantedWatches(state: EtcdState): WantedWatch[] {
  const { settings, phase } = state;
  if (!settings.observes) {
    const predecessor = phase === 'waiting' ? predecessorOf(state) : null;
    return predecessor === null ? [] : [{ key: predecessor.key, prefix: false }];
  }
  return settings.succession === 'race'
    ? [{ key: settings.name, prefix: false }]
    : [{ key: prefixOf(settings), prefix: true }];
}

const isSameWatch = (a: WantedWatch, b: WantedWatch): boolean => a.key === b.key && a.prefix === b.prefix;

function onChanges(state: EtcdState, reported: readonly Change[], nowMs: number): EtcdTransition {
  const changes = reported.filter(({ revision }) => isAfter(revision, state.lookedAt));
  const [first] = changes;
  if (first === undefined) return [state, []];
  // Twice, or overtaken by a later one: this network is no TCP connection. Start from what is there.
  if (!isAfter(first.revision, state.heardUpTo)) return look(state);
  const heardUpTo = changes.at(-1)?.revision ?? first.revision;
  const informed: EtcdState = { ...state, heardUpTo, members: applyChanges(state.members, changes) };
  return andThen(onMembers(informed, changes, nowMs), tell, (told) => [told, announceValue(state, told)]);
}

function onMembers(state: EtcdState, changes: readonly Change[], nowMs: number): EtcdTransition {
  const { phase, session, settings } = state;
  const isGone = (key: string | undefined) =>
    changes.some((change) => change.type === 'delete' && change.key === key);
  switch (phase) {
    case 'leading':
      return isGone(session?.key) ? depose(state) : [state, []];
    case 'waiting':
      if (settings.succession === 'race') return state.members.length === 0 ? run(state, nowMs) : [state, []];
      // Who watches one key only does not know who else there is.
      if (!settings.observes || isGone(session?.key)) return lookUnlessAsked(state);
      if (predecessorOf(state) !== null) return [state, []];
      return andThen(tell(state), (heir) =>
        isConfirmed(heir) ? takeTurn(heir, nowMs) : lookUnlessAsked(heir),
      );
    default:
      return [state, []];
  }
}

/**
 * Whether the events so far prove that the own key is there and the oldest. A look since it was put has shown every
 * older key, none can be added, and each has been seen to go; had the own one gone, this stream would have said so.
 * Where something went unanswered the stream may have gaps, and only another look will do.
 */
function isConfirmed({
  members,
  session,
  ownRevision,
  lookedAt,
  look: awaited,
  suspicious,
}: EtcdState): boolean {
  const isListed = members.some(({ lease }) => lease === session?.lease);
  const hasLooked = ownRevision !== null && !isAfter(ownRevision, lookedAt);
  return isListed && hasLooked && awaited === null && !suspicious;
}

/** The watch is over. Not at once, in case etcd refuses every watch. */
function onWatchLost(state: EtcdState, id: number): EtcdTransition {
  const watches = state.watches.filter((watch) => watch.id !== id);
  if (watches.length === state.watches.length) return [state, []];
  return [{ ...state, watches }, [{ type: 'set-timer', timer: 'look', delayMs: state.settings.retryMs }]];
}

// ---- Leading ------------------------------------------------------------------------------------------

/** First in line, and confirmed to be so. Leads if the lease is fresh enough; else renews it and looks again. */
function takeTurn(state: EtcdState, nowMs: number): EtcdTransition {
  const { session, ownRevision } = state;
  if (session === null || ownRevision === null) return [state, []];
  const validForMs = deadlineMs(state, session) - nowMs;
  if (validForMs <= 0) return renew(state, session, nowMs);
  const leader: EtcdState = { ...state, phase: 'leading', told: 'leading' };
  return [leader, [{ type: 'lead', token: BigInt(ownRevision), validForMs }]];
}

function renew(state: EtcdState, { lease, ttlMs }: Session, nowMs: number): EtcdTransition {
  const id = state.nextId;
  return [
    { ...state, nextId: id + 1, renewing: true },
    [
      send(state, { type: 'keep-alive', id, lease, sentMs: nowMs }),
      // Several attempts fit into what is left of the lease.
      setTimer('keep-alive', ttlMs / 9),
    ],
  ];
}

function onKeptAlive(
  state: EtcdState,
  { lease, ttlSeconds, sentMs }: Extract<EtcdReply, { type: 'kept-alive' }>,
  nowMs: number,
): EtcdTransition {
  const { session, ownRevision } = state;
  if (session === null || session.lease !== lease) return [state, []];
  if (state.phase === 'leaving') return ttlSeconds === 0 ? onLeft(state, nowMs) : [state, []];
  if (ttlSeconds === 0) return loseSession(state, nowMs);
  if (sentMs < session.renewedMs) return [state, []];
  const renewed: Session = { ...session, ttlMs: 1000 * ttlSeconds, renewedMs: sentMs };
  const kept: EtcdTransition = [
    { ...state, session: renewed, renewing: false },
    [nextKeepAlive(state, renewed, nowMs)],
  ];
  const validForMs = deadlineMs(state, renewed) - nowMs;
  if (state.phase === 'leading' && ownRevision !== null && validForMs > 0) {
    return andThen(kept, (leader) => [leader, [{ type: 'lead', token: BigInt(ownRevision), validForMs }]]);
  }
  const isFirst = state.phase === 'waiting' && ownRevision !== null && predecessorOf(state) === null;
  return isFirst && state.look === null ? andThen(kept, look) : kept;
}

/** The server has ended the lease, and deleted the key with it. */
function loseSession(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.phase !== 'leading') return rejoin(state, nowMs);
  return andThen(stepDown(state, 'session-lost'), forgetSession, tell);
}

/** Somebody has deleted the leader's key. Its lease stands, but counts for nothing. */
function depose(state: EtcdState): EtcdTransition {
  return andThen(stepDown(state, 'deposed'), forgetSession, tell);
}

// ---- Leaving ------------------------------------------------------------------------------------------

function resign(state: EtcdState, nowMs: number): EtcdTransition {
  const resigning: EtcdState = { ...state, standing: false, owesStepDown: true };
  // Nothing of ours can be in etcd but a lease, which is revoked when its grant arrives.
  if (state.session === null) return completeResignation(forgetRequest(resigning));
  return state.phase === 'leaving' ? [resigning, []] : leave(resigning, nowMs);
}

/** Stops leading at once, and makes way for the next. */
function giveUp(state: EtcdState, reason: StepDownReason, nowMs: number): EtcdTransition {
  return andThen(stepDown(state, reason), (former) => leave(former, nowMs));
}

function leave(state: EtcdState, nowMs: number): EtcdTransition {
  const left: EtcdState = { ...state, phase: 'leaving', renewing: false };
  return andThen(
    [left, [cancel('keep-alive'), cancel('proclaim')]],
    (leaver) => ask(leaver, nowMs),
    // What was not published by now never will be.
    failProclaims,
  );
}

/** etcd has acknowledged that our key is gone. */
function onLeft(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(completeResignation(state), forgetSession, tell, (former) => stand(former, nowMs));
}

function completeResignation(state: EtcdState): EtcdTransition {
  if (!state.owesStepDown) return [state, []];
  const { standing } = state;
  // A request to campaign that came since then stands.
  return andThen(stepDown({ ...state, owesStepDown: false }, 'resigned'), (former) => [
    { ...former, standing },
    [],
  ]);
}

/** The only place where leadership ends and, with it, the candidacy. */
function stepDown(state: EtcdState, reason: StepDownReason): EtcdTransition {
  const isKnown = state.told !== 'leading' && state.told !== 'candidate';
  const former: EtcdState = {
    ...state,
    phase: state.phase === 'leading' ? 'observing' : state.phase,
    standing: false,
    told: isKnown ? state.told : 'nobody',
  };
  return andThen([former, [{ type: 'step-down', reason }]], failProclaims);
}

/**
 * Lets go of the lease and all that hung on it. It runs out by itself. Only if an attempt to put the key may still
 * be on its way is it revoked, or that attempt could put the key again, for as long as the lease lasts. A revocation
 * is a write, and the next leader's look would wait for it.
 */
function forgetSession(state: EtcdState): EtcdTransition {
  const { session, members } = state;
  const former: EtcdState = {
    ...forgetRequest(state),
    members: members.filter(({ lease }) => lease !== session?.lease),
    session: null,
    ownRevision: null,
    ownModRevision: null,
    renewing: false,
  };
  const quiet = [cancel('keep-alive'), cancel('request')];
  if (session?.isDoubtful !== true) return [former, quiet];
  return andThen([former, quiet], (leaver) => revoke(leaver, session.lease));
}

const forgetRequest = (state: EtcdState): EtcdState => ({
  ...state,
  phase: 'observing',
  request: null,
});

/** Nobody waits for the answer. */
function revoke(state: EtcdState, lease: string): EtcdTransition {
  const id = state.nextId;
  return [{ ...state, nextId: id + 1 }, [send(state, { type: 'revoke', id, lease })]];
}

function onHealth(state: EtcdState, nowMs: number): EtcdTransition {
  if (state.healthy) return stand(state, nowMs);
  switch (state.phase) {
    case 'leading':
      return giveUp(state, 'unhealthy', nowMs);
    case 'joining':
    case 'waiting':
      return andThen(leave(state, nowMs), tell);
    case 'granting':
      return andThen([forgetRequest(state), [cancel('request')]], tell);
    case 'observing':
    case 'leaving':
      return [state, []];
  }
}

// ---- Proclaiming --------------------------------------------------------------------------------------

function proclaim(state: EtcdState, value: string): EtcdTransition {
  if (state.phase !== 'leading') return [state, [announce({ type: 'proclaim-failed', value })]];
  const proclaims = [...state.proclaims, value];
  const queued: EtcdState = { ...state, proclaims };
  return proclaims.length === 1 ? sendProclaim(queued) : [queued, []];
}

function sendProclaim(state: EtcdState): EtcdTransition {
  const { session, settings } = state;
  const [value] = state.proclaims;
  if (session === null || value === undefined) return [state, []];
  const id = state.nextId;
  return [
    { ...state, proclaimRequest: id, nextId: id + 1 },
    [
      send(state, { type: 'txn', id, ...proclaiming(state, session, value) }),
      setTimer('proclaim', settings.requestTimeoutMs),
    ],
  ];
}

function onProclaimed(state: EtcdState, session: Session, result: TransactionResult): EtcdTransition {
  const [value = '', ...rest] = state.proclaims;
  const done = (ownModRevision: Revision): EtcdTransition =>
    andThen(
      [
        { ...state, proclaims: rest, proclaimRequest: null, ownModRevision },
        [cancel('proclaim'), announce({ type: 'proclaimed', value })],
      ],
      sendProclaim,
    );
  if (result.succeeded) return done(result.revision);
  const own = findOwn(result, session);
  if (own === null || own.createRevision !== state.ownRevision) return depose(state);
  // An earlier attempt of ours had arrived after all.
  if (own.value === `${state.id}\n${value}`) return done(own.modRevision);
  return sendProclaim({ ...state, ownModRevision: own.modRevision });
}

function failProclaims(state: EtcdState): EtcdTransition {
  if (state.proclaims.length === 0) return [state, []];
  return [
    { ...state, proclaims: [], proclaimRequest: null },
    [cancel('proclaim'), ...state.proclaims.map((value) => announce({ type: 'proclaim-failed', value }))],
  ];
}

// ---- What arrives, and what does not --------------------------------------------------------------------

function onReply(state: EtcdState, message: EtcdReply, nowMs: number): EtcdTransition {
  // etcd answers again. Events may have been lost while it did not.
  const lookIfSuspicious = (after: EtcdState): EtcdTransition =>
    after.suspicious && after.look === null && message.type !== 'failed' ? look(after) : [after, []];
  return andThen(readReply(state, message, nowMs), lookIfSuspicious);
}

function readReply(state: EtcdState, message: EtcdReply, nowMs: number): EtcdTransition {
  switch (message.type) {
    case 'granted':
      return onGranted(state, message, nowMs);
    case 'txn-done':
    case 'audited':
      return onTransaction(state, message.id, message, nowMs);
    case 'kept-alive':
      return onKeptAlive(state, message, nowMs);
    case 'revoked':
      return state.phase === 'leaving' && state.request === message.id ? onLeft(state, nowMs) : [state, []];
    case 'changed':
      return state.watches.some(({ id }) => id === message.id)
        ? onChanges(state, message.changes, nowMs)
        : [state, []];
    case 'watch-lost':
      return onWatchLost(state, message.id);
    case 'failed':
      return onFailed(state, message, nowMs);
    default:
      return [state, []];
  }
}

function onTransaction(
  state: EtcdState,
  id: number,
  result: TransactionResult,
  nowMs: number,
): EtcdTransition {
  const { session } = state;
  if (id === state.look) return onLook(state, result, nowMs);
  if (session === null) return [state, []];
  if (id === state.proclaimRequest) return onProclaimed(state, session, result);
  if (id !== state.request) return [state, []];
  if (state.phase === 'leaving') return onLeft(state, nowMs);
  return andThen([state, [cancel('request')]], (joiner) => onJoined(joiner, session, result, nowMs));
}

function onFailed(
  state: EtcdState,
  { id, reason, detail }: Extract<EtcdReply, { type: 'failed' }>,
  nowMs: number,
): EtcdTransition {
  const { requestTimeoutMs, retryMs } = state.settings;
  if (reason === 'lease-not-found' && (id === state.request || id === state.proclaimRequest)) {
    return state.phase === 'leaving' ? onLeft(state, nowMs) : loseSession(state, nowMs);
  }
  const timer = timerOf(state, id);
  if (timer === null) return [state, []];
  // What etcd refused it will refuse again: let a person hear of it, and do not hurry.
  const isRefused = isDefiniteFailure(reason);
  return [
    suspect(state),
    [
      ...(isRefused ? [announce({ type: 'refused', reason, detail })] : []),
      { type: 'set-timer', timer, delayMs: isRefused ? [requestTimeoutMs, requestTimeoutMs] : retryMs },
    ],
  ];
}

function timerOf({ request, look: looked, proclaimRequest }: EtcdState, id: number): EtcdTimer | null {
  if (id === request) return 'request';
  if (id === looked) return 'look';
  return id === proclaimRequest ? 'proclaim' : null;
}

function onTimer(state: EtcdState, timer: EtcdTimer, nowMs: number): EtcdTransition {
  const { session } = state;
  switch (timer) {
    case 'request':
      return state.request === null ? [state, []] : ask(doubtJoining(suspect(state)), nowMs);
    case 'look':
      return look(state.look === null ? state : suspect(state));
    case 'proclaim':
      return sendProclaim(suspect(state));
    case 'keep-alive':
      return session === null ? [state, []] : renew(state.renewing ? suspect(state) : state, session, nowMs);
    case 'audit':
      return andThen([state, [nextAudit(state)]], (auditor) =>
        auditor.look === null ? look(auditor, 'audit') : [auditor, []],
      );
  }
}

/** The way to etcd is open again: ask at once for all that went unanswered. */
function tryEverything(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(state.request === null ? [state, []] : ask(state, nowMs), look, (asked) =>
    asked.session === null || asked.phase === 'leaving' ? [asked, []] : renew(asked, asked.session, nowMs),
  );
}

const suspect = (state: EtcdState): EtcdState => (state.suspicious ? state : { ...state, suspicious: true });

/** An attempt to put the own key went unanswered, and another is made: the first may yet arrive. */
const doubtJoining = (state: EtcdState): EtcdState =>
  state.phase === 'joining' && state.session !== null
    ? { ...state, session: { ...state.session, isDoubtful: true } }
    : state;

const answered = (state: EtcdState): EtcdState => ({ ...state, request: null });

// ---- Telling ------------------------------------------------------------------------------------------

/** Has the driver believe what this node knows, if it does not yet. A leader has nobody to follow. */
function tell(state: EtcdState): EtcdTransition {
  const { members, phase, session } = state;
  const [leader] = members;
  // Until it has stepped down, a leader that resigns counts as one.
  if (state.told === 'leading') return [state, []];
  if (leader !== undefined && leader.lease !== session?.lease) {
    const token = leader.createRevision;
    if (state.told === token) return [state, []];
    const { leaderId } = readValue(leader.value);
    return [{ ...state, told: token }, [{ type: 'follow', leaderId, token: BigInt(token) }]];
  }
  const seeks = phase === 'granting' || phase === 'joining' || phase === 'waiting';
  const told = seeks ? 'candidate' : 'nobody';
  if (state.told === told) return [state, []];
  const effect: EtcdEffect = seeks ? { type: 'campaign' } : { type: 'follow', leaderId: null, token: null };
  return [{ ...state, told }, [effect]];
}

function announceValue(before: EtcdState, { members, phase }: EtcdState): EtcdEffect[] {
  const [leader] = members;
  if (phase === 'leading' || leader === undefined) return [];
  const [known] = before.members;
  const { leaderId, proclaimed } = readValue(leader.value);
  const isOld = known?.createRevision === leader.createRevision && known.value === leader.value;
  if (isOld || proclaimed === null) return [];
  return [
    announce({ type: 'value-seen', leaderId, token: BigInt(leader.createRevision), value: proclaimed }),
  ];
}

// ---- Small words --------------------------------------------------------------------------------------

function andThen(
  first: EtcdTransition,
  ...rules: readonly ((state: EtcdState) => EtcdTransition)[]
): EtcdTransition {
  let [state, effects] = first;
  for (const rule of rules) {
    const [after, more] = rule(state);
    state = after;
    if (more.length > 0) effects = [...effects, ...more];
  }
  return [state, effects];
}

const send = ({ settings }: EtcdState, message: EtcdRequest): EtcdEffect => ({
  type: 'send',
  to: settings.coordinator,
  message,
});
const announce = (announcement: EtcdAnnouncement): EtcdEffect => ({ type: 'announce', announcement });
const setTimer = (timer: EtcdTimer, delayMs: number): EtcdEffect => {
  const delay: DelayRangeMs = [delayMs, delayMs];
  return { type: 'set-timer', timer, delayMs: delay };
};
const cancel = (timer: EtcdTimer): EtcdEffect => ({ type: 'cancel-timer', timer });
const nextAudit = ({ settings }: EtcdState): EtcdEffect => setTimer('audit', settings.auditMs);
const nextKeepAlive = ({ settings }: EtcdState, { renewedMs, ttlMs }: Session, nowMs: number): EtcdEffect =>
  setTimer('keep-alive', Math.max(0, renewedMs + settings.renewAfter * ttlMs - nowMs));
