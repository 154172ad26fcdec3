/**
 * Leases in PostgreSQL: `@hustings/lease` elects a leader on them.
 *
 * It cannot stop a leader whose lease is over from writing: only the resource can, and `@hustings/fence/postgres` is a
 * fence for tables of the same database.
 *
 * @example
 * ```ts
 * const store = postgresStore({ client: pool });
 * const elector = createElector({
 *   protocol: lease(store.traits, { name: 'billing', ttlMs: 5000 }),
 *   transport: leaseGateway({ id: 'node-1', store }),
 *   peers: [],
 *   storage: memoryStorage(),
 * });
 * ```
 *
 * @packageDocumentation
 */
import { InvalidOptionError } from '@hustings/elector';
import { databaseOf, type PostgresClient } from '@hustings/fence/clients';
import type { LeaseStore } from '@hustings/lease';
import { RowStore } from './row.js';
import { SessionStore } from './session.js';

export type { PostgresClient } from '@hustings/fence/clients';

export interface PostgresStoreOptions {
  /** A `Pool` of `pg`, or `sql` of `postgres`. It stays yours: closing the store does not close it. */
  readonly client: PostgresClient;
  /**
   * `row`, the default: a row with a time in it. Works through every pooler.
   *
   * `session`: an advisory lock of a session that PostgreSQL ends when it is idle for too long. The next leader is
   * elected milliseconds after the last one's process has died. Needs PostgreSQL 14, `pg`, and connections that no
   * pooler shares.
   */
  readonly mode?: 'row' | 'session';
  /** Where the table is; created when missing. Default `hustings`. */
  readonly schema?: string;
  /** How long an answer may take. Default 2000. */
  readonly requestTimeoutMs?: number;
  /**
   * Whether to keep a connection that waits for news. Default true. Without it, candidates ask when the lease is due:
   * set it to false behind a pooler that gives each statement another connection.
   */
  readonly listen?: boolean;
}

export function postgresStore(options: PostgresStoreOptions): LeaseStore {
  const { client, mode = 'row', schema = 'hustings', requestTimeoutMs = 2000, listen = true } = options;
  const settings = { database: databaseOf(client), schema, requestTimeoutMs, listen };
  if (mode === 'row') return new RowStore(settings);
  if (mode !== 'session') throw new InvalidOptionError(`mode must be 'row' or 'session', not ${mode}.`);
  const { open } = settings.database;
  if (open === null) {
    throw new InvalidOptionError(
      "mode 'session' needs a Pool of pg: postgres cannot lend a connection safely.",
    );
  }
  return new SessionStore({ ...settings, open });
}
