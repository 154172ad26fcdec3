/** What a node and the store say to each other, if your elector uses it. Everything else is yours. */

import type { NodeId } from '@hustings/elector';

export type StoreMessage =
  /** To the store: may I have the lease for so long? At most 2000 ms. `askedMs` comes back in the answer. */
  | { readonly type: 'acquire'; readonly ttlMs: number; readonly askedMs: number }
  /** To the store: the lease with this token is mine. May I have it for so long from now on? */
  | { readonly type: 'renew'; readonly token: number; readonly ttlMs: number; readonly askedMs: number }
  /** To the store: I need the lease with this token no longer. There is no answer. */
  | { readonly type: 'release'; readonly token: number }
  /** To the store: who has it? */
  | { readonly type: 'look' }
  /** From the store: it is yours. The store counts `ttlMs` by its own clock, from when it decided. */
  | { readonly type: 'granted'; readonly token: number; readonly ttlMs: number; readonly askedMs: number }
  /** From the store: it is not yours. This node has it, or had it last; `token` is of that lease. */
  | {
      readonly type: 'refused';
      readonly holder: NodeId | null;
      readonly token: number;
      readonly askedMs: number;
    }
  /** From the store: this node has it now, with this token; or nobody, and the last token was this. */
  | { readonly type: 'held'; readonly holder: NodeId | null; readonly token: number };

/** No clock is further from real time than this: it runs at 0.99 to 1.01 times its pace. */
export const maxDriftRate = 0.01;

/** How long a message takes at most, as long as nothing is wrong. */
export const maxDelayMs = 50;
