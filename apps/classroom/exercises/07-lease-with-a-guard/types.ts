/** What a node and the store say to each other. Not yours to change. */

import type { NodeId } from '@hustings/elector';

export interface Lease {
  readonly state: LeaseState;
  readonly message: LeaseMessage;
  readonly timer: 'ask' | 'renew';
  readonly saved: never;
}

export interface LeaseState {
  /** The token of the lease that this node has; null when it has none. */
  token: number | null;
}

export type LeaseMessage =
  /** To the store: may I have the lease for so long? `askedMs` comes back in the answer. */
  | { readonly type: 'acquire'; readonly ttlMs: number; readonly askedMs: number }
  /** To the store: the lease with this token is mine. May I have it for so long from now on? */
  | { readonly type: 'renew'; readonly token: number; readonly ttlMs: number; readonly askedMs: number }
  /** From the store: it is yours. The store counts `ttlMs` by its own clock, from when it decided. */
  | { readonly type: 'granted'; readonly token: number; readonly ttlMs: number; readonly askedMs: number }
  /** From the store: it is not yours. This node has it, if any, or had it last; `token` is of that lease. */
  | {
      readonly type: 'refused';
      readonly holder: NodeId | null;
      readonly token: number;
      readonly askedMs: number;
    };
