import { connect } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loopbackProxy, type PostgresServer, startPostgres } from '../src/index.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const open = async (): Promise<pg.Client> => {
  const client = new pg.Client(server.url);
  client.on('error', () => {}); // The server is killed on purpose.
  await client.connect();
  return client;
};

const ask = async (statement: string): Promise<unknown[]> => {
  const client = await open();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
};

describe('a PostgreSQL on the loopback interface', () => {
  it('keeps what was committed when it is killed, and takes it up again', async () => {
    await ask('CREATE TABLE t AS SELECT 7 AS n');
    await server.kill();
    await expect(ask('SELECT 1')).rejects.toThrow();
    await server.restart();
    expect(await ask('SELECT n FROM t')).toEqual([{ n: 7 }]);
  });

  it('is paused with all its sessions, which answer when it is resumed', async () => {
    const session = await open();
    await server.pause();
    let answered = false;
    const answer = session.query('SELECT 1').finally(() => {
      answered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    await server.resume();
    expect(await answer).toMatchObject({ rowCount: 1 });
    await session.end();
  });

  it('is reached through a proxy under the same user and database', async () => {
    const proxy = await loopbackProxy({ target: server.url, framing: 'none' });
    expect(proxy.url).toBe(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`);
    await proxy.close();
  });

  it('leaves nothing that listens when it is stopped', async () => {
    await server.stop();
    const refused = new Promise((resolve) => connect(server.port, '127.0.0.1').once('error', resolve));
    expect(await refused).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('where PostgreSQL is missing', () => {
  it('says how to install it', async () => {
    await expect(startPostgres({ programs: '/nowhere' })).rejects.toThrow("run 'apt-get install postgresql'");
  });
});
