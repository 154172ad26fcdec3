/** What a simulated ensemble knows, and the words in which its rules are written. */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs, Effect, Input, Transition } from '@hustings/elector/protocol';
import type { SessionId, ZooKeeperMessage } from '../messages.js';
import { root, type Tree } from './tree.js';

export interface SimulatedZooKeeperSettings {
  readonly members: number;
  /** Sessions are granted 2 to 20 ticks, and end at a tick. 2000 in ZooKeeper's sample configuration. */
  readonly tickMs: number;
  /** How many ticks a member serves its clients after it has lost touch with the leader. */
  readonly syncLimit: number;
  /** How far a member may lag behind the leader. */
  readonly lagMs: DelayRangeMs;
  /** How long the members take to elect a leader, when theirs has failed. */
  readonly electionMs: DelayRangeMs;
  /** How often the members' leader fails by itself; null for never. */
  readonly leaderFailsEveryMs: DelayRangeMs | null;
  /** How often a member is cut off from the leader, though not from its clients; null for never. */
  readonly memberCutEveryMs: DelayRangeMs | null;
  /** How often empty containers are looked for: 60 s in ZooKeeper. */
  readonly containerCheckMs: number;
  /** Whether it comes back from a restart as an ensemble whose data directories were lost. */
  readonly losesDataOnRestart: boolean;
}

export const defaultSimulatedZooKeeper: SimulatedZooKeeperSettings = {
  members: 3,
  tickMs: 200,
  syncLimit: 5,
  lagMs: [0, 0],
  electionMs: [200, 500],
  leaderFailsEveryMs: null,
  memberCutEveryMs: null,
  containerCheckMs: 60_000,
  losesDataOnRestart: false,
};

/** What can be done to the ensemble itself, as an input of type `requested`. */
export type SimulatedZooKeeperRequest =
  /** Its leader dies, and the members elect another. */
  | { readonly type: 'fail-leader' }
  /** A member that is not the leader loses touch with it. */
  | { readonly type: 'cut-member' };

export type SimulatedZooKeeperTimer =
  | 'tick'
  /** Members tell the leader which sessions they have heard from. */
  | 'relay'
  | 'containers'
  | 'election'
  | 'leader-failure'
  | 'member-cut'
  /** The member that was cut off gives up. */
  | 'member-return'
  /** A member learns what the leader has committed. */
  | `apply ${number}`;

export interface ServerSession {
  readonly id: SessionId;
  readonly client: NodeId;
  readonly timeoutMs: number;
  /** By the leader's clock. */
  readonly expiresMs: number;
  /** The last request that was carried out. An earlier one that comes after it is lost. */
  readonly lastId: number;
  /** The member that it is connected to. */
  readonly member: number | null;
  /** That member has heard from it, and has not told the leader. */
  readonly isUnreported: boolean;
  /** When it came to that member from another, which made the leader count anew; null once it has. */
  readonly greetedMs: number | null;
}

export interface ServerWatch {
  readonly session: SessionId;
  readonly path: string;
  /** For a watch on children: those that were there. */
  readonly children: string | null;
}

/** What the members have agreed upon; it survives them. */
export interface SimulatedZooKeeperDurable {
  readonly epoch: number;
  /** The lower half of the zxid. */
  readonly counter: number;
  readonly tree: Tree;
  /** In the order of their opening, which is that of their ids. */
  readonly sessions: readonly ServerSession[];
  readonly nextSession: number;
}

export interface SimulatedZooKeeperState extends SimulatedZooKeeperDurable {
  readonly settings: SimulatedZooKeeperSettings;
  /** False while the members elect a leader: nothing is answered, and no session ends. */
  readonly available: boolean;
  /** The tree as each member knows it. */
  readonly views: readonly Tree[];
  /** The member that is cut off from the leader. */
  readonly cut: number | null;
  readonly watches: readonly ServerWatch[];
  /** How many connections there have been; each goes to the next member. */
  readonly connections: number;
}

export interface SimulatedZooKeeperTypes {
  readonly state: SimulatedZooKeeperState;
  readonly message: ZooKeeperMessage;
  readonly durable: SimulatedZooKeeperDurable;
  readonly timer: SimulatedZooKeeperTimer;
  readonly request: SimulatedZooKeeperRequest;
  readonly announcement: never;
}

export type State = SimulatedZooKeeperState;
export type ServerInput = Input<SimulatedZooKeeperTypes>;
export type ServerEffect = Effect<SimulatedZooKeeperTypes>;
export type ServerTransition = Transition<SimulatedZooKeeperTypes>;

export function initialState(settings: SimulatedZooKeeperSettings): State {
  return {
    settings,
    available: true,
    epoch: settings.members === 1 ? 0 : 1,
    counter: 0,
    tree: root,
    sessions: [],
    nextSession: 1,
    views: Array.from({ length: settings.members }, () => root),
    cut: null,
    watches: [],
    connections: 0,
  };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: State, changes: Partial<State>): State {
  const copy: State = {
    settings: state.settings,
    available: state.available,
    epoch: state.epoch,
    counter: state.counter,
    tree: state.tree,
    sessions: state.sessions,
    nextSession: state.nextSession,
    views: state.views,
    cut: state.cut,
    watches: state.watches,
    connections: state.connections,
  };
  return Object.assign(copy, changes);
}

export function changeSession(session: ServerSession, changes: Partial<ServerSession>): ServerSession {
  const copy: ServerSession = {
    id: session.id,
    client: session.client,
    timeoutMs: session.timeoutMs,
    expiresMs: session.expiresMs,
    lastId: session.lastId,
    member: session.member,
    isUnreported: session.isUnreported,
    greetedMs: session.greetedMs,
  };
  return Object.assign(copy, changes);
}

export const leaderOf = ({ epoch, settings }: State): number => epoch % settings.members;
export const zxidOf = ({ epoch, counter }: State): number => epoch * 2 ** 32 + counter;
export const bumped = (state: State): State => change(state, { counter: state.counter + 1 });
/** A session ends at a tick, and never before its time. */
export const nextTickMs = ({ settings: { tickMs } }: State, atMs: number): number =>
  (Math.floor(atMs / tickMs) + 1) * tickMs;

export function save({ epoch, counter, tree, sessions, nextSession }: State): ServerEffect {
  return { type: 'save', durable: { epoch, counter, tree, sessions, nextSession } };
}
