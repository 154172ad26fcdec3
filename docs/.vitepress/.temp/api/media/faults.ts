import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs } from '@hustings/elector/protocol';

/**
 * A node by its id, or by its office. `leader`: whichever running node leads, by the highest token, when the fault
 * starts. `follower-1`: the first of the other running nodes in the order of the cluster, and so on; so one schedule
 * means the same for every algorithm. `coordinator`: the coordinator as a whole, where there is one.
 */
export type Target = NodeId | 'leader' | 'coordinator' | `follower-${number}`;

/** Which of the followers this stands for, counted from 0; null for another target. */
export function followerIndex(target: Target): number | null {
  const place = /^follower-([1-9]\d?)$/.exec(target)?.[1];
  return place === undefined ? null : Number(place) - 1;
}

/** What goes wrong. */
export type FaultKind =
  /** The process dies: volatile state is lost, durable state kept. Healing restarts it. */
  | { readonly type: 'crash'; readonly node: Target }
  /** The process dies and comes back at once. */
  | { readonly type: 'restart'; readonly node: Target }
  /** A long garbage collection, or SIGSTOP: timers fire late and messages queue up until it heals. */
  | { readonly type: 'pause'; readonly node: Target }
  /** The node is cut off from everyone, both ways. */
  | { readonly type: 'isolate'; readonly node: Target }
  /** The node is cut off from every coordinator, and from nothing else. */
  | { readonly type: 'isolate-from-coordinator'; readonly node: Target }
  /** Every coordinator dies; healing restarts them with what they had saved. */
  | { readonly type: 'coordinator-crash' }
  /** The leader of each coordinator's members dies, and they elect another. */
  | { readonly type: 'coordinator-member-crash' }
  /** These nodes are cut off from the rest; each side is whole. */
  | { readonly type: 'split'; readonly side: readonly Target[] }
  /** The node sends but does not hear. */
  | { readonly type: 'one-way'; readonly node: Target }
  | { readonly type: 'loss'; readonly probability: number }
  | { readonly type: 'duplicate'; readonly probability: number }
  /** Messages overtake each other. */
  | { readonly type: 'reorder' }
  /** Everything to and from the node takes longer. */
  | { readonly type: 'slow-link'; readonly node: Target; readonly extraMs: number }
  /**
   * The connection between two nodes holds what is sent over it until this heals, even if a sender has died by then.
   * A process that starts meanwhile has a connection of its own, which does not stall.
   */
  | { readonly type: 'stall'; readonly node: Target; readonly peer: Target }
  /** The node's clock runs at this multiple of real time. */
  | { readonly type: 'clock-drift'; readonly node: Target; readonly rate: number }
  /** The node resigns; healing lets it campaign again. */
  | { readonly type: 'graceful'; readonly node: Target; readonly to?: Target }
  /** The application finds itself unfit to lead until this heals. */
  | { readonly type: 'unhealthy'; readonly node: Target }
  /** Somebody follows the node's beliefs until this heals. */
  | { readonly type: 'observe'; readonly node: Target }
  /** One link is cut, both ways. */
  | { readonly type: 'cut'; readonly node: Target; readonly peer: Target }
  /** Of what is on its way from the node to its peer, the next to arrive is lost: any, or the next of a kind. */
  | { readonly type: 'drop'; readonly node: Target; readonly peer: Target; readonly message?: string }
  /** A timer that is set fires now: this one, or the one that is due first. */
  | { readonly type: 'fire'; readonly node: Target; readonly timer?: string }
  /** From now on messages take this long. */
  | { readonly type: 'latency'; readonly latencyMs: DelayRangeMs };

/** A fault with its time. Without `healAtMs` it lasts until the end. */
export type Fault = FaultKind & { readonly atMs: number; readonly healAtMs?: number };

/**
 * What a search draws from. `cut`, `drop`, `fire` and `latency` are for hands: with them among these, every seed would
 * draw another run.
 */
export const faultTypes = [
  'crash',
  'restart',
  'pause',
  'isolate',
  'isolate-from-coordinator',
  'split',
  'one-way',
  'loss',
  'duplicate',
  'reorder',
  'slow-link',
  'clock-drift',
  'graceful',
  'coordinator-crash',
  'stall',
  'unhealthy',
  'observe',
  'coordinator-member-crash',
] as const satisfies readonly FaultKind['type'][];

/** What can happen to a coordinator as a whole. */
export const faultsOfAnyProcess: ReadonlySet<FaultKind['type']> = new Set<FaultKind['type']>([
  'crash',
  'restart',
  'pause',
  'isolate',
  'one-way',
  'slow-link',
  'clock-drift',
]);

/** What hands can do to a coordinator, beside that. */
export const handsOnCoordinator: ReadonlySet<FaultKind['type']> = new Set<FaultKind['type']>([
  'cut',
  'drop',
  'fire',
]);
