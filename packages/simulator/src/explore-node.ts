/**
 * One node of an exploration. A protocol is pure, so what a node does next depends on nothing but what it is,
 * what reaches it and when: every such step is taken, checked and remembered once, however many states of the
 * whole it is a part of.
 */

import type { Belief, NodeId } from '@hustings/elector';
import {
  type Entry,
  enter,
  type Finding,
  type Invariants,
  isLeading,
  maySeekOffice,
  type NodeView,
  type Office,
  vacantOffice,
} from '@hustings/elector/protocol';
import { nameOfLife } from './links.js';
import type { AnyMachine, AnyProtocol } from './node.js';
import { legalEffects } from './oracle.js';
import type { AnyEffect, AnyInput, Service } from './simulation.js';

/** Something on its way from one node to another: a message, or the news that a connection closed or opened. */
export interface Parcel {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  /** The life of the addressee that it is for; null for whichever is there. */
  readonly toLife: number | null;
  readonly fromLife: number;
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
  /** How many times it has crashed. */
  readonly life: number;
  /** Null until something was saved. */
  readonly saved: { readonly durable: unknown } | null;
  /** Sorted by name. Each may fire at any moment from its time on. */
  readonly timers: readonly Timer[];
  readonly office: Office;
  readonly wantsToLead: boolean;
  /** Its application is about to campaign, or its protocol to be asked again. */
  readonly campaignDue: boolean;
}

interface Timer {
  readonly name: string;
  readonly dueMs: number;
}

/** What became of a node in one condition at one time, as far as it has been tried. */
class Memory<State> {
  /** By the position of the timer. */
  readonly onTimer: (Outcome<State> | undefined)[] = [];
  /** By the number of the parcel. */
  readonly onParcel = new Map<number, Outcome<State>>();
  onCampaign: Outcome<State> | undefined;
  onResign: Outcome<State> | undefined;
  onLeaseEnd: Outcome<State> | undefined;
  onCrash: Outcome<State> | undefined;
  onRestart: Outcome<State> | undefined;
}

/** One node in one of the conditions that it can be in. There is one object for each. */
export class ExploredNode<State> implements NodeView<State> {
  readonly id: NodeId;
  readonly index: number;
  readonly number: number;
  readonly content: Content<State>;
  readonly #memories: Memory<State>[] = [];

  constructor(id: NodeId, index: number, number: number, content: Content<State>) {
    this.id = id;
    this.index = index;
    this.number = number;
    this.content = content;
  }

  at(tick: number): Memory<State> {
    this.#memories[tick] ??= new Memory();
    return this.#memories[tick];
  }

  get running(): boolean {
    return this.content.running;
  }

  get state(): State {
    return this.content.state;
  }

  get belief(): Belief {
    return this.content.office.belief;
  }

  get leading(): boolean {
    return isLeading(this.content.office);
  }

  /** When its lease runs out; `Infinity` where none bounds it, or the protocol has been told already. */
  get leaseEndsMs(): number {
    const { tenure } = this.content.office;
    return tenure === null || tenure.lapsed ? Number.POSITIVE_INFINITY : tenure.deadlineMs;
  }
}

export interface NodesOptions<State> {
  readonly protocol: AnyProtocol<State>;
  readonly nodes: readonly NodeId[];
  readonly services: readonly Service[];
  readonly invariants: Invariants<State>;
  /** How much time one tick is; 0 where time is abstract, and then it never passes. */
  readonly tickMs: number;
}

/** Every condition of every node, and everything that can be on its way, each under a number. */
export class Nodes<State> {
  /** Those that may lead, and then the coordinators. */
  readonly ids: readonly NodeId[];
  /** How many may lead. */
  readonly candidates: number;
  readonly #machines: readonly AnyMachine<State>[];
  readonly #peers: readonly (readonly NodeId[])[];
  readonly #indices: ReadonlyMap<NodeId, number>;
  readonly #ofOneState: readonly [string, (state: State) => Finding][];
  readonly #ofTwoStates: readonly [string, (before: State, after: State) => Finding][];
  readonly #tickMs: number;
  /** Lives have names, and their ends are certified. */
  readonly certifies: boolean;
  readonly #nodes: ExploredNode<State>[] = [];
  readonly #nodeNumbers = new Map<string, number>();
  readonly #parcels: Parcel[] = [];
  readonly #parcelNumbers = new Map<string, number>();
  /** Told anew in every state in which a node crashes or restarts, so found without writing a key as text. */
  readonly #linkNews = { 'link-up': new Map<number, Parcel>(), 'link-down': new Map<number, Parcel>() };

  constructor({ protocol, nodes, services, invariants, tickMs }: NodesOptions<State>) {
    const serviceIds = services.map(({ id }) => id);
    this.ids = [...nodes, ...serviceIds];
    this.candidates = nodes.length;
    this.#machines = [
      ...nodes.map(() => protocol),
      // A service's state is its own business: no invariant looks into it.
      ...services.map(({ machine }) => machine as AnyMachine<State>),
    ];
    this.#peers = [
      ...nodes.map((id) => without(nodes, id)),
      ...serviceIds.map((id) => without(serviceIds, id)),
    ];
    this.#indices = new Map(this.ids.map((id, index) => [id, index]));
    this.#ofOneState = Object.entries(invariants.ofOneState ?? {});
    this.#ofTwoStates = Object.entries(invariants.ofTwoStates ?? {});
    this.#tickMs = tickMs;
    this.certifies = protocol.deathCertificates ?? false;
  }

  node(number: number): ExploredNode<State> {
    return this.#nodes[number]!;
  }

  parcel(number: number): Parcel {
    return this.#parcels[number]!;
  }

  isCandidate(index: number): boolean {
    return index < this.candidates;
  }

  /** A node that runs for the first time. */
  start(index: number): Outcome<State> {
    const isCandidate = this.isCandidate(index);
    const blank = this.#intern(index, {
      state: this.#initialState(index, 0),
      running: true,
      life: 0,
      saved: null,
      timers: [],
      office: vacantOffice(this.ids[index]!),
      wantsToLead: isCandidate,
      campaignDue: isCandidate,
    });
    return this.#step(blank, 0, { type: 'started' });
  }

  /** Whether a timer may fire by now. Without time, any may at any moment. */
  isDue(node: ExploredNode<State>, position: number, tick: number): boolean {
    return this.#tickMs === 0 || node.content.timers[position]!.dueMs <= tick * this.#tickMs;
  }

  fireTimer(node: ExploredNode<State>, position: number, tick: number): Outcome<State> {
    const { onTimer } = node.at(tick);
    onTimer[position] ??= this.#step(
      node,
      tick,
      { type: 'timer-fired', timer: node.content.timers[position]!.name },
      { timers: node.content.timers.filter((_, other) => other !== position) },
    );
    return onTimer[position];
  }

  receive(node: ExploredNode<State>, parcel: Parcel, tick: number): Outcome<State> {
    const { onParcel } = node.at(tick);
    let outcome = onParcel.get(parcel.number);
    if (outcome === undefined) {
      outcome = this.#step(node, tick, parcel.input, {}, parcel);
      onParcel.set(parcel.number, outcome);
    }
    return outcome;
  }

  /** The application campaigns, and the protocol is asked unless it has yet to step down. */
  campaign(node: ExploredNode<State>, tick: number): Outcome<State> {
    const memory = node.at(tick);
    memory.onCampaign ??= this.#campaign(node, tick);
    return memory.onCampaign;
  }

  resign(node: ExploredNode<State>, tick: number): Outcome<State> {
    const memory = node.at(tick);
    memory.onResign ??= this.#step(
      node,
      tick,
      { type: 'resign-requested' },
      {
        ...this.#enter(node.content, { type: 'resign', reason: 'resigned' }, tick).change,
        wantsToLead: false,
        campaignDue: false,
      },
    );
    return memory.onResign;
  }

  /** Whether the lease runs out before the next tick. Without time, it may at any moment. */
  isLeaseEnding(node: ExploredNode<State>, tick: number): boolean {
    const { leaseEndsMs } = node;
    if (leaseEndsMs === Number.POSITIVE_INFINITY) return false;
    return this.#tickMs === 0 || leaseEndsMs <= (tick + 1) * this.#tickMs;
  }

  /** The driver ends the leadership before the protocol hears of it. */
  endLease(node: ExploredNode<State>, tick: number): Outcome<State> {
    const memory = node.at(tick);
    memory.onLeaseEnd ??= this.#step(
      node,
      tick,
      { type: 'lease-expired' },
      this.#enter(node.content, { type: 'look-at-clock' }, tick, node.leaseEndsMs).change,
    );
    return memory.onLeaseEnd;
  }

  crash(node: ExploredNode<State>, tick: number): Outcome<State> {
    const memory = node.at(tick);
    memory.onCrash ??= this.#crash(node, tick);
    return memory.onCrash;
  }

  restart(node: ExploredNode<State>, tick: number): Outcome<State> {
    const memory = node.at(tick);
    memory.onRestart ??= this.#step(node, tick, restartInput(node.content), {
      running: true,
      campaignDue: node.content.wantsToLead,
    });
    return memory.onRestart;
  }

  /** News of a connection to `to`: the one at `from` closed or opened. */
  linkNews(type: 'link-up' | 'link-down', from: number, to: number, life = 0): Parcel {
    const known = this.#linkNews[type];
    const key = (life * this.ids.length + from) * this.ids.length + to;
    let parcel = known.get(key);
    if (parcel === undefined) {
      parcel = this.#internParcel(from, 0, to, null, this.#linkInput(type, from, life));
      known.set(key, parcel);
    }
    return parcel;
  }

  /** The certificate that this life of `from` has ended. Nothing keeps it in order with what `from` has sent. */
  certificate(from: number, life: number, to: number): Parcel {
    const peer = this.ids[from]!;
    const input: AnyInput = { type: 'peer-gone', peer, incarnation: nameOfLife(peer, life) };
    return this.#internParcel(to, 0, to, null, input);
  }

  /** A node that has just started is connected to the first life of a peer, and is told so. */
  introduce(node: ExploredNode<State>, peer: number): Outcome<State> {
    return this.#step(node, 0, this.#linkInput('link-up', peer, 0));
  }

  #linkInput(type: 'link-up' | 'link-down', from: number, life: number): AnyInput {
    const peer = this.ids[from]!;
    if (type === 'link-down' || !this.certifies) return { type, peer };
    return { type, peer, incarnation: nameOfLife(peer, life) };
  }

  #campaign(node: ExploredNode<State>, tick: number): Outcome<State> {
    const { change } = this.#enter(node.content, { type: 'campaign' }, tick);
    const campaigning = { ...change, campaignDue: false };
    if (maySeekOffice(change.office ?? node.content.office)) {
      return this.#step(node, tick, { type: 'campaign-requested' }, campaigning);
    }
    const waiting = this.#intern(node.index, { ...node.content, ...campaigning });
    return { node: waiting, input: null, effects: [], sent: [], discovery: null };
  }

  /**
   * A crashed node keeps what it saved. What it would be like after a restart is known now, and compared with
   * what it was: that spares remembering what it was.
   */
  #crash(node: ExploredNode<State>, tick: number): Outcome<State> {
    const { saved, wantsToLead } = node.content;
    const life = this.#isServed || this.certifies ? node.content.life + 1 : 0;
    const crashed = this.#intern(node.index, {
      state: this.#initialState(node.index, life),
      running: false,
      life,
      saved,
      timers: [],
      office: vacantOffice(node.id),
      wantsToLead,
      campaignDue: false,
    });
    const discovery = this.#compare(node.state, this.restart(crashed, tick).node.state);
    return { node: crashed, input: null, effects: [], sent: [], discovery };
  }

  #step(
    node: ExploredNode<State>,
    tick: number,
    input: AnyInput,
    change: Partial<Content<State>> = {},
    parcel: Parcel | null = null,
  ): Outcome<State> {
    const before = node.content.state;
    const nowMs = tick * this.#tickMs;
    const [state, effects] = this.#machines[node.index]!.step(before, input, nowMs);
    const content = { ...node.content, ...change, state };
    const sent: Parcel[] = [];
    let violation: Discovery | null = null;
    for (const effect of effects) {
      if (effect.type === 'send') {
        sent.push(...this.#send(node, effect.to, effect.message, parcel));
      } else {
        const performed = this.#perform(node.index, content, effect, input, tick);
        Object.assign(content, performed.change);
        violation ??= performed.violation;
      }
    }
    const after = this.#intern(node.index, content);
    const isChecked = state !== before && this.isCandidate(node.index);
    return {
      node: after,
      input,
      effects,
      sent,
      discovery: violation ?? (isChecked ? this.#check(before, state) : null),
    };
  }

  /** A coordinator answers the process that asked. */
  #send(
    node: ExploredNode<State>,
    id: NodeId,
    message: { readonly type: string },
    answered: Parcel | null,
  ): Parcel[] {
    const to = this.#indices.get(id);
    if (to === undefined) return [];
    const isAnswer = !this.isCandidate(node.index) && answered?.from === to;
    const input: AnyInput = { type: 'received', from: node.id, message };
    const fromLife = node.content.life;
    return [this.#internParcel(node.index, fromLife, to, isAnswer ? answered.fromLife : null, input)];
  }

  get #isServed(): boolean {
    return this.candidates < this.ids.length;
  }

  /** What an effect changes about the node, as in `Simulation`. */
  #perform(
    index: number,
    content: Content<State>,
    effect: Exclude<AnyEffect, { type: 'send' }>,
    input: AnyInput,
    tick: number,
  ): Entered<State> {
    switch (effect.type) {
      case 'set-timer':
        return changed({
          timers: withTimer(content.timers, effect.timer, this.#dueMs(tick, effect.delayMs[0])),
        });
      case 'cancel-timer':
        return changed({ timers: content.timers.filter(({ name }) => name !== effect.timer) });
      case 'save':
        return changed({ saved: { durable: effect.durable } });
      case 'announce':
        return changed({}); // Told to the application; it makes no difference to the election.
      default: {
        if (!this.isCandidate(index)) return changed({});
        const steppedMs = tick * this.#tickMs;
        return this.#enter(content, { type: 'effect', effect, steppedMs, answers: input.type }, tick);
      }
    }
  }

  #dueMs(tick: number, delayMs: number): number {
    return this.#tickMs === 0 ? 0 : tick * this.#tickMs + delayMs;
  }

  /** Lets the office decide, and plays the application, which campaigns again after every loss. */
  #enter(content: Content<State>, entry: Entry, tick: number, nowMs = tick * this.#tickMs): Entered<State> {
    const [office, events] = enter(content.office, entry, nowMs);
    const standsAgain = events.some(
      ({ type }) => type === 'stand' || (type === 'ended' && content.wantsToLead && entry.type !== 'resign'),
    );
    const violated = events.find((event) => event.type === 'violated');
    return {
      change: {
        office: this.#tickMs === 0 ? timeless(office) : office,
        ...(standsAgain && entry.type !== 'campaign' ? { campaignDue: true } : {}),
      },
      violation: violated === undefined ? null : { property: legalEffects, detail: violated.what },
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

  #initialState(index: number, life: number): State {
    const id = this.ids[index]!;
    return this.#machines[index]!.initialState(id, this.#peers[index]!, nameOfLife(id, life));
  }

  #intern(index: number, content: Content<State>): ExploredNode<State> {
    const key = `${index} ${JSON.stringify(content, writeBigInt)}`;
    let number = this.#nodeNumbers.get(key);
    if (number === undefined) {
      number = this.#nodes.length;
      this.#nodeNumbers.set(key, number);
      this.#nodes.push(new ExploredNode(this.ids[index]!, index, number, content));
    }
    return this.#nodes[number]!;
  }

  #internParcel(from: number, fromLife: number, to: number, toLife: number | null, input: AnyInput): Parcel {
    const key = `${from} ${fromLife} ${to} ${toLife} ${JSON.stringify(input, writeBigInt)}`;
    let number = this.#parcelNumbers.get(key);
    if (number === undefined) {
      number = this.#parcels.length;
      this.#parcelNumbers.set(key, number);
      this.#parcels.push({ number, from, fromLife, to, toLife, input });
    }
    return this.#parcels[number]!;
  }
}

interface Entered<State> {
  readonly change: Partial<Content<State>>;
  readonly violation: Discovery | null;
}

const changed = <State>(change: Partial<Content<State>>): Entered<State> => ({ change, violation: null });

function restartInput({ saved }: Content<unknown>): AnyInput {
  return saved === null ? { type: 'started' } : { type: 'restarted', durable: saved.durable };
}

function withTimer(timers: readonly Timer[], name: string, dueMs: number): readonly Timer[] {
  const others = timers.filter((timer) => timer.name !== name);
  return [...others, { name, dueMs }].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Without time, all leases are alike: each may run out at any moment. */
function timeless(office: Office): Office {
  const { tenure } = office;
  if (tenure === null || tenure.deadlineMs === Number.POSITIVE_INFINITY) return office;
  return { ...office, tenure: { ...tenure, deadlineMs: 1 } };
}

const without = (ids: readonly NodeId[], id: NodeId): NodeId[] => ids.filter((other) => other !== id);

function writeBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
}
