/**
 * One node of an exploration. A protocol is pure, so what a node does next depends on nothing but what it is
 * and what reaches it: every such step is taken, checked and remembered once, however many states of the
 * whole it is a part of.
 */

import type { Belief, NodeId } from '@hustings/elector';
import {
  believe,
  type Finding,
  type Invariants,
  type NodeView,
  type RoleEffect,
  undecided,
} from '@hustings/elector/protocol';
import type { AnyProtocol } from './node.js';
import type { AnyEffect, AnyInput } from './simulation.js';

/** Something on its way from one node to another: a message, or the news that a connection closed or opened. */
export interface Parcel {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly input: AnyInput;
}

export interface Discovery {
  readonly property: string;
  readonly detail: string;
}

/** What a step leads to. */
export interface Outcome<State> {
  readonly node: ExploredNode<State>;
  readonly input: AnyInput | null;
  readonly effects: readonly AnyEffect[];
  readonly sent: readonly Parcel[];
  readonly discovery: Discovery | null;
}

/** Everything about a node that can make a difference to what happens next. */
interface Content<State> {
  readonly state: State;
  readonly running: boolean;
  /** Null until something was saved. */
  readonly saved: { readonly durable: unknown } | null;
  /** Sorted. Any of them may fire at any moment. */
  readonly timers: readonly string[];
  readonly belief: Belief;
  readonly leading: boolean;
  /** Its leadership is bounded by a lease, which may run out at any moment. */
  readonly leased: boolean;
  readonly wantsToLead: boolean;
  /** Its application is about to campaign. */
  readonly campaignDue: boolean;
}

/** One node in one of the conditions that it can be in. There is one object for each. */
export class ExploredNode<State> implements NodeView<State> {
  readonly id: NodeId;
  readonly index: number;
  readonly number: number;
  readonly content: Content<State>;
  /** The outcome of each timer, in the order of `content.timers`. */
  readonly onTimer: (Outcome<State> | undefined)[] = [];
  /** The outcome of each parcel, by its number. */
  readonly onParcel = new Map<number, Outcome<State>>();
  onCampaign: Outcome<State> | undefined;
  onResign: Outcome<State> | undefined;
  onLeaseEnd: Outcome<State> | undefined;
  onCrash: Outcome<State> | undefined;
  onRestart: Outcome<State> | undefined;

  constructor(id: NodeId, index: number, number: number, content: Content<State>) {
    this.id = id;
    this.index = index;
    this.number = number;
    this.content = content;
  }

  get running(): boolean {
    return this.content.running;
  }

  get state(): State {
    return this.content.state;
  }

  get belief(): Belief {
    return this.content.belief;
  }

  get leading(): boolean {
    return this.content.leading;
  }
}

/** Every condition of every node, and everything that can be on its way, each under a number. */
export class Nodes<State> {
  readonly #protocol: AnyProtocol<State>;
  readonly #ids: readonly NodeId[];
  readonly #indices: ReadonlyMap<NodeId, number>;
  readonly #ofOneState: readonly [string, (state: State) => Finding][];
  readonly #ofTwoStates: readonly [string, (before: State, after: State) => Finding][];
  readonly #nodes: ExploredNode<State>[] = [];
  readonly #nodeNumbers = new Map<string, number>();
  readonly #parcels: Parcel[] = [];
  readonly #parcelNumbers = new Map<string, number>();

  constructor(protocol: AnyProtocol<State>, ids: readonly NodeId[], invariants: Invariants<State>) {
    this.#protocol = protocol;
    this.#ids = ids;
    this.#indices = new Map(ids.map((id, index) => [id, index]));
    this.#ofOneState = Object.entries(invariants.ofOneState ?? {});
    this.#ofTwoStates = Object.entries(invariants.ofTwoStates ?? {});
  }

  node(number: number): ExploredNode<State> {
    return this.#nodes[number]!;
  }

  parcel(number: number): Parcel {
    return this.#parcels[number]!;
  }

  /** A node that runs for the first time. */
  start(index: number): Outcome<State> {
    const blank = this.#intern(index, {
      state: this.#initialState(index),
      running: true,
      saved: null,
      timers: [],
      belief: undecided,
      leading: false,
      leased: false,
      wantsToLead: true,
      campaignDue: true,
    });
    return this.#step(blank, { type: 'started' });
  }

  fireTimer(node: ExploredNode<State>, position: number): Outcome<State> {
    node.onTimer[position] ??= this.#step(
      node,
      { type: 'timer-fired', timer: node.content.timers[position]! },
      { timers: node.content.timers.filter((_, other) => other !== position) },
    );
    return node.onTimer[position];
  }

  receive(node: ExploredNode<State>, parcel: Parcel): Outcome<State> {
    let outcome = node.onParcel.get(parcel.number);
    if (outcome === undefined) {
      outcome = this.#step(node, parcel.input);
      node.onParcel.set(parcel.number, outcome);
    }
    return outcome;
  }

  campaign(node: ExploredNode<State>): Outcome<State> {
    node.onCampaign ??= this.#step(node, { type: 'campaign-requested' }, { campaignDue: false });
    return node.onCampaign;
  }

  resign(node: ExploredNode<State>): Outcome<State> {
    node.onResign ??= this.#step(
      node,
      { type: 'resign-requested' },
      { wantsToLead: false, campaignDue: false },
    );
    return node.onResign;
  }

  /** The driver ends the leadership before the protocol hears of it. */
  endLease(node: ExploredNode<State>): Outcome<State> {
    node.onLeaseEnd ??= this.#step(
      node,
      { type: 'lease-expired' },
      { leading: false, leased: false, belief: undecided },
    );
    return node.onLeaseEnd;
  }

  crash(node: ExploredNode<State>): Outcome<State> {
    node.onCrash ??= this.#crash(node);
    return node.onCrash;
  }

  restart(node: ExploredNode<State>): Outcome<State> {
    node.onRestart ??= this.#step(node, restartInput(node.content), {
      running: true,
      campaignDue: node.content.wantsToLead,
    });
    return node.onRestart;
  }

  /** News of a connection to `to`: the one at `from` closed or opened. */
  linkNews(type: 'link-up' | 'link-down', from: number, to: number): Parcel {
    return this.#internParcel(from, to, { type, peer: this.#ids[from]! });
  }

  /**
   * A crashed node keeps what it saved. What it would be like after a restart is known now, and compared with
   * what it was: that spares remembering what it was.
   */
  #crash(node: ExploredNode<State>): Outcome<State> {
    const { saved, wantsToLead } = node.content;
    const crashed = this.#intern(node.index, {
      state: this.#initialState(node.index),
      running: false,
      saved,
      timers: [],
      belief: undecided,
      leading: false,
      leased: false,
      wantsToLead,
      campaignDue: false,
    });
    const discovery = this.#compare(node.state, this.restart(crashed).node.state);
    return { node: crashed, input: null, effects: [], sent: [], discovery };
  }

  #step(node: ExploredNode<State>, input: AnyInput, change: Partial<Content<State>> = {}): Outcome<State> {
    const before = node.content.state;
    const [state, effects] = this.#protocol.step(before, input, 0);
    const content = { ...node.content, ...change, state };
    const sent: Parcel[] = [];
    for (const effect of effects) {
      if (effect.type === 'send') {
        const to = this.#indices.get(effect.to);
        if (to === undefined) continue;
        const received: AnyInput = { type: 'received', from: node.id, message: effect.message };
        sent.push(this.#internParcel(node.index, to, received));
      } else {
        Object.assign(content, perform(node.id, content, effect));
      }
    }
    return {
      node: this.#intern(node.index, content),
      input,
      effects,
      sent,
      discovery: state === before ? null : this.#check(before, state),
    };
  }

  #check(before: State, after: State): Discovery | null {
    for (const [property, check] of this.#ofOneState) {
      const detail = check(after);
      if (detail !== null) return { property, detail };
    }
    return this.#compare(before, after);
  }

  #compare(before: State, after: State): Discovery | null {
    for (const [property, check] of this.#ofTwoStates) {
      const detail = check(before, after);
      if (detail !== null) return { property, detail };
    }
    return null;
  }

  #initialState(index: number): State {
    const id = this.#ids[index]!;
    return this.#protocol.initialState(
      id,
      this.#ids.filter((peer) => peer !== id),
    );
  }

  #intern(index: number, content: Content<State>): ExploredNode<State> {
    const key = `${index} ${JSON.stringify(content, writeBigInt)}`;
    let number = this.#nodeNumbers.get(key);
    if (number === undefined) {
      number = this.#nodes.length;
      this.#nodeNumbers.set(key, number);
      this.#nodes.push(new ExploredNode(this.#ids[index]!, index, number, content));
    }
    return this.#nodes[number]!;
  }

  #internParcel(from: number, to: number, input: AnyInput): Parcel {
    const key = `${from} ${to} ${JSON.stringify(input, writeBigInt)}`;
    let number = this.#parcelNumbers.get(key);
    if (number === undefined) {
      number = this.#parcels.length;
      this.#parcelNumbers.set(key, number);
      this.#parcels.push({ number, from, to, input });
    }
    return this.#parcels[number]!;
  }
}

function restartInput({ saved }: Content<unknown>): AnyInput {
  return saved === null ? { type: 'started' } : { type: 'restarted', durable: saved.durable };
}

/** What an effect changes about the node, as in `Simulation`. */
function perform(
  id: NodeId,
  content: Content<unknown>,
  effect: Exclude<AnyEffect, { type: 'send' }>,
): Partial<Content<unknown>> {
  switch (effect.type) {
    case 'set-timer':
      return content.timers.includes(effect.timer)
        ? {}
        : { timers: [...content.timers, effect.timer].sort() };
    case 'cancel-timer':
      return { timers: content.timers.filter((timer) => timer !== effect.timer) };
    case 'save':
      return { saved: { durable: effect.durable } };
    case 'announce':
      return {}; // Told to the application; it makes no difference to the election.
    default:
      return { ...changeRole(content, effect), belief: believe(id, content.belief, effect) };
  }
}

function changeRole(content: Content<unknown>, effect: RoleEffect): Partial<Content<unknown>> {
  if (effect.type === 'lead') return { leading: true, leased: effect.validForMs !== undefined };
  if (effect.type !== 'step-down') return {};
  const campaignDue = content.campaignDue || (content.wantsToLead && effect.reason !== 'resigned');
  return { leading: false, leased: false, campaignDue };
}

function writeBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
