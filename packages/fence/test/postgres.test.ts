import { StaleTokenError } from '@hustings/elector';
import { type PostgresServer, startPostgres } from '@hustings/servers';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type PostgresClient, type PostgresFence, postgresFence } from '../src/postgres.js';
import { describeGuard } from './guard-suite.js';

let server: PostgresServer;
let pool: pg.Pool;
let sql: postgres.Sql;
beforeAll(async () => {
  server = await startPostgres();
  pool = new pg.Pool({ connectionString: server.url });
  pool.on('error', () => {}); // Sessions are ended on purpose.
  sql = postgres(server.url, { onnotice: () => {} });
  await pool.query('CREATE TABLE written (resource text PRIMARY KEY, text text)');
});
afterAll(async () => {
  await Promise.all([pool.end(), sql.end()]);
  await server.stop();
});

const insert = `INSERT INTO written VALUES ($1, $2) ON CONFLICT (resource) DO UPDATE SET text = excluded.text`;
const read = async (resource: string): Promise<string | null> => {
  const { rows } = await pool.query('SELECT text FROM written WHERE resource = $1', [resource]);
  return rows[0]?.text ?? null;
};

const installed = async <Client extends PostgresClient>(client: Client, resource: string) => {
  const fence = postgresFence({ client, resource });
  await fence.install();
  return fence;
};

describeGuard<pg.PoolClient>({
  name: 'PostgreSQL, with pg',
  guard: (resource) => installed(pool, resource),
  write: async (connection, resource, text) => void (await connection.query(insert, [resource, text])),
  read,
  isTransactional: true,
  runs: 15,
});

describeGuard<postgres.TransactionSql>({
  name: 'PostgreSQL, with postgres',
  guard: (resource) => installed(sql, resource),
  write: async (connection, resource, text) => void (await connection.unsafe(insert, [resource, text])),
  read,
  isTransactional: true,
  runs: 15,
});

const old = { token: 3n, holder: 'a#1' };
const newer = { token: 4n, holder: 'b#1' };

describe('a protected table', () => {
  let fence: PostgresFence<pg.PoolClient>;
  beforeAll(async () => {
    await pool.query('CREATE TABLE prices (article text, price int)');
    fence = await installed(pool, 'prices');
    await fence.protect('prices');
    await fence.protect('prices');
  });

  it.each([
    `INSERT INTO prices VALUES ('a', 1)`,
    `UPDATE prices SET price = 2`,
    'DELETE FROM prices',
    'TRUNCATE prices',
  ])('refuses %s outside of its guard, and says where to write', async (statement) => {
    await expect(pool.query(statement)).rejects.toThrow(
      /no fencing token for prices; write within the run\(\)/,
    );
  });

  it('takes all of them within it, and refuses them again afterwards on the same connection', async () => {
    await fence.run(newer, async (connection) => {
      await connection.query(`INSERT INTO prices VALUES ('a', 1)`);
      await connection.query('UPDATE prices SET price = 2');
    });
    const connection = await pool.connect();
    await expect(connection.query('DELETE FROM prices')).rejects.toThrow(/no fencing token/);
    connection.release();
  });

  it('refuses a write that was admitted to another resource', async () => {
    const other = await installed(pool, 'another');
    const writing = other.run(newer, (connection) => connection.query('DELETE FROM prices'));
    await expect(writing).rejects.toThrow(/no fencing token for prices/);
  });

  it('takes a write that was admitted to both', async () => {
    const other = await installed(pool, 'another');
    await fence.run(newer, async (connection) => {
      await connection.query(`SELECT hustings.admit('another', 4, 'b#1')`);
      await connection.query('DELETE FROM prices');
    });
    await expect(other.run(old, async () => {})).rejects.toThrow(StaleTokenError);
  });
});

describe('the work of one leader', () => {
  it('runs side by side', async () => {
    const fence = await installed(pool, 'side by side');
    await fence.beforeLead(newer);
    let entered = 0;
    const meet = () => vi.waitUntil(() => entered === 3, { timeout: 30_000 });
    const work = () =>
      fence.run(newer, async () => {
        entered += 1;
        await meet();
      });
    await Promise.all([work(), work(), work()]);
  });

  it('begins side by side, too, when it is the first of a new leader', async () => {
    const fence = await installed(pool, 'first of a new leader');
    await fence.run(old, async () => {});
    await Promise.all(Array.from({ length: 8 }, () => fence.run(newer, async () => {})));
  });
});

describe('given work that passes over a statement that failed', () => {
  it.each(['pg', 'postgres'])('it is told that nothing of it was kept, with %s', async (client) => {
    const resource = `passed over with ${client}`;
    const write = (run: (statement: string) => PromiseLike<unknown>) => async () => {
      await run(`INSERT INTO written VALUES ('${resource}', 'text')`);
      await Promise.resolve(run('SELECT 1 / 0')).catch(() => {});
    };
    const working =
      client === 'pg'
        ? (await installed(pool, resource)).run(newer, (it) => write((text) => it.query(text))())
        : (await installed(sql, resource)).run(newer, (it) => write((text) => it.unsafe(text))());
    await expect(working).rejects.toThrow();
    expect(await read(resource)).toBeNull();
  });
});

describe('given an older leader that is stuck within its transaction', () => {
  const stuck = async (resource: string) => {
    const fence = await installed(pool, resource);
    let goOn = () => {};
    let entered = false;
    const work = fence
      .run(old, async (connection) => {
        await connection.query(insert, [resource, 'stale']);
        entered = true;
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        await connection.query(insert, [resource, 'staler']);
      })
      .catch((error: unknown) => error);
    await vi.waitUntil(() => entered, { timeout: 30_000 });
    return { fence, work, goOn: () => goOn() };
  };

  it('a newer leader waits for it, when it has done nothing about it', async () => {
    const { fence, work, goOn } = await stuck('stuck and waited for');
    let done = false;
    const next = fence.run(newer, async (connection) => {
      done = true;
      await connection.query(insert, ['stuck and waited for', 'new']);
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(done).toBe(false);
    goOn();
    await Promise.all([work, next]);
    expect(await read('stuck and waited for')).toBe('new');
  });

  it('beforeLead ends it, and nothing of it is kept', async () => {
    const { fence, work, goOn } = await stuck('stuck and ended');
    await fence.beforeLead(newer);
    expect(await read('stuck and ended')).toBeNull();
    goOn();
    expect(await work).toBeInstanceOf(Error);
    expect(await read('stuck and ended')).toBeNull();
    await expect(fence.run(old, async () => {})).rejects.toThrow(StaleTokenError);
    await fence.run(newer, async (connection) => {
      await connection.query(insert, ['stuck and ended', 'new']);
    });
    expect(await read('stuck and ended')).toBe('new');
  });

  it('beforeLead ends it at once where no grace is given', async () => {
    const { work, goOn } = await stuck('stuck and given no grace');
    const fence = postgresFence({ client: pool, resource: 'stuck and given no grace', graceMs: 0 });
    await fence.beforeLead(newer);
    goOn();
    expect(await work).toBeInstanceOf(Error);
    expect(await read('stuck and given no grace')).toBeNull();
  });

  it.each([-1, Number.NaN, 2 ** 31])('a grace of %d ms is refused', (graceMs) => {
    expect(() => postgresFence({ client: pool, resource: 'any', graceMs })).toThrow(/graceMs must be/);
  });

  it('one that is older still cannot end it', async () => {
    const { fence, work, goOn } = await stuck('stuck but newer');
    await fence.beforeLead({ token: 3n, holder: 'a#1' });
    goOn();
    expect(await work).toBeUndefined();
    await expect(fence.beforeLead({ token: 2n, holder: 'z#1' })).rejects.toThrow(StaleTokenError);
    expect(await read('stuck but newer')).toBe('staler');
  });
});
