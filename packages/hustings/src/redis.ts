/**
 * Leader election on Redis or Valkey, by a lease. **A Redis that forgets, or fails over to a replica, may elect two.**
 *
 * ```ts
 * import { lead, redisElector } from 'hustings/redis';
 *
 * const elector = redisElector({ id: 'node-1', election: 'billing', client: new Redis() });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * Tokens grow even then: a fence at the resource (`@hustings/fence`) keeps the older leader out.
 *
 * @packageDocumentation
 */

import { either, listOf, oneOf, required, text } from '@hustings/elector/options';
import { type RedisClient, redisStore, redlockStore } from '@hustings/redis';
import type { CommonOptions, HustingsElector } from './front.js';
import { client, type LeaseOptions, leaseRules } from './lease.js';
import { linkedLeaseElector, readLinkedOptions } from './linked-lease.js';
import type { LinkedOptions } from './shared-options.js';

export * from './index.js';

export interface RedisElectorOptions extends CommonOptions, LeaseOptions, LinkedOptions {
  /** A client of `ioredis`, `@redis/client` or `redis`; or several, of independent instances, for Redlock. They stay yours. */
  readonly client: RedisClient | readonly RedisClient[];
  /** What a restart leaves: `disk` where `appendfsync always` is set. Default `nothing`. */
  readonly survives?: 'disk' | 'nothing' | undefined;
  /** What keys begin with. Default `hustings`. */
  readonly prefix?: string | undefined;
}

const rules = {
  ...leaseRules,
  client: required(either(listOf(client), client), "a client of 'ioredis' or '@redis/client'"),
  survives: oneOf('disk', 'nothing'),
  prefix: text,
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function redisElector(given: RedisElectorOptions): HustingsElector {
  const options = readLinkedOptions('redisElector', given, rules);
  const { client: clients, survives, prefix } = options;
  const common = {
    ...(survives === undefined ? {} : { survives }),
    ...(prefix === undefined ? {} : { prefix }),
  };
  const store = isList(clients)
    ? redlockStore({ clients, ...common })
    : redisStore({ client: clients, ...common });
  return linkedLeaseElector(options, store, 'Redis');
}

const isList = (clients: RedisClient | readonly RedisClient[]): clients is readonly RedisClient[] =>
  Array.isArray(clients);
