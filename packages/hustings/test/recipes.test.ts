import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fencingHeaders, refuseStale } from '@hustings/fence/http';
import {
  type PostgresServer,
  type RedisServers,
  type SupervisedProcess,
  startPostgres,
  startRedis,
  supervise,
} from '@hustings/servers';
import { StaleTokenError } from 'hustings';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

// The recipes are programs as a user would write them: they run on what `npm run build` has made.
const examples = new URL('../../../docs/examples/', import.meta.url);
const running: SupervisedProcess[] = [];
const start = async (name: string, parameters: readonly string[], env: Record<string, string> = {}) => {
  const script = fileURLToPath(new URL(name, examples));
  const started = await supervise(process.execPath, [script, ...parameters], {
    env: { ...process.env, ...env },
  });
  running.push(started);
  return started;
};
const eventually = <Value>(what: () => Promise<Value> | Value) =>
  vi.waitFor(what, { timeout: 30_000, interval: 50 });

afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});

describe('the singleton cron with a fenced table', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url });
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  const makers = async (): Promise<string[]> => {
    const { rows } = await pool.query('SELECT made_by FROM reports ORDER BY made_at');
    return rows.map(({ made_by: by }) => by);
  };

  it('is run by one server, by another when that one is killed, and by nobody else', async () => {
    const env = { DATABASE_URL: server.url, EVERY_MS: '50' };
    const first = await start('singleton-cron.mjs', ['first'], env);
    await eventually(async () => expect(await makers()).toContain('first'));
    await start('singleton-cron.mjs', ['second'], env);
    await eventually(async () => expect((await makers()).length).toBeGreaterThan(10));
    expect(await makers()).not.toContain('second');
    process.kill(first.pid, 'SIGKILL');
    await eventually(async () => expect(await makers()).toContain('second'));
    const all = await makers();
    expect(all.lastIndexOf('first')).toBeLessThan(all.indexOf('second'));
  });

  it('cannot be written to past its fence', async () => {
    await expect(pool.query("INSERT INTO reports VALUES ('me', now())")).rejects.toThrow(/no fencing token/);
  });
});

describe('the program of the page about PostgreSQL', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url });
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  const timesLed = ({ lines }: SupervisedProcess) =>
    lines.filter((line) => /^\w+ leads with token /.test(line)).length;
  const hasWritten = async (id: string): Promise<boolean> => {
    const { rowCount } = await pool.query('SELECT FROM reports WHERE made_by = $1 LIMIT 1', [id]);
    return rowCount === 1;
  };

  // It may write before it notices: then the fence refuses it, and it must not end by that.
  it('leads again after it was paused in office', async () => {
    const env = { DATABASE_URL: server.url };
    const first = await start('start-postgres.mjs', ['first'], env);
    await eventually(async () => expect(await hasWritten('first')).toBe(true));
    const second = await start('start-postgres.mjs', ['second'], env);
    process.kill(first.pid, 'SIGSTOP');
    await eventually(async () => expect(await hasWritten('second')).toBe(true));
    process.kill(first.pid, 'SIGCONT');
    await eventually(() => expect(first.lines.join('\n')).toContain('leads no more (lease-expired)'));
    process.kill(second.pid, 'SIGTERM');
    await second.ended;
    await eventually(() => expect(timesLed(first)).toBe(2));
  });
});

describe('the owners of partitions on Redis', () => {
  let servers: RedisServers;
  let redis: Redis;
  beforeAll(async () => {
    servers = await startRedis();
    redis = new Redis(servers.urls[0]!);
  });
  afterAll(async () => {
    redis.disconnect();
    await servers.stop();
  });
  const owners = () => redis.mget([0, 1, 2, 3].map((partition) => `partition-${partition}:owner`));

  it('hand all partitions to another when one stops', async () => {
    const env = { REDIS_URL: servers.urls[0]! };
    const first = await start('partition-owner.mjs', ['first'], env);
    await eventually(async () => expect(await owners()).toEqual(['first', 'first', 'first', 'first']));
    await start('partition-owner.mjs', ['second'], env);
    process.kill(first.pid, 'SIGTERM');
    await eventually(async () => expect(await owners()).toEqual(['second', 'second', 'second', 'second']));
    await first.ended;
  });
});

describe('the door behind HTTP', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hustings-door-'));
  });
  afterAll(() => rm(directory, { recursive: true }));
  const open = async () => {
    const server = await start('fenced-http.mjs', [directory, '0']);
    await vi.waitUntil(() => server.lines.length > 0, { timeout: 30_000 });
    const url = `http://127.0.0.1:${server.lines[0]?.split(' ').at(-1)}`;
    return { server, post: (headers: Record<string, string>) => fetch(url, { method: 'POST', headers }) };
  };

  it('answers 412 to an older leader, also after it was killed, and 428 to whoever shows no token', async () => {
    const [older, newer] = [
      { token: 3n, holder: 'a#1' },
      { token: 4n, holder: 'b#1' },
    ];
    const { server, post } = await open();
    expect((await post(fencingHeaders(newer))).status).toBe(200);
    expect((await post(fencingHeaders(older))).status).toBe(412);
    await server.stop();
    const again = await open();
    await expect(again.post(fencingHeaders(older)).then(refuseStale)).rejects.toThrow(StaleTokenError);
    expect((await again.post({})).status).toBe(428);
    expect((await again.post(fencingHeaders(newer))).status).toBe(200);
  });
});
