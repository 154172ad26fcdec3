/** What a simulated store knows, and the words in which its rules are written. */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs, Effect, Input, Transition } from '@hustings/elector/protocol';
import type { LeaseMessage } from '../messages.js';

export interface SimulatedStoreSettings {
  /** Whose clock ends a lease. */
  readonly clock: 'store' | 'observer';
  /**
   * How a token is made. `counter`: one more than the last. `clock`: that, or the time in microseconds where it is
   * more, so that tokens grow although the counter was forgotten.
   */
  readonly tokens: 'counter' | 'clock';
  /** How many of its TTLs a lease lasts that is not renewed; null where it lasts until it is released, or the next. */
  readonly expiryFactor: number | null;
  /** Whether those who watch are told when it was released. */
  readonly hints: boolean;
  /** Whether a lease ends with the connection of its holder, as a lock of a session does. */
  readonly endsWithConnection: boolean;
  /** How many servers there are. Of several, each has leases of its own, and a majority decides, as in Redlock. */
  readonly servers: number;
  /** How long it answers nothing while a replica takes over. */
  readonly failoverMs: DelayRangeMs;
  /** How often a replica takes over by itself; null for never. */
  readonly failsOverEveryMs: DelayRangeMs | null;
  /** The replica that takes over lacks what was written in this many milliseconds before. */
  readonly replicaLagMs: number;
  /** Whether it comes back from a restart with nothing. */
  readonly losesDataOnRestart: boolean;
}

export const defaultSimulatedStore: SimulatedStoreSettings = {
  clock: 'store',
  tokens: 'counter',
  expiryFactor: 1,
  hints: true,
  endsWithConnection: false,
  servers: 1,
  failoverMs: [200, 600],
  failsOverEveryMs: null,
  replicaLagMs: 0,
  losesDataOnRestart: false,
};

/** What can be done to the store itself, as an input of type `requested`. */
export type SimulatedStoreRequest =
  /** Its server dies. A while later a replica takes over, and lacks the writes of the last `replicaLagMs`. */
  | { readonly type: 'fail-over' }
  /** A replica that lacks those writes takes over at once: nobody notices but by what it does not know. */
  | { readonly type: 'forget-last-writes' }
  /** One of several servers answers no more, or again. */
  | { readonly type: 'stop-server' | 'start-server'; readonly server: number }
  /** One server forgets all that it knew. */
  | { readonly type: 'forget-server'; readonly server: number }
  /** The wall clock of one server jumps. */
  | { readonly type: 'step-clock'; readonly server: number; readonly byMs: number };

export type SimulatedStoreTimer = 'fail-over' | 'taken-over';

/** A lease as one server keeps it. It stays when it is over: its token and version must not come back. */
export interface ServerLease {
  readonly name: string;
  /** Null when it was released, or never taken. */
  readonly holder: string | null;
  /** The node that asked for it, whose connection may break. */
  readonly client: NodeId;
  readonly token: number;
  readonly version: number;
  readonly ttlMs: number;
  /** By the server's clock. */
  readonly expiresMs: number;
}

export interface Server {
  readonly leases: readonly ServerLease[];
  readonly running: boolean;
  /** How far its wall clock has been set forward. */
  readonly aheadMs: number;
  /** How often leases were written. Versions are made of it, so none comes back, whatever else is forgotten. */
  readonly writes: number;
}

/** What was known at a moment, for a replica that lags. */
export interface Snapshot {
  readonly atMs: number;
  readonly leases: readonly ServerLease[];
}

export interface SimulatedStoreDurable {
  readonly servers: readonly Server[];
  /** The highest token given. The time of day has passed it, whatever else is forgotten; a counter may not have. */
  readonly highestToken: number;
}

export interface SimulatedStoreState extends SimulatedStoreDurable {
  readonly settings: SimulatedStoreSettings;
  /** False while a replica takes over: nothing is answered. */
  readonly available: boolean;
  /** What the first server knew before each of its last writes, the oldest first; only where replicas lag. */
  readonly past: readonly Snapshot[];
  readonly watches: readonly Watch[];
}

export interface Watch {
  readonly client: NodeId;
  readonly id: number;
  readonly name: string;
}

export interface SimulatedStoreTypes {
  readonly state: SimulatedStoreState;
  readonly message: LeaseMessage;
  readonly durable: SimulatedStoreDurable;
  readonly timer: SimulatedStoreTimer;
  readonly request: SimulatedStoreRequest;
  readonly announcement: never;
}

export type StoreInput = Input<SimulatedStoreTypes>;
export type StoreEffect = Effect<SimulatedStoreTypes>;
export type StoreTransition = Transition<SimulatedStoreTypes>;

export function initialState(settings: SimulatedStoreSettings): SimulatedStoreState {
  const servers = Array.from({ length: settings.servers }, () => emptyServer);
  return { settings, servers, highestToken: 0, available: true, past: [], watches: [] };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(
  state: SimulatedStoreState,
  changes: Partial<SimulatedStoreState>,
): SimulatedStoreState {
  const copy: SimulatedStoreState = {
    settings: state.settings,
    servers: state.servers,
    highestToken: state.highestToken,
    available: state.available,
    past: state.past,
    watches: state.watches,
  };
  return Object.assign(copy, changes);
}

export const emptyServer: Server = { leases: [], running: true, aheadMs: 0, writes: 0 };

export const save = ({ servers, highestToken }: SimulatedStoreState): StoreEffect => ({
  type: 'save',
  durable: { servers, highestToken },
});

export const majorityOf = ({ settings }: SimulatedStoreState): number => Math.floor(settings.servers / 2) + 1;
