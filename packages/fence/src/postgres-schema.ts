import { quoteIdentifier } from './clients/postgres.js';

/** The fence in SQL: the rule of `admit` in `@hustings/elector`, once more, where the writes are. */
export function schemaOf(name: string) {
  const schema = quoteIdentifier(name);
  return {
    install: [
      // Two that install at once would both find nothing.
      `SELECT pg_advisory_xact_lock(hashtextextended('hustings fence install', 0))`,
      `CREATE SCHEMA IF NOT EXISTS ${schema}`,
      `CREATE TABLE IF NOT EXISTS ${schema}.fence (
        resource text PRIMARY KEY,
        token numeric NOT NULL,
        holder text NOT NULL
      )`,
      admitFunction(schema),
      requireFunction(schema),
      protectFunction(schema),
    ],
    admit: `SELECT ${schema}.admit($1::text, $2::numeric, $3::text)`,
    protect: `SELECT ${schema}.protect($1::text::regclass, $2::text)`,
    terminate: terminateStatement,
  };
}

/**
 * Transactions of one leader share the row, so that they run side by side. Who raises the token changes the row, and so
 * waits for all of them; those that waited meanwhile see the new token when they go on.
 */
const admitFunction = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.admit(presented_resource text, presented_token numeric, presented_holder text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  highest record;
BEGIN
  SELECT token INTO highest FROM ${schema}.fence WHERE resource = presented_resource;
  -- ON CONFLICT locks the row even where it changes nothing, so it is tried only where it should.
  IF NOT FOUND OR highest.token < presented_token THEN
    INSERT INTO ${schema}.fence VALUES (presented_resource, presented_token, presented_holder)
      ON CONFLICT (resource) DO UPDATE SET token = excluded.token, holder = excluded.holder
      WHERE fence.token < excluded.token;
  END IF;
  SELECT token, holder INTO highest FROM ${schema}.fence WHERE resource = presented_resource FOR SHARE;
  IF presented_token < highest.token THEN
    RAISE EXCEPTION '% wrote with token %, but token % of % has been seen; it no longer leads.',
      presented_holder, presented_token, highest.token, highest.holder USING ERRCODE = 'HU412';
  ELSIF presented_holder <> highest.holder THEN
    RAISE EXCEPTION '% wrote with token %, which % holds; two leaders were elected with one token.',
      presented_holder, presented_token, highest.holder USING ERRCODE = 'HU412';
  END IF;
  -- A mark by which another session finds this one, to end it.
  PERFORM pg_advisory_xact_lock_shared(${markOf('presented_resource')});
  -- Until the end of this transaction.
  PERFORM set_config('hustings.admitted', (${admitted} || presented_resource)::text, true);
END $$`;

const requireFunction = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.require_fence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_ARGV[0] <> ALL (${admitted}) THEN
    RAISE EXCEPTION 'A write to % has shown no fencing token for %; write within the run() of its guard.',
      TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'HU428';
  END IF;
  RETURN NULL;
END $$`;

const protectFunction = (schema: string): string => `
CREATE OR REPLACE FUNCTION ${schema}.protect(protected regclass, resource text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('DROP TRIGGER IF EXISTS hustings_fence ON %s', protected);
  EXECUTE format('CREATE TRIGGER hustings_fence BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.require_fence(%L)', protected, resource);
END $$`;

/** What this transaction was admitted to. */
const admitted = `coalesce(nullif(current_setting('hustings.admitted', true), ''), '{}')::text[]`;

const markOf = (resource: string): string => `hashtextextended('hustings fence ' || ${resource}, 0)`;

/** Ends the sessions that were admitted and have not finished. */
const terminateStatement = `
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32) | objid::bigint = ${markOf('$1::text')}`;
