// A job that runs on one of many servers, and whose result no server that has been deposed can spoil.
//
//     DATABASE_URL=postgres://… node singleton-cron.mjs node-1

import { postgresFence } from '@hustings/fence/postgres';
import { lead, postgresElector } from 'hustings/postgres';
import pg from 'pg';

const [id] = process.argv.slice(2);
const everyMs = Number(process.env.EVERY_MS ?? 60_000);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', (error) => console.error(`${id}: ${error.message}`));

// Without its fence the table takes no writes at all.
await pool.query('CREATE TABLE IF NOT EXISTS reports (made_by text, made_at timestamptz)');
const fence = postgresFence({ client: pool, resource: 'reports' });
await fence.install();
await fence.protect('reports');

const elector = postgresElector({ id, election: 'reports', client: pool, mode: 'session', ttlMs: 2000 });
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

await lead(
  elector,
  async (leadership) => {
    await fence.beforeLead(leadership);
    while (!leadership.signal.aborted) {
      await fence.run(leadership, (connection) =>
        connection.query('INSERT INTO reports VALUES ($1, now())', [id]),
      );
      await sleep(everyMs, leadership.signal);
    }
  },
  { signal: stop.signal },
);
await elector.stop();
await pool.end();

function sleep(delayMs, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });
}
