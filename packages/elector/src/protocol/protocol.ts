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

/** What one state machine is made of. All of it is plain data that survives `structuredClone` and JSON. */
export interface MachineTypes {
  readonly state: unknown;
  readonly message: ProtocolMessage;
  /** What must survive a crash. */
  readonly durable: unknown;
  readonly timer: string;
  /** What the application may ask of this algorithm alone; `never` for nothing. */
  readonly request: unknown;
  /** What this algorithm alone tells the application; `never` for nothing. */
  readonly announcement: unknown;
}

export type Input<Types extends MachineTypes> =
  /** The node runs for the first time. Always the first input, unless `restarted` is. */
  | { readonly type: 'started' }
  /** The node runs again with what it had saved; everything else is forgotten. */
  | { readonly type: 'restarted'; readonly durable: Types['durable'] }
  /** The application asks to lead. Until then, and after each `step-down`, the node does not stand. */
  | { readonly type: 'campaign-requested' }
  /** The application asks not to lead. Answered by exactly one `step-down('resigned')`, now or in a later step. */
  | { readonly type: 'resign-requested'; readonly to?: NodeId }
  | { readonly type: 'received'; readonly from: NodeId; readonly message: Types['message'] }
  | { readonly type: 'timer-fired'; readonly timer: Types['timer'] }
  /** The `validForMs` of the last `lead` has passed; the driver has ended the Leadership already. */
  | { readonly type: 'lease-expired' }
  | { readonly type: 'health-changed'; readonly healthy: boolean }
  /**
   * Whether anybody here follows `observe()`. Not until this says so. A protocol may ignore it; one to which each
   * change costs a message can save that message where nobody listens.
   */
  | { readonly type: 'observation-changed'; readonly observed: boolean }
  /** The peer can be reached. `incarnation` names its process; what is received from now on comes from that one. */
  | { readonly type: 'link-up'; readonly peer: NodeId; readonly incarnation?: string }
  /** The connection closed. The peer may be dead, or merely unreachable. */
  | { readonly type: 'link-down'; readonly peer: NodeId }
  /**
   * A death certificate: this process of the peer has ended, and nothing that it sent is received any more. Other
   * processes of that node may run. Told only to protocols with `deathCertificates`; a pause or a cut never causes it.
   */
  | { readonly type: 'peer-gone'; readonly peer: NodeId; readonly incarnation: string }
  /** The application asks for something that only this algorithm offers, such as a log entry. */
  | { readonly type: 'requested'; readonly request: Types['request'] };

/** A delay is drawn by the driver, uniformly from this range: its seed is the only source of randomness. */
export type DelayRangeMs = readonly [minMs: number, maxMs: number];

export type Effect<Types extends MachineTypes> =
  /** May be lost, delayed or duplicated, like anything sent over a network. */
  | { readonly type: 'send'; readonly to: NodeId; readonly message: Types['message'] }
  /** Setting a timer that is already set moves it. */
  | { readonly type: 'set-timer'; readonly timer: Types['timer']; readonly delayMs: DelayRangeMs }
  | { readonly type: 'cancel-timer'; readonly timer: Types['timer'] }
  /** The effects after it wait until `durable` is on disk. */
  | { readonly type: 'save'; readonly durable: Types['durable'] }
  /** Tells the application something that only this algorithm has to tell, such as a committed entry. */
  | { readonly type: 'announce'; readonly announcement: Types['announcement'] }
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

export type Transition<Types extends MachineTypes> = readonly [
  state: Types['state'],
  effects: readonly Effect<Types>[],
];

/**
 * A node that takes part in the conversation: an elector's side of an algorithm, or a coordinator that electors
 * ask. `step` never changes its arguments; it returns the same `state` object when nothing changed.
 */
export interface Machine<Types extends MachineTypes> {
  /** `incarnation` names the process that begins: what others hear in `link-up` and `peer-gone`. */
  initialState(id: NodeId, peers: readonly NodeId[], incarnation?: string): Types['state'];
  /** `nowMs` is the driver's monotonic clock. Only its differences mean anything, and only within one process. */
  step(state: Types['state'], input: Input<Types>, nowMs: number): Transition<Types>;
}

/** One algorithm, configured. */
export interface Protocol<Types extends MachineTypes> extends Machine<Types> {
  /** `bully`, `raft`, …, as the command line spells it. */
  readonly algorithm: string;
  /** `default`, or the name of a declared variation. */
  readonly variant: string;
  readonly guarantees: Guarantees;
  /** Acts on `peer-gone`. Needs a transport that can tell, with links between the nodes. Default: it does not. */
  readonly deathCertificates?: boolean;
  /** Message types that flow while nothing happens: heartbeats, keep-alives. Reported apart from elections. */
  readonly periodicMessages: ReadonlySet<Types['message']['type']>;
  /** Turns a parsed but untrusted value into a message. Throws `MalformedError`. */
  decodeMessage(value: unknown): Types['message'];
  /** Turns a parsed but untrusted value into durable state. Throws `MalformedError`. */
  decodeDurable(value: unknown): Types['durable'];
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
