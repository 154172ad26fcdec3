/** A few leases for many elections: how shares are given out, renewed and lost. */

import { andThen } from '@hustings/elector/protocol';
import type { EtcdReply, EtcdRequest, LeaseId } from '../messages.js';
import {
  type Applicant,
  ask,
  deliver,
  type Local,
  leaseOf,
  maxShares,
  type SharedEffect,
  type SharedLease,
  type SharedState,
  type SharedTransition,
  shareOf,
} from './state.js';
import { entriesOf, find, put } from './table.js';

/** An election asks for a lease; once more, if an earlier answer is missing. */
export function apply(state: SharedState, applicant: Applicant, nowMs: number): SharedTransition {
  const others = state.applicants.filter(({ election }) => election !== applicant.election);
  // What was asked for long ago is lost, and is revoked if it comes after all.
  const granting = state.granting.filter(({ sentMs }) => nowMs - sentMs < state.settings.requestTimeoutMs);
  return serve({ ...state, applicants: [...others, applicant], granting }, nowMs);
}

/** Gives shares to all who may have one, and asks for what the others need. */
function serve(state: SharedState, nowMs: number): SharedTransition {
  if (state.applicants.length === 0) return [state, []];
  return andThen(
    giveShares(state),
    (given) => renewForApplicants(given, nowMs),
    (given) => askForLeases(given, nowMs),
  );
}

const roomOf = ({ settings }: SharedState, { members, issued }: SharedLease): number =>
  Math.max(0, Math.min(settings.keysPerLease - members, maxShares - issued));

/**
 * A share counts from when the election asked for it, so the lease must have been renewed by a request that was
 * sent no earlier.
 */
function giveShares(state: SharedState): SharedTransition {
  let { locals } = state;
  const leases = [...state.leases];
  const effects: SharedEffect[] = [];
  const left = state.applicants.filter(({ election, id, sentMs }) => {
    const place = leases.findIndex((lease) => lease.renewedMs >= sentMs && roomOf(state, lease) > 0);
    const [lease, local] = [leases[place], find(locals, election)];
    if (local === undefined) return false;
    if (lease === undefined) return true;
    const share = shareOf(lease.id, lease.issued);
    leases[place] = { ...lease, issued: lease.issued + 1, members: lease.members + 1 };
    locals = put(locals, election, { ...local, share: { id: share, hasKey: false } });
    effects.push(
      deliver(election, { type: 'granted', id, lease: share, ttlSeconds: lease.ttlSeconds, sentMs }),
    );
    return false;
  });
  return [{ ...state, locals, leases, applicants: left }, effects];
}

/** There is room, but what is there was renewed too long ago. */
function renewForApplicants(state: SharedState, nowMs: number): SharedTransition {
  const { applicants, leases } = state;
  const roomy = applicants.length === 0 ? [] : leases.filter((lease) => roomOf(state, lease) > 0);
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
  const missing = applicants.length - room - granting.length * settings.keysPerLease;
  if (missing <= 0) return [state, []];
  const { ttlSeconds } = settings;
  return [
    { ...state, granting: [...granting, { id: nextId, sentMs: nowMs }], nextId: nextId + 1 },
    [ask({ type: 'grant', id: nextId, ttlSeconds, sentMs: nowMs })],
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
    return [{ ...state, nextId: state.nextId + 1 }, [ask({ type: 'revoke', id: state.nextId, lease })]];
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
  return [
    { ...state, granting, applicants: [] },
    state.applicants.map((applicant) =>
      deliver(applicant.election, { type: 'failed', id: applicant.id, reason, detail }),
    ),
  ];
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
    [ask({ type: 'keep-alive', id, lease, sentMs: nowMs })],
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
  const without = (local: Local): Local =>
    local.share === null || leaseOf(local.share.id) !== lease ? local : { ...local, share: null };
  const locals = state.locals.map((part) =>
    Object.fromEntries(Object.entries(part).map(([field, local]) => [field, without(local)])),
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
