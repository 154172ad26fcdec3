import { type PostgresServer, type RedisServers, startPostgres, startRedis } from '@hustings/servers';
import { type Diagnostic, type HustingsElector, lead, postgresElector } from 'hustings/postgres';
import { redisElector } from 'hustings/redis';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

let postgres: PostgresServer;
let servers: RedisServers;
let pool: pg.Pool;
let clients: Redis[];
beforeAll(async () => {
  [postgres, servers] = await Promise.all([startPostgres(), startRedis({ members: 3 })]);
  pool = new pg.Pool({ connectionString: postgres.url, max: 20 });
  clients = servers.ports.map((port) => new Redis(port));
});
afterAll(async () => {
  await pool.end();
  for (const client of clients) client.disconnect();
  await Promise.all([postgres.stop(), servers.stop()]);
});

const makes: Record<string, (id: string) => HustingsElector> = {
  'a row of PostgreSQL': (id) => postgresElector({ id, election: 'row', client: pool, logger: false }),
  'a session of PostgreSQL': (id) =>
    postgresElector({ id, election: 'session', client: pool, mode: 'session', logger: false }),
  Redis: (id) => redisElector({ id, election: 'redis', client: clients[0]!, logger: false }),
  'three Redis': (id) => redisElector({ id, election: 'redlock', client: clients, logger: false }),
};

describe.each(Object.entries(makes))('three candidates on %s', (_name, create) => {
  it('lead one after the other, each with a greater token', async () => {
    const electors = ['node-1', 'node-2', 'node-3'].map(create);
    const tokens: bigint[] = [];
    let leading = 0;
    const run = (elector: HustingsElector) =>
      lead(elector, async ({ token }) => {
        leading += 1;
        expect(leading).toBe(1);
        tokens.push(token);
        await new Promise((resolve) => setTimeout(resolve, 20));
        leading -= 1;
      });
    await Promise.all(electors.map(run));
    await Promise.all(electors.map((elector) => elector.stop()));
    expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(tokens).size).toBe(3);
  });
});

describe('an option that cannot work', () => {
  it.each([
    [{ id: 'node-1', election: 'e' }, "postgresElector: option 'client' is missing"],
    [{ id: 'node-1', election: 'e', client: 7 }, "option 'client' must be a client"],
    [{ id: 'node-1', election: 'e', client: {}, mode: 'sesion' }, "did you mean 'session'?"],
    [{ id: 'node-1', client: {} }, "option 'election' is missing"],
    [{ id: 'node-1', election: 'e', client: {} }, "client must be a Pool of 'pg', or sql of 'postgres'."],
  ])('is refused: %j', (options, message) => {
    expect(() => postgresElector(options as unknown as Parameters<typeof postgresElector>[0])).toThrow(
      message,
    );
  });

  it('is refused: an even number of instances', () => {
    const options = { id: 'node-1', election: 'e', client: clients.slice(0, 2) };
    expect(() => redisElector(options)).toThrow(/clients must be three, five or more/);
  });
});

describe('a user of PostgreSQL who may not create the table', () => {
  it('is told so, and what PostgreSQL said', async () => {
    await pool.query('CREATE ROLE stranger LOGIN');
    const stranger = new pg.Pool({ connectionString: postgres.url.replace('postgres@', 'stranger@') });
    const diagnostics: Diagnostic[] = [];
    const elector = postgresElector({
      id: 'node-1',
      election: 'refused',
      schema: 'of_somebody_else',
      client: stranger,
      logger: false,
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    });
    await elector.start();
    const campaign = elector.campaign().catch(() => {});
    await vi.waitFor(() => expect(diagnostics.map(({ type }) => type)).toContain('denied'), {
      timeout: 10_000,
    });
    expect(diagnostics.find(({ type }) => type === 'denied')?.message).toMatch(
      /^PostgreSQL refuses this node: permission denied for database .* \(SQLSTATE 42501\)\.$/,
    );
    await elector.stop();
    await campaign;
    await stranger.end();
  });
});
