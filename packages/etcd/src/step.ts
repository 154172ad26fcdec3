/**
 * Election on etcd. A candidate holds a lease and a key bound to it; of all keys the one that was created first
 * leads, and each candidate waits for the key just before its own to go.
 *
 * The keys, the order and the resignation are those of etcd's own client for Go (package
 * `client/v3/concurrency`, `Election`), so its candidates and ours take turns in one election.
 *
 * A look is one transaction, so what it finds was true at one moment, and whoever finds itself first in line knows
 * that its own key is still there. Events say when to look; only for the next in line do they say as much as a look.
 */

import type { StepDownReason } from '@hustings/elector';
import {
  applyChanges,
  findOwn,
  isAfter,
  isCandidate,
  isConfirmed,
  joining,
  keyOf,
  looking,
  next,
  predecessorOf,
  readView,
  watchable,
} from './election.js';
import {
  type Change,
  type EtcdReply,
  type EtcdRequest,
  type EtcdTimer,
  isDefiniteFailure,
  type Revision,
  type TransactionResult,
} from './messages.js';
import { failProclaims, onProclaimed, proclaim, sendProclaim } from './proclaim.js';
import { deadlineMs, type EtcdState, renewalMs, type Session, type Watched } from './state.js';
import {
  acceptLowerTokens,
  isUnseen,
  lossShownBy,
  onDataLost,
  remember,
  rememberLeader,
} from './step/data-loss.js';
import { announceBlockage, announceValue, tell } from './tell.js';
import {
  andThen,
  announce,
  cancel,
  type EtcdEffect,
  type EtcdInput,
  type EtcdTransition,
  send,
  setTimer,
} from './transition.js';

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
      // The look shows as much as is wanted from now on, and replaces the watch.
      return look({ ...state, observed: input.observed });
    case 'requested':
      return input.request.type === 'proclaim'
        ? proclaim(state, input.request.value)
        : look(acceptLowerTokens(state));
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
  if (state.phase !== 'following' || !state.standing || !state.healthy) return [state, []];
  return andThen(tell({ ...state, phase: 'granting' }), (granting) => ask(granting, nowMs));
}

/** Sends what the phase waits for, and again when no answer comes. Each is safe to repeat. */
function ask(state: EtcdState, nowMs: number): EtcdTransition {
  const id = state.nextId;
  const request = requestOf(state, id, nowMs);
  if (request === null) return [state, []];
  return [
    { ...state, request: id, requestedMs: nowMs, nextId: id + 1 },
    [send(state, request), setTimer('request', state.settings.requestTimeoutMs)],
  ];
}

/** No answer came. */
const askAgain = (state: EtcdState, nowMs: number): EtcdTransition =>
  state.request === null ? [state, []] : ask(state, nowMs);

function requestOf(state: EtcdState, id: number, nowMs: number): EtcdRequest | null {
  const { phase, settings, session } = state;
  if (phase === 'granting') return { type: 'grant', id, ttlSeconds: settings.ttlSeconds, sentMs: nowMs };
  if (session === null) return null;
  if (phase === 'joining') return { type: 'txn', id, ...joining(state, session) };
  // With the lease the key goes as well, and an attempt to put it that is still on its way comes to nothing.
  return phase === 'leaving' ? { type: 'revoke', id, lease: session.lease } : null;
}

function onGranted(
  state: EtcdState,
  { id, lease, ttlSeconds, sentMs }: Extract<EtcdReply, { type: 'granted' }>,
  nowMs: number,
): EtcdTransition {
  const isAwaited = state.phase === 'granting' && state.request === id && state.requestedMs === sentMs;
  if (!isAwaited) {
    // We have asked again, or given up, or an earlier process of this node had asked. Nobody will use this lease.
    return state.session?.lease === lease ? [state, []] : revoke(state, lease);
  }
  const session: Session = {
    lease,
    key: keyOf(state.settings, lease),
    ttlMs: 1000 * ttlSeconds,
    renewedMs: sentMs,
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

/** The key is gone, but not the wish: enter again, at the end of the queue. */
function rejoin(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(giveBackLease(state), (former) => stand(former, nowMs));
}

// ---- Looking ------------------------------------------------------------------------------------------

/** Asks how the election stands. An answer to an earlier look is no longer wanted. */
function look(state: EtcdState, type: 'txn' | 'audit' = 'txn'): EtcdTransition {
  const id = state.nextId;
  return [
    { ...state, look: id, seenAtLook: state.seen, nextId: id + 1 },
    [send(state, { type, id, ...looking(state) }), setTimer('look', state.settings.requestTimeoutMs)],
  ];
}

/** An answer that is on its way will do, unless it turns out to be older than what made us ask: onView sees to that. */
const lookUnlessAsked = (state: EtcdState, type: 'txn' | 'audit' = 'txn'): EtcdTransition =>
  state.look === null ? look(state, type) : [state, []];

function onLook(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  const answered: EtcdTransition = [{ ...state, look: null }, [cancel('look')]];
  const loss = lossShownBy(state, result);
  const { clusterId } = result;
  return andThen(
    answered,
    (looked) => (loss === null ? [looked, []] : beginAgain(looked, loss)),
    (looked) => onView({ ...looked, clusterId }, result, nowMs),
  );
}

/** Nothing that this node knew is of the etcd that answers now. */
function beginAgain(state: EtcdState, loss: string): EtcdTransition {
  return andThen(
    onDataLost(state, loss),
    (informed) => (informed.phase === 'leading' ? depose(informed) : [informed, []]),
    (former) => [{ ...former, seen: '0', lookedAt: '0', heardUpTo: '0' }, []],
  );
}

/** The election as it was at `result.revision`: act on it, and watch for what comes after. */
function onView(state: EtcdState, result: TransactionResult, nowMs: number): EtcdTransition {
  const { revision } = result;
  // Something was quicker than this answer. A look that is sent now sees at least as much as it told.
  if (isAfter(state.heardUpTo, revision) || isAfter(state.lookedAt, revision)) return look(state);
  const { members, ownIsThere, hasStrangers } = readView(state, result);
  if (hasStrangers && !state.crowded && !state.observed) return look({ ...state, crowded: true });
  const seen: EtcdState = { ...state, members, crowded: hasStrangers, lookedAt: revision };
  return andThen(
    rememberLeader(seen, members[0]),
    (viewer) => [remember(viewer, revision), []],
    (viewer) => (ownIsThere ? onOwnFound(viewer, result, nowMs) : onOwnMissing(viewer, nowMs)),
    tell,
    (told) => [told, [...announceValue(state, told), ...announceBlockage(state, told)]],
    (told) => watchFrom(told, next(revision)),
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

// ---- Watching -----------------------------------------------------------------------------------------

/** Watches what matters now, and that alone. The new watch is asked for first, so that nothing falls between. */
function watchFrom(state: EtcdState, fromRevision: Revision): EtcdTransition {
  const { watch: present, suspicious, nextId: id } = state;
  const wanted = watchable(state);
  if (!suspicious && isSameWatch(present, wanted)) return [state, []];
  const effects: EtcdEffect[] = [];
  if (wanted !== null) effects.push(send(state, { type: 'watch', id, ...wanted, fromRevision }));
  if (present !== null) effects.push(send(state, { type: 'cancel-watch', id: present.id }));
  const watch = wanted === null ? null : { id, ...wanted };
  return [{ ...state, watch, nextId: id + 1, suspicious: false }, effects];
}

const isSameWatch = (a: Watched | null, b: Watched | null): boolean =>
  a?.key === b?.key && a?.prefix === b?.prefix;

function onChanges(state: EtcdState, reported: readonly Change[], nowMs: number): EtcdTransition {
  const changes = reported.filter(
    ({ key, revision }) => isAfter(revision, state.lookedAt) && isCandidate(state.settings, key),
  );
  const [first] = changes;
  if (first === undefined) return [state, []];
  // Twice, or overtaken by a later one: this network is no TCP connection. Start from what is there.
  if (!isAfter(first.revision, state.heardUpTo)) return look(state);
  const heardUpTo = changes.at(-1)?.revision ?? first.revision;
  const gone = new Set(changes.flatMap(({ type, key }) => (type === 'delete' ? [key] : [])));
  const waitsFor = predecessorOf(state)?.key;
  return andThen(
    tell({ ...remember(state, heardUpTo), heardUpTo, members: applyChanges(state, changes) }),
    (told) => onGone(told, gone, waitsFor, nowMs),
    (after) => [after, announceValue(state, after)],
  );
}

function onGone(
  state: EtcdState,
  gone: ReadonlySet<string>,
  waitsFor: string | undefined,
  nowMs: number,
): EtcdTransition {
  const { phase, session, settings } = state;
  const isGone = (key: string | undefined): boolean => key !== undefined && gone.has(key);
  if (phase === 'leading') return isGone(session?.key) ? depose(state) : [state, []];
  if (phase !== 'waiting') return [state, []];
  if (settings.succession === 'race') return state.members.length === 0 ? run(state, nowMs) : [state, []];
  if (isGone(session?.key)) return lookUnlessAsked(state);
  if (!isGone(waitsFor)) return [state, []];
  // The one in the middle may have died and not the leader, and our own key may have gone as well.
  return isConfirmed(state) ? takeTurn(state, nowMs) : lookUnlessAsked(state);
}

/** The watch is over. Not at once, in case etcd refuses every watch. */
function onWatchLost(state: EtcdState, id: number): EtcdTransition {
  if (state.watch?.id !== id) return [state, []];
  return [{ ...state, watch: null }, [{ type: 'set-timer', timer: 'look', delayMs: state.settings.retryMs }]];
}

// ---- Leading ------------------------------------------------------------------------------------------

/** First in line, and confirmed to be so. Leads if the lease is fresh enough; else renews it and looks again. */
function takeTurn(state: EtcdState, nowMs: number): EtcdTransition {
  const { session, ownRevision } = state;
  if (session === null || ownRevision === null) return [state, []];
  if (!isUnseen(state, ownRevision)) return refuse(state, ownRevision);
  const validForMs = deadlineMs(state, session) - nowMs;
  if (validForMs <= 0) return renew(state, session, nowMs);
  const leader: EtcdState = {
    ...state,
    phase: 'leading',
    told: 'leading',
    floor: ownRevision,
    dataLost: false,
  };
  return [leader, [{ type: 'lead', token: BigInt(ownRevision), validForMs }]];
}

/** Keeps its place, and so lets nobody else lead, until it is told that lower tokens do no harm. */
function refuse(state: EtcdState, token: Revision): EtcdTransition {
  return state.dataLost ? [state, []] : onDataLost(state, `it gives this node token ${token}`);
}

function renew(state: EtcdState, { lease, ttlMs }: Session, nowMs: number): EtcdTransition {
  const id = state.nextId;
  return [
    { ...state, nextId: id + 1, renewing: true },
    [
      send(state, { type: 'keep-alive', id, lease, sentMs: nowMs }),
      // Several attempts fit into what is left of the lease.
      setTimer('keep-alive', ttlMs / 10),
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
  if (state.phase !== 'leading') return andThen(forgetSession(state), (former) => stand(former, nowMs));
  return andThen(stepDown(state, 'session-lost'), forgetSession, tell);
}

/** Somebody has deleted the leader's key. Its lease stands, but counts for nothing. */
function depose(state: EtcdState): EtcdTransition {
  return andThen(stepDown(state, 'deposed'), giveBackLease, tell);
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
    phase: state.phase === 'leading' ? 'following' : state.phase,
    standing: false,
    told: isKnown ? state.told : 'nobody',
  };
  return andThen([former, [{ type: 'step-down', reason }]], failProclaims);
}

/** The lease is gone, and all that hung on it. */
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
  return [former, [cancel('keep-alive'), cancel('request')]];
}

/** Leases that nobody renews would pile up in etcd until they run out. */
function giveBackLease(state: EtcdState): EtcdTransition {
  const { session } = state;
  return andThen(forgetSession(state), (former) =>
    session === null ? [former, []] : revoke(former, session.lease),
  );
}

const forgetRequest = (state: EtcdState): EtcdState => ({
  ...state,
  phase: 'following',
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
    case 'following':
    case 'leaving':
      return [state, []];
  }
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
      return state.watch?.id === message.id ? onChanges(state, message.changes, nowMs) : [state, []];
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
  if (id === state.proclaimRequest) return onProclaimed(state, session, result) ?? depose(state);
  if (id !== state.request || state.phase !== 'joining') return [state, []];
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
      return askAgain(suspect(state), nowMs);
    case 'look':
      return look(state.look === null ? state : suspect(state));
    case 'proclaim':
      return sendProclaim(suspect(state));
    case 'keep-alive':
      return session === null ? [state, []] : renew(state.renewing ? suspect(state) : state, session, nowMs);
    case 'audit':
      return andThen([state, [nextAudit(state)]], (auditor) => lookUnlessAsked(auditor, 'audit'));
  }
}

/** The way to etcd is open again: ask at once for all that went unanswered. */
function tryEverything(state: EtcdState, nowMs: number): EtcdTransition {
  return andThen(askAgain(state, nowMs), look, (asked) =>
    asked.session === null || asked.phase === 'leaving' ? [asked, []] : renew(asked, asked.session, nowMs),
  );
}

const suspect = (state: EtcdState): EtcdState => (state.suspicious ? state : { ...state, suspicious: true });

const answered = (state: EtcdState): EtcdState => ({ ...state, request: null });

/** Who waits learns who leads as often as it renews its lease; and an event that went missing does no more harm. */
const nextAudit = (state: EtcdState): EtcdEffect => setTimer('audit', renewalMs(state, state.session));

const nextKeepAlive = (state: EtcdState, session: Session, nowMs: number): EtcdEffect =>
  setTimer('keep-alive', Math.max(0, session.renewedMs + renewalMs(state, session) - nowMs));
