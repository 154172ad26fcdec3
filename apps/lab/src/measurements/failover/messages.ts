/** What a measurement and the nodes of ours say to each other. */

import type { NodeId } from '@hustings/elector';

export type ElectorName = 'raft' | 'etcd' | 'zookeeper' | 'postgres' | 'redis';

/** What is asked for beside the timings. */
export interface Means {
  readonly deathCertificates: boolean;
  /** Null without heirs. */
  readonly heirWaitMs: number | null;
}

export interface NodeSettings extends Means {
  readonly elector: ElectorName;
  readonly id: NodeId;
  readonly election: string;
  /** Where the coordinator is; empty for Raft. */
  readonly hosts: string;
  readonly port: number;
  readonly peers: Readonly<Record<NodeId, string>>;
  readonly directory: string;
}

export interface MessageCount {
  /** Without heartbeats, renewals and other periodic messages; null where those cannot be told apart. */
  readonly election: number | null;
  readonly total: number;
}

export type ToNode =
  | { readonly type: 'start'; readonly settings: NodeSettings }
  /** Answered by `counted`. */
  | { readonly type: 'count'; readonly fromMs: number; readonly toMs: number };

export type FromNode =
  /** From now on it would certify the death of each peer. */
  | { readonly type: 'vigilant' }
  | { readonly type: 'follows'; readonly token: bigint | null; readonly atMs: number }
  | { readonly type: 'leads'; readonly token: bigint; readonly atMs: number }
  /** Its heir has promised under this Leadership. */
  | { readonly type: 'has-heir'; readonly token: bigint }
  /** `atMs`: when it last found that it could act. */
  | { readonly type: 'ended'; readonly token: bigint; readonly atMs: number }
  | { readonly type: 'counted'; readonly election: number; readonly total: number };

/** The default timings of the front door. */
export const timings = {
  raft: { electionTimeoutMs: [1000, 2000], heartbeatMs: 100 },
  etcd: { ttlSeconds: 5 },
  zookeeper: { sessionTimeoutMs: 6000 },
  postgres: { ttlMs: 5000 },
  redis: { ttlMs: 5000 },
} as const;
