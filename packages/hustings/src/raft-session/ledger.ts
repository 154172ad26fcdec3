/**
 * The leases that a Raft group keeps, as its log has made them: who has which, under what token, and for how long at a time.
 * It knows no clock, so every node makes the same ledger of the same log. That a lease has run out is judged by the
 * group's leader, and told to the others by naming the lease that may be replaced.
 */

import type { Json } from '@hustings/raft';

export interface GroupLease {
  readonly holder: string;
  /** Leases are counted, across all names, so tokens grow. */
  readonly token: number;
  readonly ttlMs: number;
}

export type Operation =
  /** Takes a lease that is free, or that of this token, which has run out. */
  | {
      readonly type: 'take';
      readonly name: string;
      readonly holder: string;
      readonly ttlMs: number;
      readonly over: number | null;
    }
  /** Frees the lease of this token, if it is still there: given back, or run out long ago. */
  | { readonly type: 'free'; readonly name: string; readonly token: number };

export class GroupLedger {
  readonly #leases = new Map<string, GroupLease>();
  #issued = 0;

  find(name: string): GroupLease | undefined {
    return this.#leases.get(name);
  }

  get entries(): Iterable<readonly [name: string, lease: GroupLease]> {
    return this.#leases;
  }

  /** Whether anything has changed. */
  apply(operation: Operation): boolean {
    const { name } = operation;
    const present = this.#leases.get(name);
    if (operation.type === 'free') {
      return present?.token === operation.token && this.#leases.delete(name);
    }
    const { holder, ttlMs, over } = operation;
    if (present !== undefined && present.token !== over) return false;
    this.#issued += 1;
    this.#leases.set(name, { holder, token: this.#issued, ttlMs });
    return true;
  }

  toJson(): Json {
    return {
      issued: this.#issued,
      leases: [...this.#leases].map(([name, { holder, token, ttlMs }]) => [name, holder, token, ttlMs]),
    };
  }

  /** Null is the state before the first entry. */
  restore(snapshot: Json): void {
    const { issued, leases } = (snapshot ?? { issued: 0, leases: [] }) as {
      readonly issued: number;
      readonly leases: readonly (readonly [string, string, number, number])[];
    };
    this.#issued = issued;
    this.#leases.clear();
    for (const [name, holder, token, ttlMs] of leases) this.#leases.set(name, { holder, token, ttlMs });
  }
}
