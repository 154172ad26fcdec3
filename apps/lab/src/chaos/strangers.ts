/** Those who come to a port without being asked: they know no secret, and mean no good. */

import { type Attack, attacks } from '@hustings/testkit/attacks';

/** What they do there, and how many of them do it at a time. */
const crowds = {
  garbage: [attacks.garbage, 8],
  fragments: [attacks.fragments, 30],
  crumbs: [attacks.crumbs, 8],
  pings: [attacks.pings, 8],
  oversized: [attacks.oversized, 8],
  'slow-headers': [attacks.slowloris, 30],
  'idle-sockets': [attacks['idle sockets'], 80],
} as const satisfies Record<string, readonly [Attack, number]>;

export type Molestation = keyof typeof crowds;

export const molestations = Object.keys(crowds) as readonly Molestation[];

/** Molests whoever listens there, for so long or until the signal aborts. */
export async function molest(
  kind: Molestation,
  address: string,
  forMs: number,
  signal: AbortSignal,
): Promise<void> {
  const [attack, sockets] = crowds[kind];
  // The attack does not take its listener back from the signal that it is given.
  const stop = new AbortController();
  const end = () => stop.abort();
  signal.addEventListener('abort', end);
  await attack(`ws://${address}`, { sockets, forMs, signal: stop.signal });
  signal.removeEventListener('abort', end);
}
