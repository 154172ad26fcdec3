import { Subscriptions } from '@hustings/fence/clients';
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
import { channelOf, nextToken, readToken, type StoreSettings, Table } from './statements.js';

const traits: StoreTraits = {
  name: 'postgres',
  clock: 'store',
  expiryFactor: 1,
  minTtlMs: 100,
  granularityMs: 1,
  survives: 'disk',
  releasedBy: 'anybody',
  tokens: 'clock',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    "The clock of PostgreSQL's machine is not set forward by more than the guard while a lease is held.",
    'A replica that is promoted has received every commit: synchronous replication, or no failover.',
    'The database is not restored from a backup while a lease is held.',
  ],
};

/** A row with a time in it, by PostgreSQL's clock. Every call is one statement, so that any pooler will do. */
export class RowStore implements LeaseStore {
  readonly traits = traits;
  readonly #table: Table;
  readonly #settings: StoreSettings;
  readonly #subscriptions = new Subscriptions();
  readonly watch?: NonNullable<LeaseStore['watch']>;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    this.#table = new Table(
      settings,
      'lease',
      'name text PRIMARY KEY, holder text, token bigint NOT NULL, expires timestamptz NOT NULL',
    );
    if (settings.listen) this.watch = (name, changed) => this.#watch(name, changed);
  }

  async acquire({ name, holder, ttlMs }: AcquireRequest): Promise<Acquired | Held> {
    const [taken] = await this.#table.query(
      `INSERT INTO ${this.#table.name} AS lease VALUES ($1, $2, ${nextToken('NULL')}, ${inMs('$3')})
       ON CONFLICT (name) DO UPDATE SET
         holder = excluded.holder,
         token = CASE WHEN lease.holder = excluded.holder AND lease.expires > clock_timestamp()
           THEN lease.token ELSE ${nextToken('lease.token')} END,
         expires = ${inMs('$3')}
       WHERE lease.holder IS NULL OR lease.holder = excluded.holder OR lease.expires <= clock_timestamp()
       RETURNING token::text`,
      [name, holder, ttlMs],
    );
    if (taken !== undefined) return { type: 'acquired', token: readToken(taken), validForMs: ttlMs };
    const found = await this.read(name);
    // Given up since: worth another try at once.
    return found.type === 'held' ? found : { type: 'held', holder: null, token: null, expiresInMs: 1 };
  }

  async renew({ name, holder, token, ttlMs }: RenewRequest): Promise<Renewed | Lost> {
    const renewed = await this.#table.query(
      `UPDATE ${this.#table.name} SET expires = ${inMs('$4')}
       WHERE name = $1 AND holder = $2 AND token = $3::bigint RETURNING name`,
      [name, holder, `${token}`, ttlMs],
    );
    return renewed.length === 0 ? { type: 'lost' } : { type: 'renewed', validForMs: ttlMs };
  }

  async release({ name, holder, token }: ReleaseRequest): Promise<void> {
    // The row stays, so that the next token is greater. Nobody waits for the disk: whoever takes the lease next flushes
    // this along with its own commit, and a release that a crash has lost only lets the lease run out.
    await this.#table.query(
      `UPDATE ${this.#table.name} SET holder = NULL WHERE name = $1 AND holder = $2 AND token = $3::bigint
       RETURNING pg_notify(${channelOf('name')}, ''), set_config('synchronous_commit', 'off', true)`,
      [name, holder, `${token}`],
    );
  }

  async read(name: string): Promise<Held | Free> {
    const [row] = await this.#table.query(
      `SELECT holder, token::text,
         (extract(epoch FROM expires - clock_timestamp()) * 1000)::float8 AS left_ms
       FROM ${this.#table.name} WHERE name = $1 AND holder IS NOT NULL AND expires > clock_timestamp()`,
      [name],
    );
    if (row === undefined) return { type: 'free' };
    const { holder, token, left_ms: leftMs } = row as { holder: string; token: string; left_ms: number };
    return { type: 'held', holder, token: BigInt(token), expiresInMs: Math.max(Number(leftMs), 1) };
  }

  async close(): Promise<void> {
    this.#subscriptions.close();
  }

  async #watch(name: string, changed: () => void): Promise<() => void> {
    const channel = await this.#table.channel(name);
    return this.#subscriptions.add(this.#settings.database.listen(channel, changed));
  }
}

const inMs = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 ms'`;
