/**
 * A whole run, to be looked at from any side: what every node was at any event, where every message went, who led
 * when, and what each leader wrote. Nothing in it changes. Whoever wants another past edits the schedule and records
 * again: a fault that is added later leaves every earlier event as it was.
 */

import type { Belief, FencingToken, Guarantees, NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { FaultKind } from './faults.js';
import type { NodeStatus } from './node.js';
import type { Violation } from './oracle.js';
import type { Schedule } from './schedule.js';
import type { TraceEvent } from './trace.js';
import type { Write } from './writes.js';

/** One node after an event. */
export interface Moment<State = unknown> {
  readonly sequence: number;
  readonly state: State;
  readonly status: NodeStatus;
  /** Counts its restarts. */
  readonly incarnation: number;
  readonly belief: Belief;
  readonly leadership: Holding | null;
  /** Those that are set, on the world's clock. */
  readonly timers: readonly { readonly name: string; readonly setMs: number; readonly dueMs: number }[];
  readonly clock: { readonly rate: number; readonly baseMs: number; readonly sinceMs: number };
}

/** A Leadership in somebody's hands. Times are the world's. */
export interface Holding {
  readonly token: FencingToken;
  /** When its lease was last extended. */
  readonly renewedMs: number;
  /** `Infinity` where no lease bounds it. */
  readonly untilMs: number;
}

/** A message from its sending to its end. */
export interface Flight {
  readonly number: number;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: ProtocolMessage;
  /** The event that sent it. */
  readonly sentBy: number;
  readonly sentMs: number;
  /** When the network brings it, or would have. A node that is paused or saves takes it later. */
  readonly reachesMs: number | null;
  readonly end: FlightEnd;
}

export type FlightEnd =
  | { readonly type: 'arrived'; readonly sequence: number; readonly atMs: number }
  | { readonly type: 'lost'; readonly why: LossReason; readonly atMs: number }
  /** The recording ends first. */
  | { readonly type: 'underway' };

export type LossReason =
  | 'the link is cut'
  | 'the network lost it'
  | 'it was dropped by hand'
  | 'the receiver is down'
  | 'the receiver crashed'
  | 'it was meant for an earlier process'
  | 'its sender is an earlier process'
  | 'there is no such node';

/** One Leadership as its application saw it. */
export interface RecordedTenure {
  readonly node: NodeId;
  readonly incarnation: number;
  readonly token: FencingToken;
  /** The step that led. */
  readonly beganBy: number;
  readonly beganMs: number;
  /** The event that ended it; null where the lease ran out, or the recording did. */
  readonly endedBy: number | null;
  readonly endedMs: number | null;
}

/** A fault with whom it struck. */
export interface RecordedFault {
  readonly fault: FaultKind;
  readonly sequence: number;
  readonly atMs: number;
  readonly healedMs: number | null;
  /** Those that it names, by id. */
  readonly nodes: readonly NodeId[];
}

/** Which links were cut from an event on. */
export interface Cuts {
  readonly sequence: number;
  readonly links: readonly (readonly [from: NodeId, to: NodeId])[];
}

/** A time during which as many lead. */
export interface Reign {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Indices of tenures. None: nobody leads. Two: a split brain. */
  readonly tenures: readonly number[];
}

export interface RecordingFacts<State> {
  readonly algorithm: string;
  readonly variant: string;
  readonly guarantees: Guarantees;
  readonly periodicMessages: ReadonlySet<string>;
  readonly schedule: Schedule;
  readonly nodes: readonly NodeId[];
  readonly services: readonly NodeId[];
  /** How far it got: the end of the schedule, unless too many steps were taken. */
  readonly endMs: number;
  readonly events: readonly TraceEvent[];
  readonly flights: readonly Flight[];
  readonly tenures: readonly RecordedTenure[];
  readonly pauses: readonly { readonly node: NodeId; readonly fromMs: number; readonly untilMs: number }[];
  readonly faults: readonly RecordedFault[];
  readonly cuts: readonly Cuts[];
  readonly reigns: readonly Reign[];
  readonly writes: readonly Write[];
  /** As `judge` has it. The recording goes on after it. */
  readonly violation: Violation | null;
  readonly moments: ReadonlyMap<NodeId, readonly Moment<State>[]>;
}

export class Recording<State = unknown> {
  readonly facts: RecordingFacts<State>;

  constructor(facts: RecordingFacts<State>) {
    this.facts = facts;
  }

  /** What the node was after this event, its own or another's. */
  at(node: NodeId, sequence: number): Moment<State> {
    const moments = this.facts.moments.get(node);
    if (moments === undefined) throw new RangeError(`There is no node ${node} in this recording.`);
    return moments[lastAtMost(moments, sequence, sequenceOf)] ?? moments[0]!;
  }

  cutsAt(sequence: number): Cuts['links'] {
    const { cuts } = this.facts;
    return cuts[lastAtMost(cuts, sequence, sequenceOf)]?.links ?? noCuts;
  }

  /** The last event at or before this time; -1 when there is none. */
  sequenceAt(atMs: number): number {
    return lastAtMost(this.facts.events, atMs, (event) => event.atMs);
  }

  /** Who leads at this time; null beyond both ends. */
  reignAt(atMs: number): Reign | null {
    const { reigns } = this.facts;
    return reigns[lastAtMost(reigns, atMs, (reign) => reign.fromMs)] ?? null;
  }

  /** What the node's own clock shows. */
  localMs({ clock }: Moment<State>, atMs: number): number {
    return clock.baseMs + (atMs - clock.sinceMs) * clock.rate;
  }
}

/** Always the same, so that whoever compares sees that nothing has changed. */
const noCuts: Cuts['links'] = [];

const sequenceOf = ({ sequence }: { readonly sequence: number }): number => sequence;

/** The index of the last item whose key is at most this; -1 for none. Keys never fall. */
export function lastAtMost<Item>(
  items: readonly Item[],
  most: number,
  keyOf: (item: Item) => number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyOf(items[middle]!) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
