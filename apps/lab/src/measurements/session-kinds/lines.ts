/** What a process of the measurement is told, and what it says. */

export type Kind = 'zookeeper' | 'raft';

export interface Setup {
  readonly kind: Kind;
  readonly id: string;
  readonly prefix: string;
  readonly elections: number;
  /** The session's timeout, or how long a lease lasts. */
  readonly timeoutMs: number;
  /** Of the ensemble. */
  readonly hosts: readonly string[];
  /** Of each node of the group. */
  readonly ports: Readonly<Record<string, number>>;
  readonly directory: string;
}

export type Said =
  | {
      readonly type: 'began' | 'ended';
      readonly election: string;
      readonly token: string;
      /** By the machine's monotonic clock: when it began, or when it last found that it led. */
      readonly atMs: number;
    }
  | { readonly type: 'failed'; readonly election: string; readonly detail: string }
  /** It leads the group itself. */
  | { readonly type: 'leads-group'; readonly atMs: number }
  /** Of how many elections it knows a leader, and what it has cost so far. */
  | { readonly type: 'state'; readonly known: number; readonly cpuMs: number };

export const electionNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `partition-${index + 1}`);
