import { InvalidOptionError, type NodeId, type Role } from '@hustings/elector';
import { numberAbove, type OptionTable, rangeMs, readOptions } from '@hustings/elector/options';
import { byRank, type DelayRangeMs } from '@hustings/elector/protocol';
import type { BullyDurable, BullyMessage, BullyTimer } from './messages.js';

export interface BullySettings {
  /** How often a leader says that it is there. */
  readonly heartbeatMs: number;
  /** How long a follower lets the leader be silent. Drawn anew each time, so that not all notice at once. */
  readonly leaderTimeoutMs: DelayRangeMs;
  /** T of the paper: the longest that a message may take. Slower ones cost agreement, not just time. */
  readonly maxDelayMs: number;
}

export const defaultSettings: BullySettings = {
  heartbeatMs: 50,
  leaderTimeoutMs: [200, 300],
  maxDelayMs: 50,
};

export interface BullyState {
  readonly id: NodeId;
  /** The other nodes, weakest first. Never changes. */
  readonly peers: readonly NodeId[];
  readonly settings: BullySettings;
  /**
   * Has just come up and gives a leader time to make itself known. A node that claimed office at once would
   * take an epoch that is in use.
   */
  readonly listening: boolean;
  readonly role: Role;
  /** A candidate that a stronger node has told to stand back. */
  readonly answered: boolean;
  /**
   * The leader has announced itself since its last heartbeat. A node that is asked meanwhile need not ask
   * in its turn; without this, elections that a living leader has settled would set off one another.
   * It means something only while following.
   */
  readonly assured: boolean;
  /** Whom this node follows; itself while leading. */
  readonly leaderId: NodeId | null;
  /** The highest epoch heard of, and a leader's own. Always saved. */
  readonly epoch: number;
  /** The application asks to lead. A step-down ends that. */
  readonly standing: boolean;
  /** An unhealthy node does not take part in elections. */
  readonly healthy: boolean;
}

export function initialState(
  id: NodeId,
  peers: readonly NodeId[],
  settings: BullySettings = defaultSettings,
): BullyState {
  return {
    id,
    peers: [...peers].sort(byRank),
    settings,
    listening: true,
    role: 'follower',
    answered: false,
    assured: false,
    leaderId: null,
    epoch: 0,
    standing: false,
    healthy: true,
  };
}

const rules: OptionTable = {
  heartbeatMs: numberAbove(0),
  leaderTimeoutMs: rangeMs,
  maxDelayMs: numberAbove(0),
};

/** Without those that are undefined. Throws `InvalidOptionError`. */
export function readSettings(settings: Partial<BullySettings>): Partial<BullySettings> {
  return readOptions('bully', settings, rules);
}

/** Spelled out, and not spread, for the sake of speed: docs/decisions/0015. */
export function change(state: BullyState, changes: Partial<BullyState>): BullyState {
  const copy: BullyState = {
    id: state.id,
    peers: state.peers,
    settings: state.settings,
    listening: state.listening,
    role: state.role,
    answered: state.answered,
    assured: state.assured,
    leaderId: state.leaderId,
    epoch: state.epoch,
    standing: state.standing,
    healthy: state.healthy,
  };
  return Object.assign(copy, changes);
}

/** Throws `InvalidOptionError` for settings under which no election could end well. */
export function checkSettings(settings: BullySettings): BullySettings {
  const { heartbeatMs, leaderTimeoutMs, maxDelayMs } = settings;
  if (!(leaderTimeoutMs[0] > heartbeatMs + maxDelayMs)) {
    throw new InvalidOptionError(
      `leaderTimeoutMs must start above heartbeatMs + maxDelayMs (${heartbeatMs + maxDelayMs}): a heartbeat may take that long to come.`,
    );
  }
  return settings;
}

export interface BullyTypes {
  readonly state: BullyState;
  readonly message: BullyMessage;
  readonly durable: BullyDurable;
  readonly timer: BullyTimer;
  readonly request: never;
  readonly announcement: never;
}
