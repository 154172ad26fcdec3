import { type PostgresServer, startPostgres } from '@hustings/servers';
import { describeLeaseStore } from '@hustings/testkit';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStore } from '../src/index.js';

let server: PostgresServer;
const pools: pg.Pool[] = [];
const sqls: postgres.Sql[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await Promise.all([...pools.map((pool) => pool.end()), ...sqls.map((sql) => sql.end({ timeout: 1 }))]);
  await server.stop();
});

const withPg = (): pg.Pool => {
  const pool = new pg.Pool({ connectionString: server.url });
  pool.on('error', () => {}); // The server is killed on purpose.
  pools.push(pool);
  return pool;
};

const withPostgres = (): postgres.Sql => {
  const sql = postgres(server.url, { onnotice: () => {}, idle_timeout: 1 });
  sqls.push(sql);
  return sql;
};

const faults = {
  restart: () => server.restart(),
  pause: async () => {
    await server.pause();
    return () => server.resume();
  },
};

describeLeaseStore({
  name: 'row of PostgreSQL, with pg',
  connect: () => postgresStore({ client: withPg() }),
  server: faults,
});

describeLeaseStore({
  name: 'row of PostgreSQL, with postgres',
  connect: () => postgresStore({ client: withPostgres() }),
  server: faults,
});

describeLeaseStore({
  name: 'session of PostgreSQL, with pg',
  connect: () => postgresStore({ client: withPg(), mode: 'session' }),
  server: faults,
});

describe('the mode', () => {
  it('session is refused with postgres, which cannot lend a connection safely', () => {
    const options = { client: withPostgres(), mode: 'session' } as const;
    expect(() => postgresStore(options)).toThrow(/needs a Pool of pg/);
  });

  it('is one of two', () => {
    const options = { client: withPg(), mode: 'table' as 'row' };
    expect(() => postgresStore(options)).toThrow("mode must be 'row' or 'session', not table.");
  });
});
