/** Candidates of several makes. Each is loaded when it is wanted: a process carries only what its user would load. */

import type { Start } from './make.js';
import type { MakeName } from './settings.js';

export const supportedMakes: Readonly<Record<MakeName, () => Promise<Start>>> = {
  'hustings row': async () => (await import('./make-postgres.js')).row,
  'hustings session': async () => (await import('./make-postgres.js')).session,
  'hustings redis': async () => (await import('./make-redis.js')).redis,
  'hustings redlock': async () => (await import('./make-redis.js')).redlock,
  'hustings kubernetes': async () => (await import('./make-other.js')).kubernetes,
  'hustings dynamodb': async () => (await import('./make-dynamodb.js')).dynamodb,
  'hustings consul': async () => (await import('./make-other.js')).consul,
  'hustings local': async () => (await import('./make-other.js')).local,
  pg_advisory_lock: async () => (await import('./make-postgres.js')).advisoryLock,
  'SET NX PX loop': async () => (await import('./make-redis.js')).setLoop,
  'redlock package': async () => (await import('./make-redis.js')).redlockPackage,
};
