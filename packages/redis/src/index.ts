/**
 * Leases in Redis, or Valkey: `@hustings/lease` elects a leader on them.
 *
 * A Redis that forgets, because it restarts without its data or because a replica is promoted that had missed a write,
 * gives a second lease while the first one is held. Tokens grow even then, so a fence at the resource
 * (`@hustings/fence`) keeps the older leader out.
 *
 * @example
 * ```ts
 * const store = redisStore({ client: new Redis() });
 * ```
 *
 * @packageDocumentation
 */
export type { RedisClient } from '@hustings/fence/clients';
export { type RedisStoreOptions, redisStore } from './redis.js';
export { type RedlockStoreOptions, redlockStore } from './redlock.js';
