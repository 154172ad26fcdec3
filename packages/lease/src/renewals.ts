/**
 * What a process with many leases knows of their renewals: whoever renews first renews for all, and whoever asks soon
 * after that is told what is left of what it was given then. It is told the time; it knows no clock.
 */

import type { Acquired, AcquireRequest, Lost, ReleaseRequest, Renewed, RenewRequest } from './store.js';

interface Kept {
  readonly request: RenewRequest;
  /** When the store was asked, by this process's clock, and for how long it said yes. */
  readonly askedMs: number;
  readonly validForMs: number;
  /** When whoever leads by it, or is about to, has asked for it last. */
  readonly wantedMs: number;
}

/** A lease that was renewed less than this fraction of its time ago is not renewed again. */
const fresh = 0.25;

/**
 * How long a read waits for others to go with it. No failover is slower for it: whoever waits for a lease asks for it when
 * it is due, and does not read first.
 */
export const gatherMs = 50;
const gatherAtMostMs = 250;

/** Whether reads that began to gather then wait for the next. A busy process takes a while until all have come. */
export const gathersOn = (begunMs: number, nowMs: number): boolean =>
  nowMs + gatherMs <= begunMs + gatherAtMostMs;

export class Renewals {
  readonly #kept = new Map<string, Kept>();

  /**
   * Every lease that this process has and wants: what one call renews. One that nobody has asked for in all its time is
   * nobody's: it was granted when its elector had stopped already, and nothing else would ever end it.
   */
  wanted(nowMs: number): RenewRequest[] {
    for (const [name, { request, validForMs, wantedMs }] of this.#kept) {
      if (nowMs - wantedMs > Math.max(request.ttlMs, validForMs)) this.#kept.delete(name);
    }
    return [...this.#kept.values()].map(({ request }) => request);
  }

  has({ name, holder, token }: ReleaseRequest): boolean {
    const known = this.#kept.get(name)?.request;
    return known !== undefined && known.holder === holder && known.token === token;
  }

  acquired(
    { name, holder, ttlMs }: AcquireRequest,
    { token, validForMs }: Omit<Acquired, 'type'>,
    askedMs: number,
  ): void {
    const request = { name, holder, ttlMs, token };
    this.#kept.set(name, { request, askedMs, validForMs, wantedMs: askedMs });
  }

  asked(request: RenewRequest, nowMs: number): void {
    const kept = this.#kept.get(request.name);
    if (kept !== undefined && this.has(request)) this.#kept.set(request.name, { ...kept, wantedMs: nowMs });
  }

  released(request: ReleaseRequest): void {
    if (this.has(request)) this.#kept.delete(request.name);
  }

  answered(request: RenewRequest, answer: Renewed | Lost, askedMs: number): void {
    const kept = this.#kept.get(request.name);
    // Given back, or taken anew, while the answer was on its way.
    if (kept === undefined || !this.has(request)) return;
    if (answer.type === 'lost') this.#kept.delete(request.name);
    else this.#kept.set(request.name, { ...kept, askedMs, validForMs: answer.validForMs });
  }

  /** What another's renewal has left of this lease, if it was a short while ago. */
  leftOf(request: RenewRequest, nowMs: number): Renewed | null {
    const kept = this.#kept.get(request.name);
    if (kept === undefined || !this.has(request) || kept.request.ttlMs !== request.ttlMs) return null;
    const agoMs = nowMs - kept.askedMs;
    return agoMs < fresh * kept.validForMs
      ? shortened({ type: 'renewed', validForMs: kept.validForMs }, agoMs)
      : null;
  }
}

/** Of an answer that counts from an earlier moment: nobody leads longer for it. */
export const shortened = ({ validForMs }: Renewed, byMs: number): Renewed => ({
  type: 'renewed',
  validForMs: Math.max(0, validForMs - byMs),
});
