/** What one server does with a lease, each in a single step. */

import type { Server, ServerLease, SimulatedStoreSettings } from './state.js';

/** A lease that nobody ever had. */
const untaken = (name: string): ServerLease => ({
  name,
  holder: null,
  client: '',
  token: 0,
  version: 0,
  ttlMs: 0,
  expiresMs: 0,
});

export const leaseOf = ({ leases }: Server, name: string): ServerLease =>
  leases.find((lease) => lease.name === name) ?? untaken(name);

const write = (
  { leases, running, aheadMs, writes }: Server,
  lease: Omit<ServerLease, 'version'>,
): Server => ({
  leases: [...leases.filter(({ name }) => name !== lease.name), { ...lease, version: writes + 1 }],
  running,
  aheadMs,
  writes: writes + 1,
});

/** What it has left by this server's clock; nothing when it is free. Where it never ends by itself, its TTL. */
export function leftMs(
  { clock, expiryFactor }: SimulatedStoreSettings,
  { aheadMs }: Server,
  { holder, ttlMs, expiresMs }: ServerLease,
  nowMs: number,
): number {
  if (holder === null) return 0;
  if (clock === 'observer' || expiryFactor === null) return ttlMs;
  return Math.max(0, expiresMs + (expiryFactor - 1) * ttlMs - nowMs - aheadMs);
}

/** Whether this holder has it, and has time left. */
export const has = (
  settings: SimulatedStoreSettings,
  server: Server,
  lease: ServerLease,
  holder: string,
  nowMs: number,
): boolean => lease.holder === holder && leftMs(settings, server, lease, nowMs) > 0;

/** Whether anybody may take it who names this version. */
export const isFree = (
  settings: SimulatedStoreSettings,
  server: Server,
  lease: ServerLease,
  over: string | null,
  nowMs: number,
): boolean =>
  leftMs(settings, server, lease, nowMs) === 0 ||
  (settings.clock === 'observer' && over === `${lease.version}`);

export const extend = (server: Server, lease: ServerLease, ttlMs: number, nowMs: number): Server =>
  write(server, {
    name: lease.name,
    holder: lease.holder,
    client: lease.client,
    token: lease.token,
    ttlMs,
    expiresMs: nowMs + server.aheadMs + ttlMs,
  });

export const free = (server: Server, lease: ServerLease): Server => write(server, { ...lease, holder: null });
