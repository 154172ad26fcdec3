import { type LeaseStore, StoreRefusedError } from '@hustings/lease';
import { type PostgresServer, startPostgres } from '@hustings/servers';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type PostgresClient, type PostgresStoreOptions, postgresStore } from '../src/index.js';

let server: PostgresServer;
let pool: pg.Pool;
let sql: postgres.Sql;
const stores: LeaseStore[] = [];
beforeAll(async () => {
  server = await startPostgres();
  pool = new pg.Pool({ connectionString: server.url, max: 30 });
  pool.on('error', () => {}); // Sessions are ended on purpose.
  sql = postgres(server.url, { onnotice: () => {} });
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close?.()));
  await Promise.all([pool.end(), sql.end()]);
  await server.stop();
});

const open = (options: Partial<PostgresStoreOptions> = {}, client: PostgresClient = pool): LeaseStore => {
  const store = postgresStore({ client, ...options });
  stores.push(store);
  return store;
};

const take = async (store: LeaseStore, name: string, holder = 'a#1'): Promise<bigint> => {
  const answer = await store.acquire({ name, holder, ttlMs: 30_000 });
  if (answer.type !== 'acquired') throw new Error(`${name} is held by ${answer.holder}`);
  return answer.token;
};

describe('the table of leases', () => {
  it.each(['row', 'session'] as const)(
    'is created by whoever comes first, also when several do (%s)',
    async (mode) => {
      for (let round = 0; round < 20; round += 1) {
        const schema = `fresh "${mode}" ${round}`;
        const all = Array.from({ length: 5 }, () => open({ schema, mode }));
        const answers = await Promise.all(
          all.map((store, index) => store.acquire({ name: schema, holder: `${index}`, ttlMs: 30_000 })),
        );
        expect(answers.filter(({ type }) => type === 'acquired')).toHaveLength(1);
      }
    },
  );

  it('that may not be created is a refusal, in the words of PostgreSQL', async () => {
    await pool.query('CREATE ROLE stranger LOGIN');
    const stranger = new pg.Pool({ connectionString: server.url.replace('postgres@', 'stranger@') });
    const reading = open({ schema: 'not_yours' }, stranger).read('any');
    await expect(reading).rejects.toThrow(StoreRefusedError);
    await expect(reading).rejects.toThrow(/permission denied for database.*42501/);
    await stranger.end();
  });
});

describe.each(['row', 'session'] as const)('tokens in a %s', (mode) => {
  const table = mode === 'row' ? 'lease' : 'session_lease';

  it('grow when the table was lost', async () => {
    const store = open({ mode });
    const name = `lost ${mode}`;
    const before = await take(store, name);
    await store.release({ name, holder: 'a#1', token: before });
    await pool.query(`DROP TABLE hustings.${table}`);
    expect(await take(store, name)).toBeGreaterThan(before);
  });

  it('grow when the clock was set back, and exactly beyond 2^53', async () => {
    const store = open({ mode });
    const name = `clock ${mode}`;
    const token = await take(store, name);
    await store.release({ name, holder: 'a#1', token });
    await pool.query(`UPDATE hustings.${table} SET token = 9007199254740993 WHERE name = $1`, [name]);
    expect(await take(store, name)).toBe(9007199254740994n);
  });
});

describe('a release', () => {
  const configure = async (statement: string): Promise<void> => {
    await pool.query(statement);
    await pool.query('SELECT pg_reload_conf()');
  };
  const somebodyWaits = async (): Promise<boolean> =>
    (await pool.query("SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).rowCount !== 0;

  it('waits for no disk and no replica: the next commit brings it along', async () => {
    const store = open({ listen: false, requestTimeoutMs: 30_000 });
    const [released, kept] = [await take(store, 'released'), await take(store, 'kept')];
    onTestFinished(() => configure('ALTER SYSTEM RESET synchronous_standby_names'));
    await configure("ALTER SYSTEM SET synchronous_standby_names = 'away'");
    const renewals: Promise<unknown>[] = [];
    const renewalWaits = async () => {
      renewals.push(store.renew({ name: 'kept', holder: 'a#1', token: kept, ttlMs: 30_000 }));
      return somebodyWaits();
    };
    await vi.waitUntil(renewalWaits, { timeout: 30_000, interval: 100 });
    await store.release({ name: 'released', holder: 'a#1', token: released });
    expect(await store.read('released')).toEqual({ type: 'free' });
    expect(await somebodyWaits()).toBe(true);
    await configure('ALTER SYSTEM RESET synchronous_standby_names');
    await Promise.allSettled(renewals);
  });
});

describe('hints', () => {
  it('are left out where nobody shall listen', () => {
    expect(open({ listen: false }).watch).toBeUndefined();
    expect(open({ listen: false, mode: 'session' }).watch).toBeUndefined();
  });

  const clients: Record<string, () => PostgresClient> = { pg: () => pool, postgres: () => sql };
  it.each(Object.keys(clients))(
    'go on when the connection that listens was ended, with %s',
    async (client) => {
      const store = open({}, clients[client]!());
      const name = `watched with ${client}`;
      const token = await take(store, name);
      let hints = 0;
      await store.watch!(name, () => {
        hints += 1;
      });
      await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ILIKE 'LISTEN %'`);
      await vi.waitUntil(() => hints > 0, { timeout: 10_000 });
      const before = hints;
      await store.release({ name, holder: 'a#1', token });
      await vi.waitUntil(() => hints > before, { timeout: 10_000 });
    },
  );
});

describe('a connection that is lost before it listens', () => {
  it('is not opened again by itself: whoever watches hears of it', async () => {
    const own = new pg.Pool({ connectionString: server.url });
    own.on('error', () => {});
    let connections = 0;
    const connect = async () => {
      connections += 1;
      const connection = await own.connect();
      const { rows } = await connection.query('SELECT pg_backend_pid() AS pid');
      const ended = new Promise((resolve) => connection.once('end', resolve));
      const query = connection.query.bind(connection);
      connection.query = async (...statement: unknown[]) => {
        await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
        await ended;
        return query(...(statement as [string]));
      };
      return connection;
    };
    const client = { query: own.query.bind(own), connect } as unknown as PostgresClient;
    await expect(open({}, client).watch!('lost at once', () => {})).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(connections).toBe(1);
    await own.end();
  });
});

describe('a watch that fails when it listens already', () => {
  it('gives its connections back', async () => {
    const own = new pg.Pool({ connectionString: server.url });
    const query = async (text: string, values: unknown[]) => {
      if (text.includes('pg_locks')) throw new Error('PostgreSQL is busy.');
      return own.query(text, values);
    };
    const client = { query, connect: () => own.connect() } as unknown as PostgresClient;
    const store = open({ mode: 'session' }, client);
    await expect(store.watch!('busy', () => {})).rejects.toThrow('PostgreSQL is busy.');
    await vi.waitUntil(() => own.totalCount === own.idleCount, { timeout: 10_000 });
    await own.end();
  });
});

describe('a session that somebody ends', () => {
  it('is heard of by those who wait, and costs its holder the lease', async () => {
    const [holder, waiting] = [open({ mode: 'session' }), open({ mode: 'session' })];
    const name = 'ended';
    const token = await take(holder, name);
    let hints = 0;
    await waiting.watch!(name, () => {
      hints += 1;
    });
    expect(await waiting.read(name)).toMatchObject({ type: 'held', holder: 'a#1', token });
    await pool.query('SELECT pg_terminate_backend(pid) FROM hustings.session_lease WHERE name = $1', [name]);
    await vi.waitUntil(() => hints > 0, { timeout: 10_000 });
    expect(await take(waiting, name, 'b#1')).toBeGreaterThan(token);
    expect(await holder.renew({ name, holder: 'a#1', token, ttlMs: 30_000 })).toEqual({ type: 'lost' });
  });

  it('can be given up: whoever resigns then is not kept waiting for ever', async () => {
    const [holder, next] = [open({ mode: 'session' }), open({ mode: 'session' })];
    const name = 'ended and released';
    const token = await take(holder, name);
    await pool.query('SELECT pg_terminate_backend(pid) FROM hustings.session_lease WHERE name = $1', [name]);
    await vi.waitUntil(async () => (await next.read(name)).type === 'free', { timeout: 10_000 });
    await holder.release({ name, holder: 'a#1', token });
    expect(await take(next, name, 'b#1')).toBeGreaterThan(token);
  });

  it('leaves the lease to the next of the same process as well', async () => {
    const store = open({ mode: 'session', listen: false });
    const name = 'ended, and taken by the same process';
    const token = await take(store, name);
    await pool.query('SELECT pg_terminate_backend(pid) FROM hustings.session_lease WHERE name = $1', [name]);
    await vi.waitUntil(async () => (await store.read(name)).type === 'free', { timeout: 10_000 });
    expect(await take(store, name, 'a#2')).toBeGreaterThan(token);
    expect(await store.renew({ name, holder: 'a#1', token, ttlMs: 30_000 })).toEqual({ type: 'lost' });
  });

  it('or that answers no more, costs no other election of its process', async () => {
    const store = open({ mode: 'session' });
    const [silent, other] = [await take(store, 'silent'), await take(store, 'other')];
    const { rows } = await pool.query(`SELECT pid FROM hustings.session_lease WHERE name = 'silent'`);
    const renew = (name: string, token: bigint) =>
      store.renew({ name, holder: 'a#1', token, ttlMs: 30_000 }).catch((error: Error) => error.message);
    process.kill(rows[0].pid, 'SIGSTOP');
    try {
      const answers = await Promise.all([renew('silent', silent), renew('other', other)]);
      expect(answers).toEqual([
        'PostgreSQL has not answered in 2000 ms.',
        { type: 'renewed', validForMs: 30_000 },
      ]);
    } finally {
      process.kill(rows[0].pid, 'SIGCONT');
    }
  });

  it('gives its connection back as it was', async () => {
    const small = new pg.Pool({ connectionString: server.url, max: 1 });
    const store = open({ mode: 'session', listen: false }, small);
    const token = await take(store, 'given back');
    await store.release({ name: 'given back', holder: 'a#1', token });
    const { rows } = await small.query(`SELECT current_setting('idle_session_timeout') AS timeout`);
    expect(rows).toEqual([{ timeout: '0' }]);
    await small.end();
  });
});
