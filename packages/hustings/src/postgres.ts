/**
 * Leader election on PostgreSQL, by a lease that lives in a row or in a session.
 *
 * ```ts
 * import { lead, postgresElector } from 'hustings/postgres';
 *
 * const elector = postgresElector({ id: 'node-1', election: 'billing', client: new pg.Pool() });
 * await lead(elector, async ({ token, signal }) => serve({ token, signal }));
 * ```
 *
 * A leader that was paused may still write: `@hustings/fence/postgres` refuses that for tables of the same database.
 *
 * @packageDocumentation
 */

import { flag, oneOf, required, text } from '@hustings/elector/options';
import { type PostgresClient, postgresStore } from '@hustings/postgres';
import type { CommonOptions, HustingsElector } from './front.js';
import { client, type LeaseOptions, leaseRules } from './lease.js';
import { linkedLeaseElector, readLinkedOptions } from './linked-lease.js';
import type { LinkedOptions } from './shared-options.js';

export * from './index.js';

export interface PostgresElectorOptions extends CommonOptions, LeaseOptions, LinkedOptions {
  /** A `Pool` of `pg`, or `sql` of `postgres`. It stays yours. */
  readonly client: PostgresClient;
  /**
   * `row`, the default, works through every pooler. `session` elects the next leader milliseconds after a crash; it
   * needs PostgreSQL 14, `pg`, and connections that no pooler shares.
   */
  readonly mode?: 'row' | 'session' | undefined;
  /** Where the table is; created when missing. Default `hustings`. */
  readonly schema?: string | undefined;
  /** Whether to keep a connection that waits for news. Default true; false behind a pooler in transaction mode. */
  readonly listen?: boolean | undefined;
}

const rules = {
  ...leaseRules,
  client: required(client, "a Pool of 'pg', or sql of 'postgres'"),
  mode: oneOf('row', 'session'),
  schema: text,
  listen: flag,
};

/** Throws `InvalidOptionError`. Nothing happens before `start()`, or `lead()`. */
export function postgresElector(given: PostgresElectorOptions): HustingsElector {
  const options = readLinkedOptions('postgresElector', given, rules);
  const { client: pool, mode, schema, listen } = options;
  const store = postgresStore({
    client: pool,
    ...(mode === undefined ? {} : { mode }),
    ...(schema === undefined ? {} : { schema }),
    ...(listen === undefined ? {} : { listen }),
  });
  return linkedLeaseElector(options, store, 'PostgreSQL');
}
