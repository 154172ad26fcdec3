import { type RedisClient, Subscriptions } from '@hustings/fence/clients';
import type {
  Acquired,
  AcquireRequest,
  Free,
  Held,
  LeaseStore,
  Lost,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  StoreTraits,
} from '@hustings/lease';
import { Instance, type Seen } from './instance.js';
import { traitsOf } from './traits.js';

export interface RedisStoreOptions {
  /** A client of `ioredis`, `@redis/client` or `redis`. It stays yours: closing the store does not close it. */
  readonly client: RedisClient;
  /** What the keys begin with. Default `hustings`. */
  readonly prefix?: string;
  /** How long an answer may take. Default 2000. */
  readonly requestTimeoutMs?: number;
  /**
   * What a restart of Redis leaves of a lease. `disk` where `appendonly yes` and `appendfsync always` are set. Default
   * `nothing`: it is what Redis does by itself.
   */
  readonly survives?: 'disk' | 'nothing';
}

/** One Redis. With replicas and failover it may elect two leaders: the fence is then what keeps one of them out. */
export function redisStore(options: RedisStoreOptions): LeaseStore {
  return new Store(options);
}

class Store implements LeaseStore {
  readonly traits: StoreTraits;
  readonly #instance: Instance;
  readonly #subscriptions = new Subscriptions();

  constructor({
    client,
    prefix = 'hustings',
    requestTimeoutMs = 2000,
    survives = 'nothing',
  }: RedisStoreOptions) {
    this.#instance = new Instance(client, prefix, requestTimeoutMs);
    this.traits = traitsOf('redis', survives);
  }

  async acquire(request: AcquireRequest): Promise<Acquired | Held> {
    const seen = await this.#instance.acquire(request);
    if (seen.type === 'mine') return { type: 'acquired', token: seen.token, validForMs: request.ttlMs };
    return heldBy(seen);
  }

  async renew(request: RenewRequest): Promise<Renewed | Lost> {
    const isRenewed = await this.#instance.renew(request);
    return isRenewed ? { type: 'renewed', validForMs: request.ttlMs } : { type: 'lost' };
  }

  release(request: ReleaseRequest): Promise<void> {
    return this.#instance.release(request);
  }

  async read(name: string): Promise<Held | Free> {
    const seen = await this.#instance.read(name);
    return seen.type === 'free' ? seen : heldBy(seen);
  }

  watch(name: string, changed: () => void): Promise<() => void> {
    return this.#subscriptions.add(this.#instance.listen(name, changed));
  }

  async close(): Promise<void> {
    this.#subscriptions.close();
  }
}

function heldBy(seen: Seen): Held {
  if (seen.type !== 'held') return { type: 'held', holder: null, token: null, expiresInMs: 1 };
  return { type: 'held', holder: seen.holder, token: seen.token, expiresInMs: seen.leftMs };
}
