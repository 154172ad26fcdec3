/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** What is needed of a `Pool` of the package `pg`. */
export interface PgPool<Connection extends PgConnection = PgConnection> {
  query(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
  connect(): Promise<Connection>;
}

/** What is needed of a client that a `Pool` of `pg` lends. */
export interface PgConnection {
  query(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
  on(event: 'notification', listener: () => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  off(event: 'error' | 'end' | 'notification', listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** What is needed of `sql` of the package `postgres`. */
export interface PostgresSql<Reserved extends PostgresReserved = PostgresReserved> {
  unsafe(text: string, values: never[]): PromiseLike<readonly Row[]>;
  reserve(): Promise<Reserved>;
  listen(
    channel: string,
    notified: () => void,
    listening: () => void,
  ): PromiseLike<{ unlisten(): Promise<void> }>;
}

/** What is needed of a connection that `sql.reserve()` lends. */
export interface PostgresReserved {
  unsafe(text: string, values: never[]): PromiseLike<readonly Row[]>;
  release(): void;
}

/** A pool of connections, of either package. */
export type PostgresClient<Connection> =
  | (Connection extends PgConnection ? PgPool<Connection> : never)
  | (Connection extends PostgresReserved ? PostgresSql<Connection> : never);

/** The same of all clients. */
export interface Database<Connection> {
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** One connection for ourselves. */
  open(): Promise<Session<Connection>>;
  /**
   * Calls `notified` for each NOTIFY on the channel, and once whenever some may have been missed. Resolves, once it
   * listens, with a function that ends it.
   */
  listen(channel: string, notified: () => void): Promise<() => void>;
}

export interface Session<Connection> {
  /** As the client knows it. */
  readonly connection: Connection;
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Gives it back; one that is in an unknown state is closed instead, where the client can. */
  close(isBroken?: boolean): void;
}

export function databaseOf<Connection>(client: PostgresClient<Connection>): Database<Connection> {
  return 'unsafe' in client
    ? (new PostgresDatabase(client as PostgresSql) as unknown as Database<Connection>)
    : (new PgDatabase(client as PgPool) as unknown as Database<Connection>);
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

  async open(): Promise<Session<PgConnection>> {
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

  async listen(channel: string, notified: () => void): Promise<() => void> {
    const listener = new PgListener(this.#pool, channel, notified);
    await listener.begin();
    return () => listener.end();
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
    if (this.#hasEnded) return connection.release(true);
    this.#connection = connection;
    connection.on('notification', this.#notified);
    connection.on('error', this.#lost);
    connection.on('end', this.#lost);
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

  readonly #lost = (): void => {
    this.#forget();
    this.#retry = setTimeout(() => void this.#again(), reconnectMs);
  };

  async #again(): Promise<void> {
    try {
      await this.begin();
      this.#notified();
    } catch {
      if (!this.#hasEnded) this.#lost();
    }
  }

  /** It listens, so it is closed and not given back. */
  #forget(): void {
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) return;
    connection.off('notification', this.#notified);
    connection.off('end', this.#lost);
    connection.release(true);
  }
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

// ---- postgres ------------------------------------------------------------------------------------------

class PostgresDatabase implements Database<PostgresReserved> {
  readonly #sql: PostgresSql;

  constructor(sql: PostgresSql) {
    this.#sql = sql;
  }

  async query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return await this.#sql.unsafe(text, [...values] as never[]);
  }

  async open(): Promise<Session<PostgresReserved>> {
    const connection = await this.#sql.reserve();
    return {
      connection,
      query: async (text, values = []) => await connection.unsafe(text, [...values] as never[]),
      close: () => connection.release(),
    };
  }

  async listen(channel: string, notified: () => void): Promise<() => void> {
    let isListening = false;
    // It listens again by itself, and says so.
    const onListening = () => {
      if (isListening) notified();
      isListening = true;
    };
    const { unlisten } = await this.#sql.listen(channel, notified, onListening);
    return () => void unlisten().catch(() => {});
  }
}
