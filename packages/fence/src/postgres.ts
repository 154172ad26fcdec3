/**
 * Guards tables of PostgreSQL, 13 or newer: the token is compared in the transaction that writes.
 *
 * @packageDocumentation
 */

import {
  type Credentials,
  checkCredentials,
  type FencingToken,
  InvalidOptionError,
  StaleTokenError,
} from '@hustings/elector';
import {
  type ConnectionOf,
  type Database,
  databaseOf,
  type PostgresClient,
  type Query,
} from './clients/postgres.js';
import type { Guard } from './index.js';
import { schemaOf } from './postgres-schema.js';

export type { PostgresClient } from './clients/postgres.js';

export interface PostgresFenceOptions<Client extends PostgresClient> {
  /** A `Pool` of `pg`, or `sql` of `postgres`. */
  readonly client: Client;
  /** What is guarded, by a name of your own: the tables that one leader writes to. */
  readonly resource: string;
  /** Where the fence's table and functions are. Default `hustings`. */
  readonly schema?: string;
  /** How long `beforeLead` waits for an older leader's transaction before it ends it. Default 100. */
  readonly graceMs?: number;
}

export interface PostgresFence<Connection> extends Guard<Connection> {
  /** Creates the fence's table and functions, unless they are there. Needs the right to create a schema. */
  install(): Promise<void>;
  /** From now on this table can be written to in `run` only: a trigger refuses everything else. Idempotent. */
  protect(table: string): Promise<void>;
  /**
   * Call it first when this node leads. It raises the fence, and if an older leader is stuck within `run`, with a
   * transaction that holds up everybody, ends that leader's connection. Nothing of that transaction is kept.
   */
  beforeLead(credentials: Credentials): Promise<void>;
}

/** As the functions in `postgres-schema.ts` raise it. */
const staleTokenState = 'HU412';
const lockNotAvailable = '55P03';

export function postgresFence<Client extends PostgresClient>(
  options: PostgresFenceOptions<Client>,
): PostgresFence<ConnectionOf<Client>> {
  return new Fence(databaseOf(options.client), options);
}

class Fence<Connection> implements PostgresFence<Connection> {
  readonly #database: Database<Connection>;
  readonly #resource: string;
  readonly #graceMs: number;
  readonly #statements: ReturnType<typeof schemaOf>;
  /** The token that this process has raised the fence to. */
  #raised: FencingToken | null = null;

  constructor(
    database: Database<Connection>,
    { resource, schema = 'hustings', graceMs = 100 }: Omit<PostgresFenceOptions<PostgresClient>, 'client'>,
  ) {
    if (resource === '') throw new InvalidOptionError('The resource of a fence needs a name; give it one.');
    if (!(graceMs >= 0 && graceMs < 2 ** 31)) {
      throw new InvalidOptionError(`graceMs must be a number from 0, and less than 2^31; it is ${graceMs}.`);
    }
    this.#database = database;
    this.#resource = resource;
    this.#graceMs = graceMs;
    this.#statements = schemaOf(schema);
  }

  async install(): Promise<void> {
    await this.#database.transaction(async (query) => {
      for (const statement of this.#statements.install) await query(statement);
    });
  }

  async protect(table: string): Promise<void> {
    await this.#database.query(this.#statements.protect, [table, this.#resource]);
  }

  async run<Result>(
    credentials: Credentials,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    // In a transaction of its own: an older leader must see at once that it is one, and not when this work has ended.
    if (this.#raised !== credentials.token) await this.#raise(credentials, 0);
    return this.#database.transaction(async (query, connection) => {
      await this.#admit(query, credentials);
      return await work(connection);
    });
  }

  async beforeLead(credentials: Credentials): Promise<void> {
    while (!(await this.#raisedInTime(credentials))) {
      await this.#database.query(this.#statements.terminate, [this.#resource]);
    }
  }

  async #raisedInTime(credentials: Credentials): Promise<boolean> {
    try {
      // To PostgreSQL, 0 is no limit at all.
      await this.#raise(credentials, Math.max(1, this.#graceMs));
      return true;
    } catch (error) {
      if (codeOf(error) === lockNotAvailable) return false;
      throw error;
    }
  }

  /** Waits for the transactions of older leaders, for as long as it takes if `patienceMs` is 0. */
  async #raise(credentials: Credentials, patienceMs: number): Promise<void> {
    await this.#database.transaction(async (query) => {
      await query(`SET LOCAL lock_timeout = ${Math.ceil(patienceMs)}`);
      await this.#admit(query, credentials);
    });
    this.#raised = credentials.token;
  }

  async #admit(query: Query, credentials: Credentials): Promise<void> {
    checkCredentials(credentials);
    try {
      await query(this.#statements.admit, [this.#resource, `${credentials.token}`, credentials.holder]);
    } catch (error) {
      if (codeOf(error) !== staleTokenState) throw error;
      throw new StaleTokenError((error as Error).message);
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
