/**
 * What Hustings asks of clients for PostgreSQL and Redis: `pg` or `postgres`, `ioredis` or `@redis/client`. None of them
 * is a dependency; whatever has these methods will do.
 *
 * @packageDocumentation
 */

export {
  type ConnectionOf,
  type Database,
  databaseOf,
  type PgConnection,
  type PgPool,
  type PostgresClient,
  type PostgresSql,
  type PostgresTransaction,
  type Query,
  quoteIdentifier,
  type Row,
  type Session,
} from './clients/postgres.js';
export { type IoRedis, type NodeRedis, type Redis, type RedisClient, redisOf } from './clients/redis.js';
export { type Listening, Subscriptions } from './clients/subscriptions.js';
export { NoAnswerError, within } from './clients/within.js';
