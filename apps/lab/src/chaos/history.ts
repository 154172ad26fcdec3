/** What happened in a run, on the one clock that all processes of a machine share. */

import type { FencingToken, NodeId } from '@hustings/elector';

export type Happening = {
  readonly atMs: number;
} /** A process of this node was started. Each has a number of its own. */ & (
  | { readonly type: 'started'; readonly process: number; readonly node: NodeId }
  | { readonly type: 'died'; readonly process: number }
  /** By SIGSTOP and SIGCONT: in between it does not run. */
  | { readonly type: 'stopped' | 'continued'; readonly process: number }
  | { readonly type: 'began'; readonly process: number; readonly token: FencingToken }
  /** Its signal aborted, or its deadline passed, whichever came first. */
  | { readonly type: 'ended'; readonly process: number; readonly token: FencingToken }
  /** A write reached the store. `accepted` is the answer of the fenced one; its unfenced twin accepts everything. */
  | {
      readonly type: 'wrote';
      readonly process: number;
      readonly token: FencingToken;
      readonly accepted: boolean;
    }
  /** Whether there should be a leader: a majority is well and joined, and the coordinator is up. */
  | { readonly type: 'well'; readonly well: boolean }
  | { readonly type: 'episode'; readonly number: number }
  /** A process ended, or gave up, for no reason that was done to it. */
  | { readonly type: 'failed'; readonly process: number; readonly reason: string }
);
