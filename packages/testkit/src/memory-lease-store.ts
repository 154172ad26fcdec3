import type { Acquired, Free, Held, LeaseStore, Lost, Renewed, StoreTraits } from '@hustings/lease';

/** What a store in memory keeps for each name. Share it between stores that stand for clients of one server. */
export type MemoryLeases = Map<string, MemoryLease>;

interface MemoryLease {
  /** Null when it is free. */
  holder: string | null;
  token: bigint;
  version: number;
  ttlMs: number;
  expiresMs: number;
  readonly watchers: Set<() => void>;
}

const traits: StoreTraits = {
  name: 'memory',
  clock: 'store',
  expiryFactor: 1,
  minTtlMs: 1,
  granularityMs: 1,
  survives: 'nothing',
  releasedBy: 'anybody',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: ['all who compete live in one process'],
};

/**
 * A store in memory, for tests and as an example: all that a store has to do, in fifty lines. Its clock is this
 * process's monotonic one.
 */
export function memoryLeaseStore(
  leases: MemoryLeases = new Map(),
  declared: Partial<StoreTraits> = {},
): LeaseStore {
  const isObserved = declared.clock === 'observer';
  const leaseOf = (name: string): MemoryLease => {
    const found = leases.get(name) ?? {
      ...{ holder: null, token: 0n, version: 0, ttlMs: 0, expiresMs: 0 },
      watchers: new Set(),
    };
    leases.set(name, found);
    if (!isObserved && found.expiresMs <= performance.now()) found.holder = null;
    return found;
  };
  const extend = (lease: MemoryLease, ttlMs: number): void => {
    Object.assign(lease, { ttlMs, expiresMs: performance.now() + ttlMs, version: lease.version + 1 });
  };
  const show = ({ holder, token, ttlMs, expiresMs, version }: MemoryLease): Held =>
    isObserved
      ? { type: 'held', holder, token, expiresInMs: ttlMs, version: `${version}` }
      : { type: 'held', holder, token, expiresInMs: expiresMs - performance.now() };

  return {
    traits: { ...traits, ...declared },
    async acquire({ name, holder, ttlMs, over }): Promise<Acquired | Held> {
      const lease = leaseOf(name);
      const isFree = lease.holder === null || (isObserved && over === `${lease.version}`);
      if (!isFree && lease.holder !== holder) return show(lease);
      if (isFree) Object.assign(lease, { holder, token: lease.token + 1n });
      extend(lease, ttlMs);
      return { type: 'acquired', token: lease.token, validForMs: ttlMs };
    },
    async renew({ name, holder, token, ttlMs }): Promise<Renewed | Lost> {
      const lease = leaseOf(name);
      if (lease.holder !== holder || lease.token !== token) return { type: 'lost' };
      extend(lease, ttlMs);
      return { type: 'renewed', validForMs: ttlMs };
    },
    async release({ name, holder, token }): Promise<void> {
      const lease = leaseOf(name);
      if (lease.holder !== holder || lease.token !== token) return;
      lease.holder = null;
      for (const changed of lease.watchers) queueMicrotask(changed);
    },
    async read(name): Promise<Held | Free> {
      const lease = leaseOf(name);
      return lease.holder === null ? { type: 'free' } : show(lease);
    },
    async watch(name, changed) {
      const { watchers } = leaseOf(name);
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
  };
}
