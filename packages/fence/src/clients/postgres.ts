import { InvalidOptionError } from '@hustings/elector';
import type { Listening } from './subscriptions.js';

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** What is needed of a `Pool` of the package `pg`. */
export interface PgPool {
  query(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
  connect(): Promise<PgConnection>;
}

/** What is needed of a client that a `Pool` of `pg` lends. */
export interface PgConnection {
  query(text: string, values: unknown[]): Promise<{ rows: Row[]; command: string }>;
  on(event: 'notification', listener: () => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  off(event: 'error' | 'end' | 'notification', listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** What is needed of `sql` of the package `postgres`. */
export interface PostgresSql {
  unsafe(text: string, values: never[]): PromiseLike<readonly Row[]>;
  begin(work: (transaction: PostgresTransaction) => Promise<unknown>): Promise<unknown>;
  listen(
    channel: string,
    notified: () => void,
    listening: () => void,
  ): PromiseLike<{ unlisten(): Promise<void> }>;
}

/** What is needed of what `sql.begin` gives to its work. */
export interface PostgresTransaction {
  unsafe(text: string, values: never[]): PromiseLike<readonly Row[]>;
}

/** A pool of connections, of either package. */
export type PostgresClient = PgPool | PostgresSql;

/**
 * What the work of a transaction is given, as the client knows it: `PoolClient` of `pg`, `TransactionSql` of
 * `postgres`. Both have an overload beside the one that is used, without which nothing is inferred.
 */
export type ConnectionOf<Client extends PostgresClient> = Client extends {
  connect: { (): Promise<infer Connection>; (callback: never): void };
}
  ? Connection
  : Client extends {
        begin: {
          (work: (transaction: infer Transaction) => never): unknown;
          (options: string, work: never): unknown;
        };
      }
    ? Transaction
    : Client extends PgPool
      ? PgConnection
      : PostgresTransaction;

/** The same of all clients. */
export interface Database<Connection> {
  query: Query;
  /** Commits when `work` has ended; undoes everything when it throws. */
  transaction<Result>(work: (query: Query, connection: Connection) => Promise<Result>): Promise<Result>;
  /** Calls `notified` for each NOTIFY on the channel, and once whenever some may have been missed. */
  listen(channel: string, notified: () => void): Listening;
  /**
   * One connection for ourselves, which `pg` can lend. `postgres` (3.4.9) can as well, but ends the whole process with
   * an uncaught exception when a connection that it has lent is closed by the server.
   */
  readonly open: (() => Promise<Session>) | null;
}

export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export interface Session {
  readonly query: Query;
  /** Gives it back; one that is in an unknown state is closed instead. */
  close(isBroken?: boolean): void;
}

export function databaseOf<Client extends PostgresClient>(client: Client): Database<ConnectionOf<Client>> {
  if (!('unsafe' in client) && typeof client.query !== 'function')
    throw new InvalidOptionError("client must be a Pool of 'pg', or sql of 'postgres'.");
  const database = 'unsafe' in client ? new PostgresDatabase(client) : new PgDatabase(client);
  return database as unknown as Database<ConnectionOf<Client>>;
}

// ---- pg ------------------------------------------------------------------------------------------------

const reconnectMs = 200;

class PgDatabase implements Database<PgConnection> {
  readonly #pool: PgPool;

  constructor(pool: PgPool) {
    this.#pool = pool;
  }

  async query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.#pool.query(text, [...values])).rows;
  }

  async transaction<Result>(
    work: (query: Query, connection: PgConnection) => Promise<Result>,
  ): Promise<Result> {
    const { connection, query, close } = await this.#lend();
    let isBroken = false;
    try {
      await query('BEGIN');
      const result = await work(query, connection);
      const { command } = await connection.query('COMMIT', []);
      if (command !== 'ROLLBACK') return result;
    } catch (error) {
      await query('ROLLBACK').catch(() => {
        isBroken = true;
      });
      throw error;
    } finally {
      close(isBroken);
    }
    // PostgreSQL answers so, and not with an error, where a statement has failed and the work went on without it.
    throw new Error('A statement of this transaction has failed, so nothing of it was kept.');
  }

  readonly open = (): Promise<Session> => this.#lend();

  async #lend(): Promise<Session & { readonly connection: PgConnection }> {
    const connection = await this.#pool.connect();
    // Without a listener the loss of a connection that is lent ends the process.
    const ignore = () => {};
    connection.on('error', ignore);
    return {
      connection,
      query: async (text, values = []) => (await connection.query(text, [...values])).rows,
      close(isBroken = false) {
        connection.off('error', ignore);
        connection.release(isBroken);
      },
    };
  }

  listen(channel: string, notified: () => void): Listening {
    const listener = new PgListener(this.#pool, channel, notified);
    return { ready: listener.begin(), end: () => listener.end() };
  }
}

/** A connection that listens; another one when it is lost. */
class PgListener {
  readonly #pool: PgPool;
  readonly #channel: string;
  readonly #notified: () => void;
  #connection: PgConnection | null = null;
  #retry: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(pool: PgPool, channel: string, notified: () => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#notified = notified;
  }

  async begin(): Promise<void> {
    const connection = await this.#pool.connect();
    // It stays when the connection is given up: what is lost then concerns nobody, but without it the process would end.
    connection.on('error', () => this.#lost(connection));
    if (this.#hasEnded) return connection.release(true);
    this.#connection = connection;
    connection.on('end', () => this.#lost(connection));
    connection.on('notification', this.#notified);
    try {
      await connection.query(`LISTEN ${quoteIdentifier(this.#channel)}`, []);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#retry);
    this.#forget();
  }

  #lost(connection: PgConnection): void {
    if (connection !== this.#connection) return;
    this.#forget();
    this.#tryLater();
  }

  #tryLater(): void {
    clearTimeout(this.#retry);
    if (!this.#hasEnded) this.#retry = setTimeout(() => void this.#again(), reconnectMs);
  }

  async #again(): Promise<void> {
    try {
      await this.begin();
      this.#notified();
    } catch {
      this.#tryLater();
    }
  }

  /** It listens, so it is closed and not given back. */
  #forget(): void {
    const connection = this.#connection;
    this.#connection = null;
    connection?.off('notification', this.#notified);
    connection?.release(true);
  }
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

// ---- postgres ------------------------------------------------------------------------------------------

class PostgresDatabase implements Database<PostgresTransaction> {
  readonly open = null;
  readonly #sql: PostgresSql;

  constructor(sql: PostgresSql) {
    this.#sql = sql;
  }

  query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return queryOf(this.#sql)(text, values);
  }

  async transaction<Result>(
    work: (query: Query, connection: PostgresTransaction) => Promise<Result>,
  ): Promise<Result> {
    const result = await this.#sql.begin(async (transaction) => ({
      value: await work(queryOf(transaction), transaction),
    }));
    return (result as { value: Result }).value;
  }

  listen(channel: string, notified: () => void): Listening {
    let isListening = false;
    // It listens again by itself, and says so.
    const onListening = () => {
      if (isListening) notified();
      isListening = true;
    };
    const ready = Promise.resolve(this.#sql.listen(channel, notified, onListening));
    return { ready, end: () => void ready.then(({ unlisten }) => unlisten()).catch(() => {}) };
  }
}

const queryOf =
  (sql: PostgresTransaction): Query =>
  async (text, values = []) =>
    await sql.unsafe(text, [...values] as never[]);
