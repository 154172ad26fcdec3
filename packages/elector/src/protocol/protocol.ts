/**
 * The vocabulary of election protocols. Algorithms decide, drivers act: a protocol is a pure state machine
 * over plain data, and everything that touches the world is an effect that a driver carries out. The same
 * protocol runs in production, in the simulator, in the model checker and in the browser.
 */

import type { Belief, FencingToken, Guarantees, NodeId } from '../elector.js';
import type { StepDownReason } from '../errors.js';

export interface ProtocolMessage {
  readonly type: string;
}

export type Input<Message extends ProtocolMessage, Durable, Timer extends string, Request = never> =
  /** The node runs for the first time. Always the first input, unless `restarted` is. */
  | { readonly type: 'started' }
  /** The node runs again with what it had saved; everything else is forgotten. */
  | { readonly type: 'restarted'; readonly durable: Durable }
  /** The application asks to lead. Until then, and after each `step-down`, the node does not stand. */
  | { readonly type: 'campaign-requested' }
  /** The application asks not to lead. Answered by exactly one `step-down('resigned')`, now or in a later step. */
  | { readonly type: 'resign-requested'; readonly to?: NodeId }
  | { readonly type: 'received'; readonly from: NodeId; readonly message: Message }
  | { readonly type: 'timer-fired'; readonly timer: Timer }
  /** The `validForMs` of the last `lead` has passed; the driver has ended the Leadership already. */
  | { readonly type: 'lease-expired' }
  | { readonly type: 'health-changed'; readonly healthy: boolean }
  /**
   * Whether anybody here follows `observe()`. Not until this says so. A protocol may ignore it; one to which each
   * change costs a message can save that message where nobody listens.
   */
  | { readonly type: 'observation-changed'; readonly observed: boolean }
  | { readonly type: 'link-up'; readonly peer: NodeId }
  /** The connection closed. The peer may be dead, or merely unreachable. */
  | { readonly type: 'link-down'; readonly peer: NodeId }
  /** The application asks for something that only this algorithm offers, such as a log entry. */
  | { readonly type: 'requested'; readonly request: Request };

/** A delay is drawn by the driver, uniformly from this range: its seed is the only source of randomness. */
export type DelayRangeMs = readonly [minMs: number, maxMs: number];

export type Effect<Message extends ProtocolMessage, Durable, Timer extends string, Announcement = never> =
  /** May be lost, delayed or duplicated, like anything sent over a network. */
  | { readonly type: 'send'; readonly to: NodeId; readonly message: Message }
  /** Setting a timer that is already set moves it. */
  | { readonly type: 'set-timer'; readonly timer: Timer; readonly delayMs: DelayRangeMs }
  | { readonly type: 'cancel-timer'; readonly timer: Timer }
  /** The effects after it wait until `durable` is on disk. */
  | { readonly type: 'save'; readonly durable: Durable }
  /** Tells the application something that only this algorithm has to tell, such as a committed entry. */
  | { readonly type: 'announce'; readonly announcement: Announcement }
  | RoleEffect;

/** The effects that change what this node believes. `believe` says how. */
export type RoleEffect =
  /** Seeks to lead. Marks the moment at which a failure was acted upon. */
  | { readonly type: 'campaign' }
  /** Leads, or extends the lease: `validForMs` counts from the clock reading that the step was given. */
  | { readonly type: 'lead'; readonly token: FencingToken; readonly validForMs?: number }
  | { readonly type: 'follow'; readonly leaderId: NodeId | null; readonly token: FencingToken | null }
  /** Stops leading or standing. A leader emits it before anything that contradicts its leading. */
  | { readonly type: 'step-down'; readonly reason: StepDownReason };

export type Transition<
  State,
  Message extends ProtocolMessage,
  Durable,
  Timer extends string,
  Announcement = never,
> = readonly [state: State, effects: readonly Effect<Message, Durable, Timer, Announcement>[]];

/**
 * One algorithm, configured.
 *
 * `State`, `Message` and `Durable` are plain data that survive `structuredClone` and JSON. `step` never
 * changes its arguments; it returns the same `state` object when nothing changed.
 */
export interface Protocol<
  State,
  Message extends ProtocolMessage,
  Durable,
  Timer extends string,
  Request = never,
  Announcement = never,
> {
  /** `bully`, `raft`, …, as the command line spells it. */
  readonly algorithm: string;
  /** `default`, or the name of a declared variation. */
  readonly variant: string;
  readonly guarantees: Guarantees;
  /** Message types that flow while nothing happens: heartbeats, keep-alives. Reported apart from elections. */
  readonly periodicMessages: ReadonlySet<Message['type']>;
  initialState(id: NodeId, peers: readonly NodeId[]): State;
  /** `nowMs` is the driver's monotonic clock. Only its differences mean anything, and only on one node. */
  step(
    state: State,
    input: Input<Message, Durable, Timer, Request>,
    nowMs: number,
  ): Transition<State, Message, Durable, Timer, Announcement>;
  /** Turns a parsed but untrusted value into a message. Throws `MalformedError`. */
  decodeMessage(value: unknown): Message;
  /** Turns a parsed but untrusted value into durable state. Throws `MalformedError`. */
  decodeDurable(value: unknown): Durable;
}

export const undecided: Belief = { role: 'follower', leaderId: null, token: null };

/** What a node that believed `belief` believes after a role effect of its own. */
export function believe(id: NodeId, belief: Belief, effect: RoleEffect): Belief {
  switch (effect.type) {
    case 'campaign':
      return { role: 'candidate', leaderId: null, token: null };
    case 'lead':
      return belief.role === 'leader' && belief.token === effect.token
        ? belief
        : { role: 'leader', leaderId: id, token: effect.token };
    case 'follow':
      return { role: 'follower', leaderId: effect.leaderId, token: effect.token };
    case 'step-down':
      // A candidate or a follower that withdraws still knows who leads.
      return belief.role === 'follower' ? belief : undecided;
  }
}
