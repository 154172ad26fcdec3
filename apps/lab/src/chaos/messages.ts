/** What a run and its node processes say to each other over the IPC channel. */

import type { FencingToken, NodeId } from '@hustings/elector';
import type { Algorithm } from './layouts.js';

export interface NodeSettings {
  readonly algorithm: Algorithm;
  readonly id: NodeId;
  /** Where each peer is reached; nowhere, where nodes do not talk to each other. */
  readonly peers: Readonly<Record<NodeId, string>>;
  /** Where it listens; 0 for any port that is free. */
  readonly port: number;
  /** etcd and ZooKeeper: `host:port` of each member, as this node reaches it. */
  readonly servers: readonly string[];
  readonly secret: string;
  /** Raft: where it keeps its durable state. */
  readonly directory: string;
  /** Raft: whether a leader that hears no majority steps down of itself, before its lease does it. */
  readonly checkQuorum: boolean;
  /** Raft: how it is broken on purpose, to see whether that is noticed; null as a rule. */
  readonly mutant: string | null;
  readonly disk: DiskState;
  readonly stands: boolean;
}

/** How the node's disk behaves, beyond how it is. */
export interface DiskState {
  /** Each save takes this much longer. */
  readonly slowByMs: number;
  /** Saves do not end. */
  readonly held: boolean;
  /** Writes fail as on a full disk: where no small disk can be mounted, and filled. */
  readonly pretendsFull: boolean;
}

export type ToNode =
  | { readonly type: 'start'; readonly settings: NodeSettings }
  | { readonly type: 'disk'; readonly disk: DiskState }
  | { readonly type: 'withdraw' | 'stand' };

export type FromNode =
  /** It takes part; `port` is where peers reach it, 0 where nobody does. */
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'began' | 'ended'; readonly atMs: number; readonly token: FencingToken }
  | { readonly type: 'write'; readonly holder: string; readonly token: FencingToken }
  /** A save began on a slow disk, and ended. */
  | { readonly type: 'saves' | 'saved' }
  /** The elector has left the election for good. */
  | { readonly type: 'gave-up'; readonly reason: string };
