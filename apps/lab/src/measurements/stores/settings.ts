/** What the measuring process tells a candidate, as JSON in its first parameter. */
export interface CandidateSettings {
  readonly make: MakeName;
  readonly id: string;
  readonly election: string;
  readonly ttlMs: number;
  /** Where leases are kept: one address, five for Redlock; of Kubernetes a kubeconfig, of one machine a directory. */
  readonly store: readonly string[];
  /** What the leader writes to; null where it only leads. */
  readonly resource: string | null;
  /** Whether it says again and again that it holds a valid Leadership, where it has no resource to write to. */
  readonly reports?: boolean;
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
  | 'hustings kubernetes'
  | 'hustings dynamodb'
  | 'hustings consul'
  | 'hustings local'
  | 'pg_advisory_lock'
  | 'SET NX PX loop'
  | 'redlock package';

/** Programs of other people. */
export type ProgramName = 'client-go' | 'consul lock' | 'flock';

/** Which server each needs. */
export const stores = {
  'hustings row': 'postgres',
  'hustings session': 'postgres',
  pg_advisory_lock: 'postgres',
  'hustings redis': 'redis',
  'hustings redlock': 'redis',
  'SET NX PX loop': 'redis',
  'redlock package': 'redis',
  'hustings kubernetes': 'kubernetes',
  'client-go': 'kubernetes',
  'hustings dynamodb': 'dynamodb',
  'hustings consul': 'consul',
  'consul lock': 'consul',
  'hustings local': 'local',
  flock: 'local',
} as const satisfies Record<MakeName | ProgramName, string>;

export const isProgram = (make: MakeName | ProgramName): make is ProgramName => make in programs;

/** The lease of each, which cannot be changed but in its source; null where the kernel frees a lock with its process. */
export const programs: Readonly<Record<ProgramName, { readonly ttlMs: number | null }>> = {
  'client-go': { ttlMs: 60_000 },
  'consul lock': { ttlMs: 15_000 },
  flock: { ttlMs: null },
};

export const isPostgres = (address: string): boolean => address.startsWith('postgres:');
