/** What clients ask for. Each is done in one step on all servers that run, and counts if a majority agrees. */

import type { NodeId } from '@hustings/elector';
import { send } from '@hustings/elector/protocol';
import type { LeaseReply, LeaseRequest, LeaseView } from '../messages.js';
import { extend, free, has, isFree, leaseOf, leftMs } from './server.js';
import {
  change,
  majorityOf,
  type Server,
  type ServerLease,
  type SimulatedStoreState,
  type StoreEffect,
  type StoreTransition,
  save,
} from './state.js';

export function onRequest(
  state: SimulatedStoreState,
  client: NodeId,
  message: LeaseRequest,
  nowMs: number,
): StoreTransition {
  const { id } = message;
  switch (message.type) {
    case 'watch': {
      if (!state.settings.hints) return [state, []];
      const others = state.watches.filter((each) => each.client !== client);
      const watches = [...others, { client, id, name: message.name }];
      return [change(state, { watches }), [send(client, { type: 'watching', id })]];
    }
    case 'acquire':
      return acquire(state, client, message, nowMs);
    case 'renew':
      return renew(state, client, message, nowMs);
    case 'release':
      return release(state, client, message, nowMs);
    case 'read':
      return [state, [send(client, { type: 'found', id, lease: view(state, message.name, nowMs) })]];
  }
}

type RequestOf<Type extends LeaseRequest['type']> = Extract<LeaseRequest, { type: Type }>;

function acquire(
  state: SimulatedStoreState,
  client: NodeId,
  { id, name, holder, ttlMs, over, sentMs }: RequestOf<'acquire'>,
  nowMs: number,
): StoreTransition {
  const { settings } = state;
  const token = ownToken(state, name, holder, nowMs) ?? nextToken(state, name, nowMs);
  const claim: Attempt = (server, lease) =>
    has(settings, server, lease, holder, nowMs) || isFree(settings, server, lease, over, nowMs)
      ? extend(server, { ...lease, holder, client, token }, ttlMs, nowMs)
      : null;
  const taken = onMajority(state, name, claim, nowMs);
  if (taken === null) {
    const shown = view(state, name, nowMs) ?? { holder: null, token: null, expiresInMs: 0, version: null };
    return [state, [send(client, { type: 'held', id, ...shown })]];
  }
  const validForMs = ttlMs;
  const answer: LeaseReply = { type: 'acquired', id, holder, token: `${token}`, validForMs, sentMs };
  const given = change(taken, { highestToken: Math.max(token, state.highestToken) });
  return [given, [save(given), send(client, answer)]];
}

function renew(
  state: SimulatedStoreState,
  client: NodeId,
  { id, name, holder, token, ttlMs, sentMs }: RequestOf<'renew'>,
  nowMs: number,
): StoreTransition {
  const { settings } = state;
  const prolong: Attempt = (server, lease) =>
    has(settings, server, lease, holder, nowMs) && `${lease.token}` === token
      ? extend(server, lease, ttlMs, nowMs)
      : null;
  const renewed = onMajority(state, name, prolong, nowMs);
  if (renewed === null) {
    const without = withoutOver(state, name, nowMs);
    return [without, [save(without), send(client, { type: 'lost', id, token })]];
  }
  const answer: LeaseReply = { type: 'renewed', id, token, validForMs: ttlMs, sentMs };
  return [renewed, [save(renewed), send(client, answer)]];
}

/** What was said to be over is over: a restart, after which every lease has its full time, must not bring it back. */
function withoutOver(state: SimulatedStoreState, name: string, nowMs: number): SimulatedStoreState {
  const servers = state.servers.map((server) => {
    const lease = leaseOf(server, name);
    const isHeld = !server.running || leftMs(state.settings, server, lease, nowMs) > 0;
    return isHeld || lease.holder === null ? server : free(server, lease);
  });
  return change(state, { servers });
}

function release(
  state: SimulatedStoreState,
  client: NodeId,
  { id, name, holder, token }: RequestOf<'release'>,
  nowMs: number,
): StoreTransition {
  const [freed, effects] = freeAll(
    state,
    (lease) => lease.name === name && lease.holder === holder && `${lease.token}` === token,
    nowMs,
  );
  return [freed, [...effects, send(client, { type: 'released', id })]];
}

/** Frees these leases on every server that runs, and lets whoever watches know. */
export function freeAll(
  state: SimulatedStoreState,
  isMeant: (lease: ServerLease) => boolean,
  nowMs: number,
): StoreTransition {
  const names = new Set<string>();
  const servers = state.servers.map((server) => {
    if (!server.running) return server;
    const meant = server.leases.filter(isMeant);
    for (const { name } of meant) names.add(name);
    return meant.reduce(free, server);
  });
  if (names.size === 0) return [state, []];
  const freed = change(state, { servers, past: remember(state, nowMs) });
  return [freed, [save(freed), ...hints(freed, names)]];
}

const hints = ({ watches }: SimulatedStoreState, names: ReadonlySet<string>): StoreEffect[] =>
  watches.flatMap(({ client, id, name }) => (names.has(name) ? [send(client, { type: 'changed', id })] : []));

// ---- What a majority knows -----------------------------------------------------------------------------

/** What a server makes of a lease; null if it refuses. */
type Attempt = (server: Server, lease: ServerLease) => Server | null;

/** Null if fewer than a majority agree: then nothing has happened. */
function onMajority(
  state: SimulatedStoreState,
  name: string,
  attempt: Attempt,
  nowMs: number,
): SimulatedStoreState | null {
  const changed = state.servers.map((server) =>
    server.running ? attempt(server, leaseOf(server, name)) : null,
  );
  if (changed.filter((server) => server !== null).length < majorityOf(state)) return null;
  const servers = changed.map((server, index) => server ?? state.servers[index]!);
  return change(state, { servers, past: remember(state, nowMs) });
}

/** For a replica that lags. A hundred writes are more than fit into any lag. */
function remember(
  { settings, past, servers }: SimulatedStoreState,
  atMs: number,
): SimulatedStoreState['past'] {
  if (settings.replicaLagMs === 0) return past;
  return [...past.slice(-99), { atMs, leases: servers[0]?.leases ?? [] }];
}

/** The token under which this holder has the lease on a majority. */
function ownToken(state: SimulatedStoreState, name: string, holder: string, nowMs: number): number | null {
  const shown = strongest(state, name, nowMs);
  return shown !== null && shown.lease.holder === holder ? shown.lease.token : null;
}

function nextToken(
  { settings, servers, highestToken }: SimulatedStoreState,
  name: string,
  nowMs: number,
): number {
  const last = Math.max(0, ...servers.map((server) => (server.running ? leaseOf(server, name).token : 0)));
  // This clock begins anew after a restart; the time of day, which it stands for, does not.
  return settings.tokens === 'counter'
    ? last + 1
    : Math.max(last, highestToken, Math.floor(1000 * nowMs) - 1) + 1;
}

function view(state: SimulatedStoreState, name: string, nowMs: number): LeaseView | null {
  const { settings } = state;
  const shown = strongest(state, name, nowMs);
  if (shown !== null) {
    const { holder, token, version } = shown.lease;
    const shownVersion = settings.clock === 'observer' ? `${version}` : null;
    return { holder, token: `${token}`, expiresInMs: shown.expiresInMs, version: shownVersion };
  }
  // Held in parts, by several or by too few: nobody has it, and nobody can get it before some of it runs out.
  const lefts = heldBy(state, name, nowMs).map(({ left }) => left);
  const running = state.servers.filter((server) => server.running).length;
  if (running - lefts.length >= majorityOf(state)) return null;
  return { holder: null, token: null, expiresInMs: Math.min(...lefts), version: null };
}

interface Holding {
  readonly lease: ServerLease;
  readonly left: number;
}

function heldBy({ settings, servers }: SimulatedStoreState, name: string, nowMs: number): Holding[] {
  const holdings: Holding[] = [];
  for (const server of servers) {
    const lease = leaseOf(server, name);
    const left = server.running ? leftMs(settings, server, lease, nowMs) : 0;
    if (left > 0) holdings.push({ lease, left });
  }
  return holdings;
}

/** Who has the lease on a majority, and for how long it stays one. */
function strongest(
  state: SimulatedStoreState,
  name: string,
  nowMs: number,
): { readonly lease: ServerLease; readonly expiresInMs: number } | null {
  const holdings = heldBy(state, name, nowMs);
  const majority = majorityOf(state);
  for (const { lease } of holdings) {
    const same = holdings.filter(
      (each) => each.lease.holder === lease.holder && each.lease.token === lease.token,
    );
    const expiresInMs = same.map(({ left }) => left).sort((a, b) => b - a)[majority - 1];
    if (expiresInMs !== undefined) return { lease, expiresInMs };
  }
  return null;
}
