import { type Database, quoteIdentifier, type Row, type Session, within } from '@hustings/fence/clients';
import { StoreRefusedError } from '@hustings/lease';

export interface StoreSettings {
  readonly database: Database<unknown>;
  readonly schema: string;
  readonly requestTimeoutMs: number;
  readonly listen: boolean;
}

/** For what needs a connection for itself. */
export interface SessionSettings extends StoreSettings {
  readonly open: () => Promise<Session>;
}

/** One table, which is created when the first statement finds it missing. */
export class Table {
  readonly name: string;
  readonly #settings: StoreSettings;
  readonly #schema: string;
  readonly #columns: string;

  constructor(settings: StoreSettings, name: string, columns: string) {
    this.#settings = settings;
    this.#schema = quoteIdentifier(settings.schema);
    this.name = `${this.#schema}.${name}`;
    this.#columns = columns;
  }

  /** Runs a statement, and rejects in bounded time. */
  query(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.use(() => this.#ask(text, values));
  }

  /** Runs what needs the table, once more if that was missing. */
  async use<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action().catch(async (error) => {
        if (!isMissing(error)) throw error;
        await this.#create();
        return action();
      });
    } catch (error) {
      throw asRefusal(error);
    }
  }

  /** Where releases are told. */
  async channel(name: string): Promise<string> {
    const [row] = await this.query(`SELECT ${channelOf('$1::text')} AS channel`, [name]);
    return (row as { channel: string }).channel;
  }

  #ask(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { database, requestTimeoutMs } = this.#settings;
    return within(requestTimeoutMs, 'PostgreSQL', database.query(text, values));
  }

  async #create(): Promise<void> {
    await this.#createUnlessThere(`SCHEMA IF NOT EXISTS ${this.#schema}`);
    await this.#createUnlessThere(`TABLE IF NOT EXISTS ${this.name} (${this.#columns})`);
  }

  /** `IF NOT EXISTS` does not see what another candidate is about to commit. */
  async #createUnlessThere(what: string): Promise<void> {
    try {
      await this.#ask(`CREATE ${what}`);
    } catch (error) {
      if (!alreadyThere.includes(codeOf(error))) throw error;
    }
  }
}

/** As a time that goes on when a table was lost, or the clock of a replica that takes over is behind. */
export const nextToken = (last: string): string =>
  `greatest(coalesce(${last}, 0) + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)`;

/** As text: clients make numbers of it, or bigints, or strings. */
export const readToken = (row: Row | undefined): bigint => BigInt((row as { token: string }).token);
export const readPid = (row: Row | undefined): number => (row as { pid: number }).pid;

/** The name of a channel has at most 63 bytes. */
export const channelOf = (name: string): string => `'hustings_' || md5(${name})`;

/** `42710`: the type of the rows, which PostgreSQL makes along with a table. */
const alreadyThere = ['23505', '42710', '42P06', '42P07'];
const isMissing = (error: unknown): boolean => ['42P01', '3F000'].includes(codeOf(error));

/** Access rule violations, authentication, a database that is missing or takes no writes: somebody must act. */
const refusals = /^(28|42|3D|3F|25006|0A)/;

function asRefusal(error: unknown): unknown {
  if (!refusals.test(codeOf(error))) return error;
  return new StoreRefusedError(`${(error as Error).message} (SQLSTATE ${codeOf(error)}).`, {
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? `${error.code}` : '';
}
