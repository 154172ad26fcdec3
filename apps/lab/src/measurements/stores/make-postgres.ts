/** Candidates on PostgreSQL: ours, and what people use today. */

import { postgresStore } from '@hustings/postgres';
import pg from 'pg';
import { type Candidate, first, onStore, type Start, unfenced } from './make.js';
import type { CandidateSettings } from './settings.js';

export const row: Start = (settings) => onStore(settings, postgresStore({ client: poolOf(settings) }));

export const session: Start = (settings) =>
  onStore(settings, postgresStore({ client: poolOf(settings), mode: 'session' }));

function poolOf(settings: CandidateSettings): pg.Pool {
  const pool = new pg.Pool({ connectionString: first(settings) });
  pool.on('error', () => {});
  return pool;
}

/** As its own documentation has it: wait for the lock, and hold it until the session ends. */
export async function advisoryLock(settings: CandidateSettings): Promise<Candidate> {
  const client = new pg.Client(first(settings));
  await client.connect();
  return {
    async campaign() {
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [settings.election]);
      return unfenced;
    },
    async resign() {
      await client.query('SELECT pg_advisory_unlock_all()');
    },
  };
}
