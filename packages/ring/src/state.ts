import { InvalidOptionError, type NodeId, type Role } from '@hustings/elector';
import {
  either,
  flag,
  listOf,
  must,
  numberAbove,
  type OptionTable,
  rangeMs,
  readOptions,
  text,
} from '@hustings/elector/options';
import { byRank, type DelayRangeMs } from '@hustings/elector/protocol';
import type { CirculatingMessage, RingDurable, RingMessage, RingTimer } from './messages.js';

export interface RingSettings {
  /** How often a leader says that it is there. */
  readonly heartbeatMs: number;
  /** How long a follower lets the leader be silent. Drawn anew each time, so that not all notice at once. */
  readonly leaderTimeoutMs: DelayRangeMs;
  /** T: the longest that a message may take. A neighbour that is slower is passed over. */
  readonly maxDelayMs: number;
  /** Every node once, in the order of the ring; null for the order of rank, weakest first. */
  readonly order: readonly NodeId[] | null;
  /**
   * What becomes of elections that several nodes call at once. False: all but one end at the next node that
   * has called one, and one round serves them all. True: every one runs to its end, as in the textbook, which
   * costs 2n messages each.
   */
  readonly allElectionsRun: boolean;
}

export const defaultSettings: RingSettings = {
  heartbeatMs: 50,
  leaderTimeoutMs: [200, 300],
  maxDelayMs: 50,
  order: null,
  allElectionsRun: false,
};

/** How an election goes round: collecting a list, or comparing candidates. */
export type RingVariant = 'default' | 'chang-roberts';

/** A message that this node has handed to a neighbour. */
export interface Handover {
  readonly to: NodeId;
  readonly message: CirculatingMessage;
}

export interface RingState {
  readonly id: NodeId;
  /** The other nodes, in the order in which the ring reaches them from here. Never changes. */
  readonly ring: readonly NodeId[];
  /** How many nodes come before this one in the order of the ring. Never changes. */
  readonly position: number;
  readonly settings: RingSettings;
  readonly variant: RingVariant;
  /**
   * Has just come back, and gives a leader time to make itself known. Elections that began before it came
   * back do not know of it; if it stood in those that begin now, the two would elect different leaders.
   */
  readonly listening: boolean;
  readonly role: Role;
  /**
   * An election has come by whose outcome is not known yet, so this node does not call one.
   */
  readonly participant: boolean;
  /**
   * A participant that stood when the election first came by. Whoever stands later waits for the next one:
   * if it entered some messages and not others, they would elect different leaders.
   */
  readonly contender: boolean;
  /** Whom this node follows, who leads in `epoch`; itself while leading. */
  readonly leaderId: NodeId | null;
  /** The highest epoch heard of, and a leader's own. Always saved. */
  readonly epoch: number;
  /** The application asks to lead. A step-down ends that. */
  readonly standing: boolean;
  /** An unhealthy node passes elections on but is not on their lists. */
  readonly healthy: boolean;
  /** Nodes whose connection has closed. They are passed over. */
  readonly unreachable: readonly NodeId[];
  /**
   * Nodes that did not acknowledge a message. They are passed over for the rest of the election; the next
   * one tries them again, for a slow node is not a dead one.
   */
  readonly silent: readonly NodeId[];
  /** What has been handed over and not been acknowledged yet, oldest first. */
  readonly handed: readonly Handover[];
  /** How many messages have been handed over: the number of the last. */
  readonly hops: number;
}

export function initialState(
  id: NodeId,
  peers: readonly NodeId[],
  settings: RingSettings = defaultSettings,
  variant: RingVariant = 'default',
): RingState {
  const order = orderOf([id, ...peers], settings.order);
  const position = order.indexOf(id);
  return {
    id,
    ring: [...order.slice(position + 1), ...order.slice(0, position)],
    position,
    settings,
    variant,
    listening: false,
    role: 'follower',
    participant: false,
    contender: false,
    leaderId: null,
    epoch: 0,
    standing: false,
    healthy: true,
    unreachable: [],
    silent: [],
    handed: [],
    hops: 0,
  };
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: RingState, changes: Partial<RingState>): RingState {
  const copy: RingState = {
    id: state.id,
    ring: state.ring,
    position: state.position,
    settings: state.settings,
    variant: state.variant,
    listening: state.listening,
    role: state.role,
    participant: state.participant,
    contender: state.contender,
    leaderId: state.leaderId,
    epoch: state.epoch,
    standing: state.standing,
    healthy: state.healthy,
    unreachable: state.unreachable,
    silent: state.silent,
    handed: state.handed,
    hops: state.hops,
  };
  return Object.assign(copy, changes);
}

function orderOf(nodes: readonly NodeId[], order: readonly NodeId[] | null): readonly NodeId[] {
  const byRankOrder = nodes.toSorted(byRank);
  if (order === null) return byRankOrder;
  if (order.toSorted(byRank).join() !== byRankOrder.join()) {
    throw new InvalidOptionError(`order must name each of ${byRankOrder.join(', ')} once, and nobody else.`);
  }
  return order;
}

const rules: OptionTable = {
  heartbeatMs: numberAbove(0),
  leaderTimeoutMs: rangeMs,
  maxDelayMs: numberAbove(0),
  order: either(
    must('null', (value) => value === null),
    listOf(text),
  ),
  allElectionsRun: flag,
};

/** Without those that are undefined. Throws `InvalidOptionError`. */
export function readSettings(settings: Partial<RingSettings>): Partial<RingSettings> {
  return readOptions('ring', settings, rules);
}

/** Throws `InvalidOptionError` for settings under which no election could end well. */
export function checkSettings(settings: RingSettings): RingSettings {
  const { heartbeatMs, leaderTimeoutMs, maxDelayMs } = settings;
  if (!(leaderTimeoutMs[0] > heartbeatMs + maxDelayMs)) {
    throw new InvalidOptionError(
      `leaderTimeoutMs must start above heartbeatMs + maxDelayMs (${heartbeatMs + maxDelayMs}): a heartbeat may take that long to come.`,
    );
  }
  return settings;
}

export interface RingTypes {
  readonly state: RingState;
  readonly message: RingMessage;
  readonly durable: RingDurable;
  readonly timer: RingTimer;
  readonly request: never;
  readonly announcement: never;
}
