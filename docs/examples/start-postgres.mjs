import { setTimeout as sleep } from 'node:timers/promises';
import { postgresFence } from '@hustings/fence/postgres';
import { lead, postgresElector } from 'hustings/postgres';
import pg from 'pg';

const [id] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
pool.on('error', (error) => console.error(`${id}: ${error.message}`));

// From now on the table refuses every write that does not show the newest token.
await pool.query('CREATE TABLE IF NOT EXISTS reports (made_by text, made_at timestamptz)');
const fence = postgresFence({ client: pool, resource: 'reports' });
await fence.install();
await fence.protect('reports');

const elector = postgresElector({ id, election: 'reports', client: pool });
const leave = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => leave.abort());

await lead(elector, work, { signal: leave.signal });
await elector.stop();
await pool.end();

async function work(leadership) {
  console.log(`${id} leads with token ${leadership.token}`);
  await fence.beforeLead(leadership);
  while (!leadership.signal.aborted) {
    await fence.run(leadership, (connection) =>
      connection.query('INSERT INTO reports VALUES ($1, now())', [id]),
    );
    await sleep(1000);
  }
}
