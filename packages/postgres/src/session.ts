import { NoAnswerError, type Row, type Session, Subscriptions, within } from '@hustings/fence/clients';
import {
  type Acquired,
  type AcquireRequest,
  type Free,
  type Held,
  type LeaseStore,
  type Lost,
  type ReleaseRequest,
  type Renewed,
  type RenewRequest,
  type StoreTraits,
  Turns,
} from '@hustings/lease';
import { bellOf, holderOf, lockOf } from './locks.js';
import { channelOf, nextToken, readPid, readToken, type SessionSettings, Table } from './statements.js';
import { Vigil } from './vigil.js';

const traits: StoreTraits = {
  name: 'postgres-session',
  clock: 'store',
  expiryFactor: 1,
  minTtlMs: 500,
  // How long PostgreSQL may take to end a session whose time is over.
  granularityMs: 100,
  survives: 'nothing',
  tokens: 'clock',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [
    'A session ends with its process, or when it is idle for too long, and for no other reason: no pooler, proxy or administrator ends it while its process runs.',
    'PostgreSQL is not restarted, nor a replica promoted, within the TTL of a lease.',
  ],
};

/** What this process has: a session that holds the lock for as long as it lives. */
interface Tenure {
  readonly name: string;
  readonly holder: string;
  readonly token: bigint;
  readonly pid: number;
  readonly session: Session;
}

/**
 * An advisory lock of a session. PostgreSQL frees it when the session ends: when its process dies, or when it was idle
 * for the TTL, which makes a lease of it.
 *
 * Two locks: whoever has the first one has the lease, and takes the second, for which those wait that want to hear of
 * its end. If they waited for the first, they would be in the way of whoever tries to take it.
 */
export class SessionStore implements LeaseStore {
  readonly traits = traits;
  readonly #settings: SessionSettings;
  readonly #table: Table;
  readonly #vigil: Vigil;
  readonly #subscriptions = new Subscriptions();
  readonly #tenures = new Map<string, Tenure>();
  readonly watch?: NonNullable<LeaseStore['watch']>;
  /** Of one name, one at a time: a session is one conversation. */
  readonly #turns = new Turns();
  #isClosed = false;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
    this.#table = new Table(
      settings,
      'session_lease',
      'name text PRIMARY KEY, holder text NOT NULL, token bigint NOT NULL, ttl_ms float8 NOT NULL, pid int NOT NULL',
    );
    this.#vigil = new Vigil(settings);
    if (settings.listen) this.watch = (name, changed) => this.#watch(name, changed);
  }

  acquire(request: AcquireRequest): Promise<Acquired | Held> {
    return this.#alone(request.name, async () => {
      const { name, holder, ttlMs } = request;
      const tenure = this.#tenures.get(name);
      if (tenure?.holder === holder && (await this.#isAlive(tenure, ttlMs))) {
        return { type: 'acquired', token: tenure.token, validForMs: ttlMs };
      }
      if (tenure !== undefined && tenure.holder !== holder) {
        const found = await this.read(name);
        if (found.type === 'held') return found;
        // Its session has ended, and whoever had it has not asked since.
        await this.#end(tenure);
      }
      const taken = await this.#take(request);
      if (taken !== null) return { type: 'acquired', token: taken.token, validForMs: ttlMs };
      const found = await this.read(name);
      return found.type === 'held' ? found : { type: 'held', holder: null, token: null, expiresInMs: 1 };
    });
  }

  renew({ name, holder, token, ttlMs }: RenewRequest): Promise<Renewed | Lost> {
    return this.#alone(name, async () => {
      const tenure = this.#tenureOf({ name, holder, token });
      if (tenure === null || !(await this.#isAlive(tenure, ttlMs))) return { type: 'lost' };
      return { type: 'renewed', validForMs: ttlMs };
    });
  }

  release(request: ReleaseRequest): Promise<void> {
    return this.#alone(request.name, async () => {
      const tenure = this.#tenureOf(request);
      if (tenure === null) return;
      // One that is gone, or answers no more, can only be ended; its lock ends with it.
      await this.#giveBack(tenure.session).catch(() => this.#end(tenure));
      this.#tenures.delete(request.name);
      await this.#table.query(`SELECT pg_notify(${channelOf('$1::text')}, '')`, [request.name]);
    });
  }

  async read(name: string): Promise<Held | Free> {
    for (let patience = 10; ; patience -= 1) {
      const lock = await this.#lockOn(name);
      if (lock === null) return { type: 'free' };
      this.#vigil.begin(name);
      // Whoever takes the lock says who it is in its next statement.
      if (lock.holder !== null || patience === 0) return heldBy(lock);
      await new Promise((resolve) => setTimeout(resolve, soonMs / 4));
    }
  }

  async #lockOn(name: string): Promise<Lock | null> {
    const [row] = await this.#table.query(
      `SELECT lease.holder, lease.token::text, lease.ttl_ms,
         (extract(epoch FROM clock_timestamp() - activity.state_change) * 1000)::float8 AS idle_ms
       FROM (${holderOf('$1::text')}) AS locks
       LEFT JOIN ${this.#table.name} AS lease ON lease.name = $1 AND lease.pid = locks.pid
       LEFT JOIN pg_stat_activity AS activity ON activity.pid = locks.pid`,
      [name],
    );
    return (row as unknown as Lock | undefined) ?? null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#subscriptions.close();
    await this.#vigil.close();
    const tenures = [...this.#tenures.values()];
    await Promise.allSettled(tenures.map((tenure) => this.#alone(tenure.name, () => this.#end(tenure))));
  }

  /** Of a release PostgreSQL tells; of a crash one hears by waiting for the bell. */
  async #watch(name: string, changed: () => void): Promise<() => void> {
    const channel = await this.#table.channel(name);
    const unlisten = await this.#subscriptions.add(this.#settings.database.listen(channel, changed));
    const endVigil = this.#vigil.listen(name, changed);
    const unwatch = () => {
      unlisten();
      endVigil();
    };
    try {
      await this.read(name);
    } catch (error) {
      unwatch();
      throw error;
    }
    return unwatch;
  }

  // ---- The session that holds the lock ------------------------------------------------------------------

  async #take({ name, holder, ttlMs }: AcquireRequest): Promise<Tenure | null> {
    const session = await this.#open();
    try {
      const values = [name, holder, ttlMs, `${Math.ceil(ttlMs)}`];
      const [row] = await this.#ask(session, this.#takeStatement, values);
      if (row === undefined) {
        await this.#giveBack(session);
        return null;
      }
      const tenure = { name, holder, token: readToken(row), pid: readPid(row), session };
      this.#tenures.set(name, tenure);
      if (this.#isClosed) await this.#end(tenure);
      return tenure;
    } catch (error) {
      session.close(true);
      throw error;
    }
  }

  /**
   * One statement, in this order: the time-out, for a process that is paused right after it has the lock must lose it in
   * time; the lock; the token; and the bell, for which nobody waits longer than a moment. It does not wait for the disk:
   * a crash of PostgreSQL that forgets the token ends the lease as well, and the next token is greater by the clock.
   */
  get #takeStatement(): string {
    return `
      WITH attempt AS MATERIALIZED (
        SELECT set_config('idle_session_timeout', $4, false), set_config('synchronous_commit', 'off', true),
          pg_try_advisory_lock(${lockOf('$1::text')}) AS taken
      ), recorded AS (
        INSERT INTO ${this.#table.name} AS lease
          SELECT $1::text, $2::text, ${nextToken('NULL')}, $3::float8, pg_backend_pid() FROM attempt WHERE taken
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = ${nextToken('lease.token')},
          ttl_ms = excluded.ttl_ms, pid = excluded.pid
        RETURNING token
      ) SELECT token::text, pg_backend_pid() AS pid, pg_advisory_lock(${bellOf('$1::text')}) FROM recorded`;
  }

  #tenureOf({ name, holder, token }: ReleaseRequest): Tenure | null {
    const tenure = this.#tenures.get(name);
    return tenure?.holder === holder && tenure.token === token ? tenure : null;
  }

  /** Whether the session still lives; asking is what keeps it alive. A client may have opened another in its place. */
  async #isAlive(tenure: Tenure, ttlMs: number): Promise<boolean> {
    try {
      const statement = `SELECT set_config('idle_session_timeout', $1, false), pg_backend_pid() AS pid`;
      const [row] = await this.#ask(tenure.session, statement, [`${Math.ceil(ttlMs)}`]);
      if (readPid(row) === tenure.pid) return true;
    } catch (error) {
      if (error instanceof NoAnswerError) throw error;
    }
    await this.#end(tenure);
    return false;
  }

  async #giveBack(session: Session): Promise<void> {
    await this.#ask(session, 'SELECT pg_advisory_unlock_all()');
    await this.#ask(session, 'RESET idle_session_timeout');
    session.close();
  }

  /** Also where the client cannot close one connection of many, or its closing is not heard. */
  async #end({ name, session, pid }: Tenure): Promise<void> {
    this.#tenures.delete(name);
    session.close(true);
    const statement = `SELECT pg_terminate_backend(pid) FROM (${holderOf('$2::text')}) AS locks WHERE pid = $1`;
    await this.#table.query(statement, [pid, name]).catch(() => {});
  }

  // ---- One conversation ---------------------------------------------------------------------------------

  /** The caller is answered in bounded time. What follows waits for longer, so that it sees what came of this. */
  #alone<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.take(name, () => this.#table.use(action));
    return within(this.#settings.requestTimeoutMs, 'PostgreSQL', turn);
  }

  async #open(): Promise<Session> {
    const opening = this.#settings.open();
    try {
      return await within(this.#patienceMs, 'PostgreSQL', opening);
    } catch (error) {
      opening.then(
        (session) => session.close(),
        () => {},
      );
      throw error;
    }
  }

  #ask(session: Session, text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return within(this.#patienceMs, 'PostgreSQL', session.query(text, values));
  }

  get #patienceMs(): number {
    return 3 * this.#settings.requestTimeoutMs;
  }
}

interface Lock {
  /** Null while whoever has the lock has not said yet who it is. */
  readonly holder: string | null;
  readonly token: string | null;
  readonly ttl_ms: number | null;
  /** Null where it is hidden from this user. */
  readonly idle_ms: number | null;
}

const soonMs = 20;

function heldBy({ holder, token, ttl_ms: ttlMs, idle_ms: idleMs }: Lock): Held {
  return {
    type: 'held',
    holder,
    token: token === null ? null : BigInt(token),
    expiresInMs: ttlMs === null ? soonMs : Math.max(Number(ttlMs) - Number(idleMs ?? 0), 1),
  };
}
