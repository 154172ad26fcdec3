/** What the benchmark and its node processes say to each other over the IPC channel. */

import type { CoordinatorKind, ProfileName } from '@hustings/catalogue';
import type { FencingToken, NodeId } from '@hustings/elector';
import type { Command } from '@hustings/servers';
import type { FaultRule } from '@hustings/transport';
import type { Sighting } from '../observation.js';

export interface NodeSettings {
  readonly id: NodeId;
  readonly nodes: readonly NodeId[];
  readonly algorithm: string;
  readonly variant: string;
  readonly profile: ProfileName;
  readonly budgetMs: number;
  readonly seed: number;
  readonly secret: string;
  /** The servers that it talks to instead of its peers; null for an algorithm without. */
  readonly coordinator: CoordinatorAccess | null;
  /** Where it keeps its durable state. */
  readonly directory: string;
  /** What only somebody else's elector must be told; null for ours. */
  readonly rival: RivalSettings | null;
}

export interface RivalSettings {
  /** The lease that it asks of etcd, in seconds, or the session that it asks of ZooKeeper. */
  readonly ttlSeconds: number;
  readonly sessionTimeoutMs: number;
  /** How a candidate of Apache Curator is started; null for the others. */
  readonly curator: Command | null;
}

export interface CoordinatorAccess {
  readonly kind: CoordinatorKind;
  /** `host:port` of each member, as this node reaches it. */
  readonly addresses: readonly string[];
  /** A name that no other election on these servers has. */
  readonly election: string;
}

export type ToNode =
  /** First of all. Answered by `listening`. */
  | { readonly type: 'start'; readonly settings: NodeSettings }
  /** Where the others listen. Answered by `connected`, once all of them have been reached. */
  | { readonly type: 'addresses'; readonly ports: Readonly<Record<NodeId, number>> }
  | { readonly type: 'campaign' }
  /** Replaces the fault rules. Answered by `applied`. */
  | { readonly type: 'rules'; readonly rules: readonly FaultRule[] }
  /** Leaves office in good order, to a node of its choice or not, and stays out. Answered by `applied`, just before. */
  | { readonly type: 'resign'; readonly to: NodeId | null };

export type FromNode =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'connected' }
  | { readonly type: 'applied'; readonly atMs: number }
  /** A process that belongs to this node, and is to be killed and stopped with it. */
  | { readonly type: 'child'; readonly pid: number }
  /** Of a rival: it is known to have joined the election. Ours tell by whom they believe in. */
  | { readonly type: 'stands' }
  | { readonly type: 'sightings'; readonly sightings: readonly Sighting[] }
  /** A write to the store, which the benchmark keeps. */
  | { readonly type: 'write'; readonly atMs: number; readonly holder: string; readonly token: FencingToken };
