/**
 * Heirs: a leader that falls silent is replaced after `heirWaitMs`, F below, and not only when its lease runs out. It
 * is for pauses and cut links, where nobody can tell a dead leader from a slow one, and only time helps. Tokens are
 * still issued by etcd, and the nodes need no majority among themselves.
 *
 * The leader L, with key kL of create revision rL, lets the next in line, X with kX and rX, delete kL once X has not
 * heard from L for F; in return L leads no longer than F, less a guard, after the last heartbeat that X has answered.
 *
 * State
 * - L keeps an `Offer`: to whom, under which mod revision m of kL, and since when, s: the clock as it was before the
 *   newest heartbeat that X is known to have heard was written. At first that is when the first one was.
 * - X keeps a `Promise`: under which (rL, m), and since when it waits.
 *
 * Messages: `in-office`, `volunteer`, `offer`, `promise`; and two transactions.
 * - L withdraws: if mod(kL) = m and create(kL) = rL then touch kL, and get it in any case.
 * - X inherits: if mod(kL) = m and create(kX) = rX then delete kL, and list in any case.
 *
 * Rules
 * 1. A key is named after its lease, created if absent, else adopted. Later writes keep the lease.
 * 2. While it leads, L offers every F/5. One heir for each m, and one F.
 * 3. With the first offer under m, L's deadline becomes min(that of its lease, s + F − guard). An answer moves s up to
 *    the clock as it was before the heartbeat that it names was written.
 * 4. What could move a deadline up is looked at only after the clock. A deadline that has passed has passed for ever.
 * 5. L withdraws its offer when X has not answered for 2F/5, or the link is down. Only kL(rL) seen at a mod revision
 *    above m voids it: X's deletion, which compares m, can then not succeed, whenever it arrives.
 * 6. Where leadership ends the lease is revoked, and kL with it, until that is definite. kL never leads twice.
 * 7. X answers an offer to its present rX, if (rL, m) is not older than what it has promised, and waits anew.
 * 8. When it has waited for F, and its own lease stands, X inherits.
 * 9. X leads by the rule that all follow: one answer shows kX(rX) to be there and the oldest, and its lease stands.
 *
 * What always holds: if L leads, then kL(rL) is in etcd. With rule 9 that makes one leader at a time, and tokens grow.
 * Why: let X's wait under m end at an instant t. All heartbeats that X had heard were written before X's wait began, so
 * s + F − guard lies before t, and L has ended by t, or has seen kL above m. An answer that X gives later finds
 * L ended (rule 4). If L leads under a later m', etcd is at m' or above, and X's deletion fails.
 *
 * A process is named by its candidacy, a key and its create revision. The lease in the key is granted to one
 * process, which alone knows it; one that restarts gets another, and has lost its promise with its memory.
 */

import { InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Revision } from '../messages.js';
import type { Candidacy } from './messages.js';

/** A heartbeat that was written, and not known to have been heard. */
export interface Heartbeat {
  readonly id: number;
  readonly sentMs: number;
}

/** What a leader has allowed its heir. */
export interface Offer {
  readonly heir: Candidacy & { readonly node: NodeId };
  /** The mod revision of the leader's key that all of it holds for. */
  readonly modRevision: Revision;
  /** When the newest heartbeat was written that the heir is known to have heard; before that, the first one. */
  readonly sinceMs: number;
  readonly heartbeats: readonly Heartbeat[];
  /** The last attempt to withdraw it. */
  readonly withdrawal: number | null;
}

/** What an heir has promised: to leave the leader's key alone until it has waited for `waitMs`. */
export interface HeirPromise {
  readonly leader: Candidacy;
  readonly modRevision: Revision;
  readonly sinceMs: number;
  readonly waitMs: number;
}

/** The settings that matter to heirs. */
interface HeirSettings {
  readonly heirWaitMs: number;
  readonly driftBound: number;
  readonly ttlSeconds: number;
  readonly succession: 'queue' | 'race';
}

/** How often a leader offers. */
export const beatMs = ({ heirWaitMs }: HeirSettings): number => heirWaitMs / 5;

/** How long a heartbeat may go unanswered before the offer is withdrawn. */
export const silenceMs = (settings: HeirSettings): number => 2 * beatMs(settings);

/**
 * How much earlier than the heir's wait ends the leader must have stopped. Of a wait F by a clock that is fast by ρ, a
 * clock that is slow by ρ measures F(1−ρ)/(1+ρ), which is 2Fρ/(1+ρ) less. The heir needs no guard.
 */
export function heirGuardMs({ heirWaitMs, driftBound }: HeirSettings): number {
  return (2 * heirWaitMs * driftBound) / (1 + driftBound) + 1;
}

/** Until when the offer lets its leader lead, by the leader's clock. */
export function offerDeadlineMs(settings: HeirSettings, offer: Offer | null): number {
  if (offer === null) return Number.POSITIVE_INFINITY;
  return offer.sinceMs + settings.heirWaitMs - heirGuardMs(settings);
}

/** Throws `InvalidOptionError` for settings with which heirs would be of no use, or cost a healthy leader its office. */
export function checkHeirSettings(settings: HeirSettings, leaseMs: number): void {
  const { heirWaitMs, succession } = settings;
  if (heirWaitMs === 0) return;
  if (succession === 'race') {
    throw new InvalidOptionError(
      "heirWaitMs needs succession: 'queue', for in a race nobody is the next in line.",
    );
  }
  if (heirWaitMs >= leaseMs) {
    throw new InvalidOptionError(
      `heirWaitMs (${heirWaitMs}) must be less than what a lease of ${settings.ttlSeconds} s leaves, ` +
        `${leaseMs} ms: otherwise the lease runs out first. Make it shorter, or ttlSeconds longer.`,
    );
  }
  if (heirGuardMs(settings) > beatMs(settings)) {
    throw new InvalidOptionError(
      `With driftBound ${settings.driftBound}, clocks may differ by more than a fifth of heirWaitMs ` +
        `(${heirWaitMs}): a healthy leader would lose its office. Make driftBound smaller, or heirWaitMs 0.`,
    );
  }
}
