/** A few leases for many elections: how shares are given out, renewed and lost. */

import { andThen } from '@hustings/elector/protocol';
import { entriesOf, mapTable, put } from '@hustings/elector/sessions';
import type { EtcdReply, EtcdRequest, LeaseId } from '../messages.js';
import {
  type Application,
  deliver,
  type Local,
  leaseOf,
  maxShares,
  type SharedEffect,
  type SharedLease,
  type SharedState,
  type SharedTransition,
  shareOf,
  toServer,
} from './state.js';

/** An election asks for a lease; once more, if an earlier answer is missing. */
export function apply(
  state: SharedState,
  election: string,
  local: Local,
  application: Application,
  nowMs: number,
): SharedTransition {
  const applied: SharedState = {
    ...state,
    locals: put(state.locals, election, { ...local, application }),
    applicants: state.applicants + (local.application === null ? 1 : 0),
    // What was asked for long ago is lost, and is revoked if it comes after all.
    granting: state.granting.filter(({ sentMs }) => nowMs - sentMs < state.settings.requestTimeoutMs),
  };
  // Others who wait cannot be served by what could not serve them before.
  const isServed = state.leases.some((lease) => canServe(state, lease, application));
  return isServed ? serve(applied, nowMs) : askForMore(applied, nowMs);
}

/** The election no longer wants one. */
export function withdraw(state: SharedState, local: Local): SharedState {
  return local.application === null ? state : { ...state, applicants: state.applicants - 1 };
}

/** Gives shares to all who may have one, and asks for what the others need. */
function serve(state: SharedState, nowMs: number): SharedTransition {
  if (state.applicants === 0) return [state, []];
  return andThen(giveShares(state), (given) => askForMore(given, nowMs));
}

function askForMore(state: SharedState, nowMs: number): SharedTransition {
  return andThen(renewForApplicants(state, nowMs), (renewing) => askForLeases(renewing, nowMs));
}

const roomOf = ({ settings }: SharedState, { members, issued }: SharedLease): number =>
  Math.max(0, Math.min(settings.keysPerLease - members, maxShares - issued));

/**
 * A share counts from when the election asked for it, so the lease must have been renewed by a request that was
 * sent no earlier.
 */
const canServe = (state: SharedState, lease: SharedLease, { sentMs }: Application): boolean =>
  lease.renewedMs >= sentMs && roomOf(state, lease) > 0;

function giveShares(state: SharedState): SharedTransition {
  const leases = [...state.leases];
  const effects: SharedEffect[] = [];
  const serveOne = (election: string, local: Local): Local => {
    const { application } = local;
    if (application === null) return local;
    const place = leases.findIndex((lease) => canServe(state, lease, application));
    const lease = leases[place];
    if (lease === undefined) return local;
    const id = shareOf(lease.id, lease.issued);
    leases[place] = { ...lease, issued: lease.issued + 1, members: lease.members + 1 };
    const { ttlSeconds } = lease;
    effects.push(
      deliver(election, {
        type: 'granted',
        id: application.id,
        lease: id,
        ttlSeconds,
        sentMs: application.sentMs,
      }),
    );
    return { ...local, application: null, share: { id, hasKey: false } };
  };
  const locals = mapTable(state.locals, serveOne);
  return [{ ...state, locals, leases, applicants: state.applicants - effects.length }, effects];
}

/** There is room, but what is there was renewed too long ago. */
function renewForApplicants(state: SharedState, nowMs: number): SharedTransition {
  const { applicants, leases } = state;
  const roomy = applicants === 0 ? [] : leases.filter((lease) => roomOf(state, lease) > 0);
  return andThen(
    [state, []],
    ...roomy.map(
      ({ id }) =>
        (now: SharedState) =>
          renew(now, id, nowMs),
    ),
  );
}

function askForLeases(state: SharedState, nowMs: number): SharedTransition {
  const { settings, leases, granting, applicants, nextId } = state;
  const room = leases.reduce((sum, lease) => sum + roomOf(state, lease), 0);
  const missing = applicants - room - granting.length * settings.keysPerLease;
  if (missing <= 0) return [state, []];
  const { ttlSeconds } = settings;
  return [
    { ...state, granting: [...granting, { id: nextId, sentMs: nowMs }], nextId: nextId + 1 },
    [toServer({ type: 'grant', id: nextId, ttlSeconds, sentMs: nowMs })],
  ];
}

export function onGranted(
  state: SharedState,
  { id, lease, ttlSeconds, sentMs }: Extract<EtcdReply, { type: 'granted' }>,
  nowMs: number,
): SharedTransition {
  const asked = state.granting.find((grant) => grant.id === id && grant.sentMs === sentMs);
  if (asked === undefined) {
    // Given up, or answered twice. Of these two only the first is nobody's.
    if (state.leases.some((known) => known.id === lease)) return [state, []];
    return [{ ...state, nextId: state.nextId + 1 }, [toServer({ type: 'revoke', id: state.nextId, lease })]];
  }
  const granted: SharedLease = {
    id: lease,
    ttlSeconds,
    renewedMs: sentMs,
    renewal: null,
    members: 0,
    issued: 0,
  };
  const granting = state.granting.filter((grant) => grant !== asked);
  return serve({ ...state, granting, leases: [...state.leases, granted] }, nowMs);
}

export function onGrantFailed(
  state: SharedState,
  { id, reason, detail }: Extract<EtcdReply, { type: 'failed' }>,
): SharedTransition {
  const granting = state.granting.filter((grant) => grant.id !== id);
  const failed = entriesOf(state.locals).flatMap(([election, { application }]) =>
    application === null ? [] : [deliver(election, { type: 'failed', id: application.id, reason, detail })],
  );
  const locals = mapTable(state.locals, (_, local) =>
    local.application === null ? local : { ...local, application: null },
  );
  return [{ ...state, granting, locals, applicants: 0 }, failed];
}

// ---- Renewal -------------------------------------------------------------------------------------------

/** Whoever asks first asks for all. */
export function renewFor(
  state: SharedState,
  election: string,
  { id, lease: share, sentMs }: Extract<EtcdRequest, { type: 'keep-alive' }>,
  nowMs: number,
): SharedTransition {
  const lease = leaseOf(share);
  if (state.leases.some((known) => known.id === lease)) return renew(state, lease, nowMs);
  return [state, [deliver(election, { type: 'kept-alive', id, lease: share, ttlSeconds: 0, sentMs })]];
}

/** Unless it is being renewed: elections lose patience after a tenth of the lease, and so does this. */
function renew(state: SharedState, lease: LeaseId, nowMs: number): SharedTransition {
  const place = state.leases.findIndex(({ id }) => id === lease);
  const known = state.leases[place]!;
  if (known.renewal !== null && nowMs - known.renewal.sentMs < 100 * known.ttlSeconds) return [state, []];
  const id = state.nextId;
  return [
    {
      ...state,
      leases: state.leases.with(place, { ...known, renewal: { id, sentMs: nowMs } }),
      suspicious: state.suspicious || known.renewal !== null,
      nextId: id + 1,
    },
    [toServer({ type: 'keep-alive', id, lease, sentMs: nowMs })],
  ];
}

export function onRenewed(
  state: SharedState,
  { id, lease, ttlSeconds, sentMs }: Extract<EtcdReply, { type: 'kept-alive' }>,
  nowMs: number,
): SharedTransition {
  const place = state.leases.findIndex((known) => known.id === lease);
  const known = state.leases[place];
  if (known === undefined) return [state, []];
  if (ttlSeconds === 0) return loseLease(state, lease, nowMs);
  const renewedMs = Math.max(known.renewedMs, sentMs);
  const renewed: SharedLease = { ...known, ttlSeconds, renewedMs, renewal: null };
  const after: SharedState = { ...state, leases: state.leases.with(place, renewed) };
  return andThen(
    [
      after,
      tellMembers(after, lease, (share) => ({ type: 'kept-alive', id, lease: share, ttlSeconds, sentMs })),
    ],
    (told) => serve(told, nowMs),
  );
}

function tellMembers(
  { locals }: SharedState,
  lease: LeaseId,
  replyTo: (share: LeaseId) => EtcdReply,
): SharedEffect[] {
  return entriesOf(locals).flatMap(([election, { share }]) =>
    share === null || leaseOf(share.id) !== lease ? [] : [deliver(election, replyTo(share.id))],
  );
}

/** etcd has ended the lease, and deleted all keys with it. */
export function loseLease(state: SharedState, lease: LeaseId, nowMs: number): SharedTransition {
  const lost = tellMembers(state, lease, (share) => ({
    type: 'kept-alive',
    id: 0,
    lease: share,
    ttlSeconds: 0,
    sentMs: nowMs,
  }));
  const locals = mapTable(state.locals, (_, local) =>
    local.share === null || leaseOf(local.share.id) !== lease ? local : { ...local, share: null },
  );
  const leases = state.leases.filter(({ id }) => id !== lease);
  const after: SharedState = { ...state, locals, leases };
  return andThen([after, lost], (told) => serve(told, nowMs));
}

export function onRenewalFailed(state: SharedState, id: number): SharedTransition {
  const place = state.leases.findIndex(({ renewal }) => renewal?.id === id);
  if (place === -1) return [state, []];
  const failed: SharedLease = { ...state.leases[place]!, renewal: null };
  return [{ ...state, leases: state.leases.with(place, failed) }, []];
}

/** A share is over, but not yet its lease. */
export function endShare(state: SharedState, share: LeaseId): SharedState {
  const place = state.leases.findIndex(({ id }) => id === leaseOf(share));
  const lease = state.leases[place];
  if (lease === undefined) return state;
  return { ...state, leases: state.leases.with(place, { ...lease, members: lease.members - 1 }) };
}
