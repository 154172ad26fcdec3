/**
 * The leases that an aggregator gives out while it leads, in memory. It holds one lease itself, and gives out none that
 * could outlast it: so whoever leads after it begins with an empty ledger, and nothing that was given out is forgotten.
 *
 * It is told the time and how long it leads for certain; it knows no clock.
 */

import type { FencingToken } from '@hustings/elector';
import type {
  Acquired,
  AcquireRequest,
  Free,
  Held,
  Lost,
  ReleaseRequest,
  Renewed,
  RenewRequest,
} from './store.js';

/** Now, by the aggregator's clock, and how long it leads for certain from now on. */
export interface Moment {
  readonly nowMs: number;
  readonly remainingMs: number;
}

interface Entry {
  readonly holder: string;
  readonly token: FencingToken;
  readonly expiresMs: number;
}

/** Tokens of one reign. The next reign's begin above all of them. */
const tokensPerReign = 2n ** 32n;

/** So few are never worth looking through. */
const fewEntries = 1000;

export class Ledger {
  readonly #reign: FencingToken;
  readonly #entries = new Map<string, Entry>();
  #issued = 0n;
  /** How many entries there may be before those that have run out are looked for. */
  #roomFor = fewEntries;

  /** `reign` is the aggregator's own token, greater than that of every one before it. */
  constructor(reign: FencingToken) {
    this.#reign = reign;
  }

  /** How many leases it remembers: all that last, and of those that have run out at most about as many again. */
  get size(): number {
    return this.#entries.size;
  }

  acquire({ name, holder, ttlMs }: AcquireRequest, moment: Moment): Acquired | Held {
    if (this.#entries.size >= this.#roomFor) this.#forgetWhatRanOut(moment);
    const present = this.#present(name, moment);
    if (present !== undefined && present.holder !== holder) return show(present, moment);
    const validForMs = this.#extend(
      name,
      { holder, token: present?.token ?? this.#nextToken() },
      ttlMs,
      moment,
    );
    return { type: 'acquired', token: this.#entries.get(name)!.token, validForMs };
  }

  renew({ name, holder, token, ttlMs }: RenewRequest, moment: Moment): Renewed | Lost {
    const present = this.#present(name, moment);
    if (present?.holder !== holder || present.token !== token) return { type: 'lost' };
    return { type: 'renewed', validForMs: this.#extend(name, present, ttlMs, moment) };
  }

  /** Whether there was something to release. */
  release({ name, holder, token }: ReleaseRequest): boolean {
    const present = this.#entries.get(name);
    if (present?.holder !== holder || present.token !== token) return false;
    return this.#entries.delete(name);
  }

  read(name: string, moment: Moment): Held | Free {
    const present = this.#present(name, moment);
    return present === undefined ? { type: 'free' } : show(present, moment);
  }

  /** How long until nothing that was given out lasts any more. Whoever resigns earlier lets two lead. */
  outstandingMs(nowMs: number): number {
    let latestMs = nowMs;
    for (const { expiresMs } of this.#entries.values()) latestMs = Math.max(latestMs, expiresMs);
    return latestMs - nowMs;
  }

  #present(name: string, { nowMs }: Moment): Entry | undefined {
    const entry = this.#entries.get(name);
    return entry === undefined || entry.expiresMs <= nowMs ? undefined : entry;
  }

  #extend(
    name: string,
    { holder, token }: Pick<Entry, 'holder' | 'token'>,
    ttlMs: number,
    { nowMs, remainingMs }: Moment,
  ): number {
    const validForMs = Math.min(ttlMs, remainingMs);
    this.#entries.set(name, { holder, token, expiresMs: nowMs + validForMs });
    return validForMs;
  }

  /** A reign may last for years, and nobody gives back the leases of a process that has died. */
  #forgetWhatRanOut({ nowMs }: Moment): void {
    for (const [name, { expiresMs }] of this.#entries) if (expiresMs <= nowMs) this.#entries.delete(name);
    this.#roomFor = Math.max(fewEntries, 2 * this.#entries.size);
  }

  #nextToken(): FencingToken {
    this.#issued += 1n;
    return this.#reign * tokensPerReign + this.#issued;
  }
}

const show = ({ holder, token, expiresMs }: Entry, { nowMs }: Moment): Held => ({
  type: 'held',
  holder,
  token,
  expiresInMs: expiresMs - nowMs,
});
