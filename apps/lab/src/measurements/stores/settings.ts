/** What the measuring process tells a candidate, as JSON in its first parameter. */
export interface CandidateSettings {
  readonly make: MakeName;
  readonly id: string;
  readonly election: string;
  readonly ttlMs: number;
  /** Where leases are kept: one address, or five for Redlock. */
  readonly store: readonly string[];
  /** What the leader writes to; null where it only leads. */
  readonly resource: string | null;
}

/** The same, of one on this machine alone. */
export interface LocalSettings {
  readonly id: string;
  readonly directory: string;
}

export type MakeName =
  | 'hustings row'
  | 'hustings session'
  | 'hustings redis'
  | 'hustings redlock'
  | 'pg_advisory_lock'
  | 'SET NX PX loop'
  | 'redlock package';

export const isPostgres = (address: string): boolean => address.startsWith('postgres:');
