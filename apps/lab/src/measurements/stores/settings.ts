/** What the measuring process tells a candidate, as JSON in its first parameter. */
export interface CandidateSettings {
  readonly make: MakeName;
  readonly id: string;
  readonly election: string;
  readonly ttlMs: number;
  /** Where leases are kept: one address, five for Redlock, or a directory. */
  readonly store: readonly string[];
  /** What the leader writes to; null where it only leads. */
  readonly resource: string | null;
}

export type MakeName =
  | 'hustings row'
  | 'hustings session'
  | 'hustings redis'
  | 'hustings redlock'
  | 'hustings local'
  | 'pg_advisory_lock'
  | 'SET NX PX loop'
  | 'redlock package';

export const isPostgres = (address: string): boolean => address.startsWith('postgres:');
