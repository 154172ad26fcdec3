/** How many elections, held in which way, by how many processes. */

export const ways = ['alone', 'session', 'aggregator'] as const;
/**
 * How the elections of a process share what they need: not at all, one session to etcd, or one session to an
 * aggregator that has a lease in etcd.
 */
export type Way = (typeof ways)[number];

export const sizes = {
  simulated: [10, 100, 1000, 10_000, 100_000],
  live: [10, 100, 1000],
} as const;

/** Each election is stood for by three processes: the fewest of which two are left when one dies. */
export const processesPerService = 3;

/**
 * So many elections belong to one service, whose processes stand for all of them and for no others. What a company has
 * a hundred thousand of belongs to many services.
 */
export const electionsPerService = 1000;

/** How many elections each service has. */
export function servicesOf(elections: number): number[] {
  const whole = Math.floor(elections / electionsPerService);
  const rest = elections % electionsPerService;
  return [...new Array<number>(whole).fill(electionsPerService), ...(rest === 0 ? [] : [rest])];
}

/** The lease of every election, and the one that aggregators hold: at least one and a half times as long. */
export const ttlSeconds = 5;
export const aggregatorTtlSeconds = 8;
/** Of aggregators one leads; the others are there for when it fails. */
export const aggregators = 3;

export interface ScaleName {
  readonly way: Way;
  readonly elections: number;
}

export const labelOf = ({ way, elections }: ScaleName): string => `${way}, ${elections} elections`;

export const electionNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `partition-${index + 1}`);
