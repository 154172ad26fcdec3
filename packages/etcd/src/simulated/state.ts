/** What a simulated etcd knows, and the words in which its rules are written. */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs, Effect, Input, Transition } from '@hustings/elector/protocol';
import type { Change, EtcdMessage, KeyValue, LeaseId, Revision } from '../messages.js';

export interface SimulatedEtcdSettings {
  /** The server looks for expired leases this often, so one ends up to this much late: 500 in etcd. */
  readonly expiryCheckMs: number;
  /** The shortest lease that it grants: with etcd's default timing 2. */
  readonly minTtlSeconds: number;
  /** How long the members take to elect a leader, when theirs has failed. */
  readonly electionMs: DelayRangeMs;
  /** How often the members' leader fails by itself; null for never. */
  readonly leaderFailsEveryMs: DelayRangeMs | null;
  /** Older events are compacted away when there are more than this. */
  readonly historyLength: number;
  /** Whether it comes back from a restart as an etcd whose data directories were lost. */
  readonly losesDataOnRestart: boolean;
}

export const defaultSimulatedEtcd: SimulatedEtcdSettings = {
  expiryCheckMs: 500,
  minTtlSeconds: 1,
  electionMs: [500, 1000],
  leaderFailsEveryMs: null,
  historyLength: 1000,
  losesDataOnRestart: false,
};

/** What can be done to the cluster itself, as an input of type `requested`. */
export type SimulatedEtcdRequest =
  /** Its leader dies, and the members elect another. */
  | { readonly type: 'fail-leader' }
  /** Forgets all events up to and including this revision. */
  | { readonly type: 'compact'; readonly revision: Revision };

export type SimulatedEtcdTimer = 'expiry' | 'election' | 'failure';

export interface Lease {
  readonly id: LeaseId;
  readonly ttlMs: number;
  /** By the server's clock. */
  readonly expiresMs: number;
}

export interface ServerWatch {
  readonly client: NodeId;
  readonly id: number;
  readonly key: string;
  readonly prefix: boolean;
  /** How many messages it was sent. */
  readonly told: number;
}

/** What the members have agreed upon; it survives them. */
export interface SimulatedEtcdDurable {
  readonly revision: number;
  readonly compacted: number;
  /** In the order in which they were created, so that the oldest is at hand. */
  readonly keys: readonly KeyValue[];
  readonly history: readonly Change[];
  /** In the order in which they were granted, which is that of their ids. */
  readonly leases: readonly Lease[];
  readonly nextLease: number;
}

export interface SimulatedEtcdState extends SimulatedEtcdDurable {
  readonly settings: SimulatedEtcdSettings;
  /** False while the members elect a leader: nothing is answered, and no lease ends. */
  readonly available: boolean;
  readonly watches: readonly ServerWatch[];
}

export interface SimulatedEtcdTypes {
  readonly state: SimulatedEtcdState;
  readonly message: EtcdMessage;
  readonly durable: SimulatedEtcdDurable;
  readonly timer: SimulatedEtcdTimer;
  readonly request: SimulatedEtcdRequest;
  readonly announcement: never;
}

export type ServerInput = Input<SimulatedEtcdTypes>;

export type ServerEffect = Effect<SimulatedEtcdTypes>;

export type ServerTransition = Transition<SimulatedEtcdTypes>;

export function initialState(settings: SimulatedEtcdSettings): SimulatedEtcdState {
  return {
    settings,
    available: true,
    // A real store is at 1 before anything was written.
    revision: 1,
    compacted: 0,
    keys: [],
    history: [],
    leases: [],
    nextLease: 0x1001,
    watches: [],
  };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: SimulatedEtcdState, changes: Partial<SimulatedEtcdState>): SimulatedEtcdState {
  const copy: SimulatedEtcdState = {
    settings: state.settings,
    available: state.available,
    revision: state.revision,
    compacted: state.compacted,
    keys: state.keys,
    history: state.history,
    leases: state.leases,
    nextLease: state.nextLease,
    watches: state.watches,
  };
  return Object.assign(copy, changes);
}

export function save({
  revision,
  compacted,
  keys,
  history,
  leases,
  nextLease,
}: SimulatedEtcdState): ServerEffect {
  return { type: 'save', durable: { revision, compacted, keys, history, leases, nextLease } };
}
