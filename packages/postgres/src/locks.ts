/** The advisory locks of an election: 64 bits of a hash of its name each. */

/** Whoever has it has the lease. */
export const lockOf = (name: string): string => `hashtextextended('hustings lease ' || ${name}, 0)`;
/** The holder of the lease has it as well, and those wait for it that want to hear of the lease's end. */
export const bellOf = (name: string): string => `hashtextextended('hustings lease ' || ${name}, 1)`;

/** The rows of `pg_locks` that speak of an advisory lock. */
export const isLock = (lock: string): string => `locktype = 'advisory' AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32) | objid::bigint = ${lock}`;

/** The process of the session that has the lease. */
export const holderOf = (name: string): string =>
  `SELECT pid FROM pg_locks WHERE granted AND ${isLock(lockOf(name))}`;
