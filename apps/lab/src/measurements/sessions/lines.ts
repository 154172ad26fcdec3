/** What a process of the measurement says. */

export type Said =
  | {
      readonly type: 'began' | 'ended';
      readonly election: string;
      readonly token: string;
      /**
       * By the machine's monotonic clock, which all processes share: when it began, or when it last found that it led.
       */
      readonly atMs: number;
    }
  | { readonly type: 'failed'; readonly election: string; readonly detail: string; readonly atMs: number }
  | {
      readonly type: 'state';
      /** Elections of which it knows a leader. */
      readonly known: number;
      readonly led: number;
      readonly cpuMs: number;
      readonly atMs: number;
    };

export const electionNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `partition-${index + 1}`);
