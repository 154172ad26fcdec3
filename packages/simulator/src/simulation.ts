/**
 * The loop: one virtual clock, one queue, one source of chance. No promises, no real timers, so a run is a
 * function of its arguments and takes as long as its events.
 */

import type { NodeId } from '@hustings/elector';
import {
  type DelayRangeMs,
  type Entry,
  enter,
  isLeading,
  maySeekOffice,
  type OfficeEvent,
  type ProtocolMessage,
  vacantOffice,
} from '@hustings/elector/protocol';
import { Connections } from './connections.js';
import { EventQueue, type Timed } from './event-queue.js';
import { type Fault, type FaultKind, followerIndex, type Target } from './faults.js';
import { inflict, type Struck } from './inflict.js';
import { Links, nameOfLife } from './links.js';
import { type Disturbance, defaultNetwork, Network, type NetworkModel } from './network.js';
import { type AnyMachine, type AnyProtocol, SimulatedNode, type TimerSlot } from './node.js';
import {
  type AnyEffect,
  type AnyInput,
  type Audience,
  audienceOf,
  type Observer,
  type WorldEvent,
} from './observer.js';
import { deriveSeed, Random } from './random.js';

export type { AnyEffect, AnyInput, Observer, WorldEvent } from './observer.js';

/** A coordinator that the nodes talk to: on the same network, but never a leader. */
export interface Service {
  readonly id: NodeId;
  readonly machine: AnyMachine<unknown>;
  /** How long it takes to commit a write. Default: no time. */
  readonly saveMs?: DelayRangeMs;
  /** The request by which the leader of its members fails, where it has members. */
  readonly failLeader?: unknown;
}

export interface SimulationOptions<State> {
  readonly protocol: AnyProtocol<State>;
  readonly nodes: readonly NodeId[];
  readonly services?: readonly Service[];
  readonly seed: number;
  readonly network?: Partial<NetworkModel>;
  /** How long a message takes, in place of `network.latencyMs`: by another distribution, or another for each link. */
  readonly drawLatencyMs?: (from: NodeId, to: NodeId, random: Random) => number;
  /** How late timers come up, drawn for each. Default: never, and no draw. */
  readonly timerLatenessMs?: DelayRangeMs;
  /** What nodes have on disk before the run: they begin as after a restart. */
  readonly saved?: Readonly<Record<NodeId, unknown>>;
  /**
   * How long a node's save takes, during which it does nothing else, as the runtime has it. Default: no time, and
   * no draw.
   */
  readonly saveMs?: DelayRangeMs;
  /** How long a former leader's work takes to end before it campaigns again. */
  readonly unwindMs?: number;
  /** How many draws are left to chance: see `Random`. */
  readonly decisions?: number;
  readonly observers?: readonly Observer<State>[];
}

/** Finer than any clock that a protocol reads. */
const leastDelayMs = 1e-6;

/** One entry of the queue. A single shape for every kind keeps the loop fast: one of input, slot and action is set. */
interface Scheduled<State> extends Timed {
  readonly node: SimulatedNode<State> | null;
  readonly incarnation: number;
  /** The sender, if this is a message. */
  readonly from: SimulatedNode<State> | null;
  /** The life of the sender of a message, or of the peer of a link. */
  readonly sentBy: number;
  readonly input: AnyInput | null;
  readonly slot: TimerSlot | null;
  readonly action: (() => void) | null;
  readonly stamp: unknown;
}

/** A message that a stalled connection holds, with the lives of both ends. */
interface HeldMessage<State> {
  readonly from: SimulatedNode<State>;
  readonly sentBy: number;
  readonly to: SimulatedNode<State>;
  readonly incarnation: number;
  readonly message: ProtocolMessage;
  readonly stamp: unknown;
}

/** A connection belongs to the lives of its two ends. */
interface Stall<State> {
  readonly ends: readonly [SimulatedNode<State>, SimulatedNode<State>];
  readonly lives: readonly [number, number];
  readonly held: HeldMessage<State>[];
}

/** What was queued after it is not meant. */
interface Drop {
  readonly from: number;
  readonly to: number;
  readonly message: string | undefined;
  readonly lastSequence: number;
}

export class Simulation<State> {
  /** Those that may lead. */
  readonly nodes: readonly SimulatedNode<State>[];
  readonly services: readonly SimulatedNode<State>[];
  readonly #services: readonly Service[];
  readonly random: Random;
  readonly #everyone: readonly SimulatedNode<State>[];
  readonly #byId: ReadonlyMap<NodeId, SimulatedNode<State>>;
  readonly #model: NetworkModel;
  readonly #network: Network;
  readonly #links: Links;
  readonly #connections: Connections<State>;
  readonly #struck: Struck<State>;
  readonly #queue = new EventQueue<Scheduled<State>>();
  readonly #audience: Audience<State>;
  /** A stream of its own: what clocks show does not disturb the other draws. */
  readonly #clockOrigins: Random;
  /** Null where nobody wants death certificates. */
  readonly #mortality: Random | null;
  readonly #unwindMs: number;
  readonly #timerLatenessMs: DelayRangeMs | null;
  /** What reached a paused node, in order. */
  readonly #waiting = new Map<SimulatedNode<State>, Scheduled<State>[]>();
  /** Of what was sent before, the next that arrives on this link is lost. */
  readonly #drops: Drop[] = [];
  /** Connections that hold what is sent over them. */
  #stalls: readonly Stall<State>[] = [];
  /** What reached a node while it saved, in order. */
  readonly #held = new Map<SimulatedNode<State>, Scheduled<State>[]>();
  #sequence = 0;
  #nowMs = 0;
  #steps = 0;

  constructor(options: SimulationOptions<State>) {
    const {
      protocol,
      nodes,
      services = [],
      seed,
      network,
      drawLatencyMs,
      timerLatenessMs = null,
      saved = {},
      saveMs = null,
      unwindMs = 0,
      decisions,
      observers = [],
    } = options;
    this.random = new Random(seed, decisions);
    this.#clockOrigins = new Random(deriveSeed(seed, 'clocks'));
    this.#mortality = protocol.deathCertificates ? new Random(deriveSeed(seed, 'mortality')) : null;
    this.nodes = nodes.map(
      (id, index) => new SimulatedNode<State>(this, id, index, nodes, protocol, { saveMs }),
    );
    this.#services = services;
    const serviceIds = services.map(({ id }) => id);
    this.services = services.map(
      (service, index) =>
        new SimulatedNode<State>(
          this,
          service.id,
          nodes.length + index,
          serviceIds,
          // A service's state is its own business: observers that look into states pass services over.
          service.machine as AnyMachine<State>,
          { isService: true, saveMs: service.saveMs ?? null },
        ),
    );
    this.#everyone = [...this.nodes, ...this.services];
    this.#byId = new Map(this.#everyone.map((node) => [node.id, node]));
    this.#model = { ...defaultNetwork, ...network };
    this.#network = new Network(
      this.#everyone.length,
      this.#model,
      this.random,
      drawLatencyMs && ((from, to) => drawLatencyMs(this.#idOf(from), this.#idOf(to), this.random)),
    );
    this.#links = new Links(this.#everyone.length);
    this.#connections = new Connections({
      ...{ everyone: this.#everyone, network: this.#network, links: this.#links, time: this },
      ...{ mortality: this.#mortality, closeOnCrash: this.#model.closesLinksOnCrash },
      post: (node, input, atMs, life) => this.#enqueue(node, input, atMs, undefined, life),
    });
    this.#struck = this.#asStruck();
    this.#audience = audienceOf(observers);
    this.#unwindMs = unwindMs;
    this.#timerLatenessMs = timerLatenessMs;
    for (const [id, durable] of Object.entries(saved))
      Object.assign(this.node(id), { durable, hasSaved: true });
    for (const node of this.#everyone) this.#enqueue(node, firstInput(node), 0);
    if (this.#mortality !== null) this.#connections.introduceEveryone();
    for (const node of this.nodes) this.#campaignAt(node, 0);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** How many times a protocol has been stepped. */
  get steps(): number {
    return this.#steps;
  }

  /** The running node that leads with the highest token. */
  get leader(): SimulatedNode<State> | null {
    let leader: SimulatedNode<State> | null = null;
    for (const node of this.nodes) {
      if (!node.running || node.leadership === null) continue;
      if (leader?.leadership == null || node.leadership.token > leader.leadership.token) leader = node;
    }
    return leader;
  }

  node(id: NodeId): SimulatedNode<State> {
    const node = this.#byId.get(id);
    if (node === undefined) throw new RangeError(`There is no node ${id} in this simulation.`);
    return node;
  }

  #idOf(index: number): NodeId {
    return this.#everyone[index]!.id;
  }

  /** Whether messages from one node fail to reach another because of a fault. */
  isCut(from: NodeId, to: NodeId): boolean {
    return this.#network.isCut(this.node(from).index, this.node(to).index);
  }

  /** Handles the next event, if there is one by then, and says whether there was. */
  next(untilMs = Number.POSITIVE_INFINITY): boolean {
    const next = this.#queue.peek();
    if (next === undefined || next.atMs > untilMs) return false;
    this.#handleNext();
    return true;
  }

  /** Handles every event up to and including this moment. */
  runUntil(untilMs: number): void {
    for (;;) {
      const next = this.#queue.peek();
      if (next === undefined || next.atMs > untilMs) break;
      this.#handleNext();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Handles events until the condition holds, which is asked after each; false if the time ran out first. */
  runUntilTrue(condition: () => boolean, untilMs: number): boolean {
    while (!condition()) {
      const next = this.#queue.peek();
      if (next === undefined || next.atMs > untilMs) {
        this.#nowMs = Math.max(this.#nowMs, untilMs);
        return false;
      }
      this.#handleNext();
    }
    return true;
  }

  /** Plans a fault; one whose time has passed starts now. */
  plan(fault: Fault): void {
    this.at(fault.atMs, () => {
      const heal = this.inject(fault);
      if (fault.healAtMs !== undefined) this.at(fault.healAtMs, heal);
    });
  }

  /** Calls `action` between events, at the given time. */
  at(atMs: number, action: () => void): void {
    this.#schedule(Math.max(atMs, this.#nowMs), null, null, null, action, undefined);
  }

  /** Starts a fault now and returns what heals it. */
  inject(fault: FaultKind): () => void {
    this.#tell({ type: 'fault', fault });
    const undo = inflict(this.#struck, fault);
    return () => {
      this.#tell({ type: 'healed', fault });
      undo();
    };
  }

  /** Hands an input to a node after the events that are already due. */
  give(id: NodeId, input: AnyInput): void {
    this.#give(this.node(id), input);
  }

  #give(node: SimulatedNode<State>, input: AnyInput): void {
    if (node.status !== 'crashed') this.#enqueue(node, input, this.#nowMs);
  }

  #handleNext(): void {
    const event = this.#queue.pop()!;
    this.#nowMs = event.atMs;
    const { node } = event;
    if (node === null) {
      event.action!();
      return;
    }
    if (event.incarnation !== node.incarnation || node.status === 'crashed') return;
    if (node.status === 'paused') {
      this.#waiting.get(node)!.push(event);
      return;
    }
    if (event.action !== null) event.action();
    else if (node.isSaving) this.#hold(node, event);
    else if (event.slot !== null) this.#onTimer(node, event.slot);
    else if (event.from !== null) this.#receive(node, event.from, event);
    else this.#hear(node, event.input!, event.sentBy);
  }

  #receive(node: SimulatedNode<State>, from: SimulatedNode<State>, event: Scheduled<State>): void {
    const { sentBy, stamp, sequence } = event;
    const input = event.input as Extract<AnyInput, { type: 'received' }>;
    if (this.#drops.length > 0 && this.#isDropped(from.index, node.index, input.message.type, sequence)) {
      const { message } = input;
      this.#tell({ type: 'lost', from: from.id, to: node.id, message, dropped: true }, stamp);
      return;
    }
    const isCut = this.#network.isTorn && this.#network.isCut(from.index, node.index);
    const counts = !this.#model.tellsLivesApart || this.#counts(node, from, sentBy);
    if (isCut || !counts)
      this.#tell({ type: 'lost', from: from.id, to: node.id, message: input.message }, stamp);
    else this.#step(node, input, stamp);
  }

  #counts(node: SimulatedNode<State>, from: SimulatedNode<State>, sentBy: number): boolean {
    return this.#mortality === null || node.isService || from.isService
      ? this.#links.counts(node.index, from.index, sentBy)
      : this.#links.isPresent(node.index, from.index, sentBy);
  }

  #isDropped(from: number, to: number, message: string, sequence: number): boolean {
    const index = this.#drops.findIndex(
      (drop) =>
        drop.from === from &&
        drop.to === to &&
        sequence <= drop.lastSequence &&
        (drop.message ?? message) === message,
    );
    if (index >= 0) this.#drops.splice(index, 1);
    return index >= 0;
  }

  #hear(node: SimulatedNode<State>, input: AnyInput, incarnation: number): void {
    if (input.type === 'link-up') this.#links.tell(node.index, this.node(input.peer).index, incarnation);
    if (input.type === 'peer-gone') this.#links.bury(node.index, this.node(input.peer).index, incarnation);
    this.#step(node, input, undefined);
  }

  #onTimer(node: SimulatedNode<State>, slot: TimerSlot): void {
    if (slot.queuedMs > this.#nowMs) return; // An earlier event was queued after this one, and has been seen.
    // First of all, for it may cancel the very timer that has come up.
    this.#endLapsedLease(node);
    slot.queuedMs = Number.POSITIVE_INFINITY;
    if (!slot.armed) return;
    if (slot.dueMs > this.#nowMs) {
      this.#queueTimer(node, slot);
      return;
    }
    if (slot === node.leaseTimer) {
      this.#armLease(node); // By the node's clock, which has drifted, there is time left.
      return;
    }
    slot.armed = false;
    this.#step(node, { type: 'timer-fired', timer: slot.name }, undefined);
  }

  #step(node: SimulatedNode<State>, input: AnyInput, stamp: unknown): void {
    // After a pause a message may come up before the lease's own timer. The lease is over all the same.
    if (node.office.tenure !== null && input.type !== 'lease-expired') this.#endLapsedLease(node);
    for (const observer of this.#audience.stepping) observer.stepping(node, input, stamp);
    const before = node.state;
    const localMs = node.localMs(this.#nowMs);
    const [state, effects] = node.machine.step(node.beginsWith ?? before, input, localMs);
    this.#steps += 1;
    node.state = state;
    node.beginsWith = null;
    if (node.saveMs === null) {
      for (const effect of effects) this.#perform(node, effect, input, localMs);
    } else {
      node.beforeSave = before;
      this.#performInTurn(node, effects, node.saveMs, input, localMs);
    }
    for (const observer of this.#audience.stepped) observer.stepped(node, input, before, effects);
  }

  /** A crash in the middle of a save leaves what was saved before, and nothing of what was to come. */
  #performInTurn(
    node: SimulatedNode<State>,
    effects: readonly AnyEffect[],
    saveMs: DelayRangeMs,
    input: AnyInput,
    steppedMs: number,
  ): void {
    const index = effects.findIndex(({ type }) => type === 'save');
    for (const effect of index < 0 ? effects : effects.slice(0, index))
      this.#perform(node, effect, input, steppedMs);
    if (index < 0 || node.status === 'crashed') return;
    node.isSaving = true;
    const finish = () => {
      node.isSaving = false;
      this.#perform(node, effects[index]!, input, steppedMs);
      this.#performInTurn(node, effects.slice(index + 1), saveMs, input, steppedMs);
      if (!node.isSaving) this.#release(node);
    };
    this.#scheduleFor(node, this.#nowMs + this.random.delayMs(saveMs), finish);
  }

  #hold(node: SimulatedNode<State>, event: Scheduled<State>): void {
    const held = this.#held.get(node);
    if (held === undefined) this.#held.set(node, [event]);
    else held.push(event);
  }

  #release(node: SimulatedNode<State>): void {
    const held = this.#held.get(node) ?? [];
    this.#held.delete(node);
    this.#reschedule(held);
  }

  /** What had to wait comes up now, in its order. */
  #reschedule(events: readonly Scheduled<State>[]): void {
    for (const { node, input, slot, action, stamp, sentBy, from } of events) {
      if (slot !== null) slot.queuedMs = this.#nowMs;
      this.#schedule(this.#nowMs, node, input, slot, action, stamp, sentBy, from);
    }
  }

  #perform(node: SimulatedNode<State>, effect: AnyEffect, input: AnyInput, steppedMs: number): void {
    if (node.status === 'crashed') return; // An effect before this one was illegal.
    switch (effect.type) {
      case 'send':
        this.#send(node, effect.to, effect.message);
        return;
      case 'set-timer':
        this.#setTimer(node, effect.timer, this.random.delayMs(effect.delayMs) + this.#drawLatenessMs());
        return;
      case 'cancel-timer': {
        const slot = node.timers.get(effect.timer);
        if (slot !== undefined) slot.armed = false;
        return;
      }
      case 'save':
        node.durable = effect.durable;
        node.hasSaved = true;
        return;
      case 'announce':
        return; // For the application; observers see it among the effects.
      default:
        if (!node.isService) this.#enter(node, { type: 'effect', effect, steppedMs, answers: input.type });
    }
  }

  // ---- The office decides; this carries it out, and plays the application ---------------------------------

  #enter(node: SimulatedNode<State>, entry: Entry): void {
    const before = node.office;
    const [office, events] = enter(before, entry, node.localMs(this.#nowMs));
    if (office === before && events.length === 0) return;
    node.office = office;
    for (const event of events) this.#carryOut(node, event);
    if (office.belief !== before.belief || isLeading(office) !== isLeading(before)) this.#changed(node);
  }

  #carryOut(node: SimulatedNode<State>, event: OfficeEvent): void {
    switch (event.type) {
      case 'began':
      case 'renewed':
        this.#armLease(node);
        break;
      case 'ended':
        node.leaseTimer.armed = false;
        // The application campaigns again as soon as its work has ended, unless it asked to resign.
        if (node.wantsToLead) this.#campaignAt(node, this.#nowMs + this.#unwindMs);
        break;
      case 'stand':
        this.#scheduleFor(node, this.#nowMs + event.afterMs, () => this.#stand(node));
        break;
      case 'resign':
        this.#enqueue(node, { ...event, type: 'resign-requested' }, this.#nowMs);
        break;
      case 'violated':
        for (const observer of this.#audience.violated) observer.violated(node, event.what);
        this.#crash(node);
        break;
      case 'expired': // The protocol is told by whoever looked at the clock.
      case 'resigned':
        break;
    }
  }

  #campaignAt(node: SimulatedNode<State>, atMs: number): void {
    this.#scheduleFor(node, atMs, () => {
      const [office, events] = enter(node.office, { type: 'campaign' }, node.localMs(this.#nowMs));
      node.office = office;
      if (events.length > 0) this.#stand(node); // Nothing else can come of it.
    });
  }

  #stand(node: SimulatedNode<State>): void {
    if (!maySeekOffice(node.office)) return;
    if (node.isSaving) this.#enqueue(node, { type: 'campaign-requested' }, this.#nowMs);
    else this.#step(node, { type: 'campaign-requested' }, undefined);
  }

  #armLease(node: SimulatedNode<State>): void {
    const remainingMs = (node.leadership?.deadlineMs ?? Number.POSITIVE_INFINITY) - node.localMs(this.#nowMs);
    // Never quite now: what is due and not over yet would come up again and again at one moment.
    if (remainingMs !== Number.POSITIVE_INFINITY)
      this.#arm(node, node.leaseTimer, Math.max(remainingMs, leastDelayMs));
  }

  #endLapsedLease(node: SimulatedNode<State>): void {
    const { tenure } = node.office;
    if (tenure === null || tenure.lapsed || node.localMs(this.#nowMs) < tenure.deadlineMs) return;
    this.#enter(node, { type: 'look-at-clock' });
    // The application knows at once; the protocol when it has done what it is about.
    if (node.isSaving) this.#enqueue(node, { type: 'lease-expired' }, this.#nowMs);
    else this.#step(node, { type: 'lease-expired' }, undefined);
  }

  #send(node: SimulatedNode<State>, to: NodeId, message: ProtocolMessage): void {
    const receiver = this.#byId.get(to);
    let stamp: unknown;
    for (const observer of this.#audience.sending) stamp = observer.sending(node, to, message) ?? stamp;
    if (receiver === undefined) return;
    this.#post(node, node.incarnation, receiver, receiver.incarnation, message, stamp);
  }

  /** Plain arguments: a message that nothing holds up needs no object but its event. */
  #post(
    from: SimulatedNode<State>,
    sentBy: number,
    to: SimulatedNode<State>,
    incarnation: number,
    message: ProtocolMessage,
    stamp: unknown,
  ): void {
    const stall = this.#stalls.length === 0 ? null : this.#stallBetween(from, to);
    if (stall === null) this.#deliver(from, sentBy, to, incarnation, message, stamp);
    else stall.held.push({ from, sentBy, to, incarnation, message, stamp });
  }

  #stallBetween(from: SimulatedNode<State>, to: SimulatedNode<State>): Stall<State> | null {
    return this.#stalls.find((stall) => stallsBetween(stall, from, to)) ?? null;
  }

  #deliver(
    from: SimulatedNode<State>,
    sentBy: number,
    to: SimulatedNode<State>,
    incarnation: number,
    message: ProtocolMessage,
    stamp: unknown,
  ): void {
    const isMeant =
      !this.#model.tellsLivesApart ||
      this.#links.means(from.index, to.index, incarnation) ||
      from.incarnation !== sentBy;
    const arrivalMs = this.#network.arrivalMs(from.index, to.index, this.#nowMs);
    const isLost = arrivalMs === Number.POSITIVE_INFINITY;
    if (isLost || to.status === 'crashed' || to.incarnation !== incarnation || !isMeant) {
      this.#tell({ type: 'lost', from: from.id, to: to.id, message }, stamp);
      return;
    }
    const input: AnyInput = { type: 'received', from: from.id, message };
    this.#enqueue(to, input, arrivalMs, stamp, sentBy, from);
    for (const observer of this.#audience.underway) observer.underway(stamp, arrivalMs);
    if (this.#network.duplicates(from.index, to.index)) {
      const againMs = arrivalMs + this.#network.latencyMs(from.index, to.index);
      this.#enqueue(to, input, againMs, stamp, sentBy, from);
      for (const observer of this.#audience.underway) observer.underway(stamp, againMs);
    }
  }

  #drawLatenessMs(): number {
    return this.#timerLatenessMs === null ? 0 : this.random.delayMs(this.#timerLatenessMs);
  }

  #setTimer(node: SimulatedNode<State>, name: string, delayMs: number): void {
    let slot = node.timers.get(name);
    if (slot === undefined) {
      slot = { name, armed: false, dueMs: 0, queuedMs: Number.POSITIVE_INFINITY };
      node.timers.set(name, slot);
    }
    this.#arm(node, slot, delayMs);
  }

  #arm(node: SimulatedNode<State>, slot: TimerSlot, localDelayMs: number): void {
    slot.armed = true;
    // Less than a clock can tell is not nothing: a rule that waits for it would otherwise wait at one moment for ever.
    const delayMs = localDelayMs > 0 ? Math.max(localDelayMs, leastDelayMs) : localDelayMs;
    slot.dueMs = this.#nowMs + delayMs / node.clockRate;
    // A timer that is pushed back again and again, as heartbeats do, costs one queue entry, not one each time.
    if (slot.dueMs < slot.queuedMs) this.#queueTimer(node, slot);
  }

  #queueTimer(node: SimulatedNode<State>, slot: TimerSlot): void {
    slot.queuedMs = slot.dueMs;
    this.#schedule(slot.dueMs, node, null, slot, null, undefined);
  }

  #scheduleFor(node: SimulatedNode<State>, atMs: number, action: () => void): void {
    this.#schedule(atMs, node, null, null, action, undefined);
  }

  #enqueue(
    node: SimulatedNode<State>,
    input: AnyInput,
    atMs: number,
    stamp?: unknown,
    sentBy = node.incarnation,
    from: SimulatedNode<State> | null = null,
  ): void {
    this.#schedule(atMs, node, input, null, null, stamp, sentBy, from);
  }

  #schedule(
    atMs: number,
    node: SimulatedNode<State> | null,
    input: AnyInput | null,
    slot: TimerSlot | null,
    action: (() => void) | null,
    stamp: unknown,
    sentBy = 0,
    from: SimulatedNode<State> | null = null,
  ): void {
    this.#sequence += 1;
    const incarnation = node === null ? 0 : node.incarnation;
    this.#queue.push({
      atMs,
      sequence: this.#sequence,
      node,
      incarnation,
      from,
      sentBy,
      input,
      slot,
      action,
      stamp,
    });
  }

  // ---- What faults do ------------------------------------------------------------------------------------------

  #asStruck(): Struck<State> {
    return {
      services: this.services,
      resolve: (target) => this.resolve(target),
      crash: (node) => this.#crash(node),
      pause: (node) => this.#pause(node),
      resign: (node, to) => this.#resign(node, to),
      give: (node, input) => this.#give(node, input),
      fire: (node, timer) => this.#fire(node, timer),
      setClockRate: (node, rate) => this.#setClockRate(node, rate),
      cut: (isCut) => this.#connections.cut(isCut),
      stall: (node, peer) => this.#stall(node, peer),
      drop: (node, peer, message) => this.#drop(node, peer, message),
      disturb: (disturbance) => this.#disturb(disturbance),
      failLeadersOfServices: () => this.#failLeadersOfServices(),
    };
  }

  #failLeadersOfServices(): void {
    for (const { id, failLeader } of this.#services) {
      if (failLeader !== undefined) this.give(id, { type: 'requested', request: failLeader });
    }
  }

  /** A lease ends when the node's own clock says so. Timers that are set already keep their time. */
  #setClockRate(node: SimulatedNode<State>, rate: number): void {
    node.setClockRate(rate, this.#nowMs);
    this.#armLease(node);
  }

  /** Whom a fault would strike now; null for an office that nobody holds. */
  resolve(target: Target): SimulatedNode<State> | null {
    if (target === 'leader') return this.leader;
    if (target === 'coordinator') return this.services[0] ?? null;
    const index = this.#byId.has(target) ? null : followerIndex(target);
    return index === null ? this.node(target) : (this.#followers[index] ?? null);
  }

  get #followers(): SimulatedNode<State>[] {
    const { leader } = this;
    return this.nodes.filter((node) => node.running && node !== leader);
  }

  #crash(node: SimulatedNode<State>): () => void {
    if (node.status === 'crashed') return () => {};
    this.#waiting.delete(node);
    this.#held.delete(node);
    if (node.isSaving && node.beforeSave !== null) node.state = node.beforeSave;
    node.isSaving = false;
    node.status = 'crashed';
    node.incarnation += 1;
    node.office = vacantOffice(node.id);
    node.timers.clear();
    node.leaseTimer.armed = false;
    node.leaseTimer.queuedMs = Number.POSITIVE_INFINITY;
    this.#tell({ type: 'crashed', node: node.id });
    this.#changed(node);
    this.#connections.refreshAllOf(node);
    return () => this.#restart(node);
  }

  #restart(node: SimulatedNode<State>): void {
    if (node.status !== 'crashed') return;
    node.status = 'running';
    node.restartClock(this.#drawOriginMs(), this.#nowMs);
    node.beginsWith = node.machine.initialState(node.id, node.peers, nameOfLife(node.id, node.incarnation));
    this.#enqueue(node, firstInput(node), this.#nowMs);
    if (node.wantsToLead) this.#campaignAt(node, this.#nowMs);
    this.#changed(node);
    this.#connections.begin(node);
  }

  /** Most processes are younger than the one before them, and their clocks show less; some clocks begin anywhere. */
  #drawOriginMs(): number {
    return this.#clockOrigins.between(0, this.#nowMs * this.#clockOrigins.pick([0.1, 0.1, 10]));
  }

  #pause(node: SimulatedNode<State>): () => void {
    if (node.status !== 'running') return () => {};
    node.status = 'paused';
    this.#waiting.set(node, []);
    this.#tell({ type: 'paused', node: node.id });
    this.#changed(node);
    return () => this.#resume(node);
  }

  #resume(node: SimulatedNode<State>): void {
    if (node.status !== 'paused') return;
    node.status = 'running';
    const waiting = this.#waiting.get(node)!;
    this.#waiting.delete(node);
    this.#tell({ type: 'resumed', node: node.id });
    // A lease that ran out in the pause is over before anything can be done with it.
    this.#endLapsedLease(node);
    this.#changed(node);
    this.#reschedule(waiting);
  }

  #resign(node: SimulatedNode<State>, to: NodeId | undefined): () => void {
    if (!node.running) return () => {};
    node.wantsToLead = false;
    this.#enter(
      node,
      to === undefined ? { type: 'resign', reason: 'resigned' } : { type: 'resign', reason: 'resigned', to },
    );
    return () => {
      node.wantsToLead = true;
      if (node.status !== 'crashed') this.#campaignAt(node, this.#nowMs);
    };
  }

  #stall(node: SimulatedNode<State>, peer: SimulatedNode<State>): () => void {
    const lives = [node.incarnation, peer.incarnation] as const;
    const stall: Stall<State> = { ends: [node, peer], lives, held: [] };
    this.#stalls = [...this.#stalls, stall];
    return () => {
      this.#stalls = this.#stalls.filter((other) => other !== stall);
      for (const { from, sentBy, to, incarnation, message, stamp } of stall.held)
        this.#post(from, sentBy, to, incarnation, message, stamp);
    };
  }

  #drop(node: SimulatedNode<State>, peer: SimulatedNode<State>, message: string | undefined): () => void {
    this.#drops.push({ from: node.index, to: peer.index, message, lastSequence: this.#sequence });
    return () => {};
  }

  #fire(node: SimulatedNode<State>, name: string | undefined): () => void {
    const armed = [...node.timers.values()].filter((slot) => slot.armed && slot.name === (name ?? slot.name));
    const [slot] = armed.sort((a, b) => a.dueMs - b.dueMs);
    if (slot !== undefined) {
      slot.armed = false;
      this.#give(node, { type: 'timer-fired', timer: slot.name });
    }
    return () => {};
  }

  #disturb(disturbance: Disturbance): () => void {
    this.#network.disturb(disturbance);
    return () => this.#network.calm(disturbance);
  }

  #changed(node: SimulatedNode<State>): void {
    if (node.isService) return;
    for (const observer of this.#audience.changed) observer.changed(node);
  }

  #tell(event: WorldEvent, stamp?: unknown): void {
    for (const observer of this.#audience.happened) observer.happened(event, stamp);
  }
}

/** Of a process: whether it finds something on its disk. */
const firstInput = ({ hasSaved, durable }: SimulatedNode<unknown>): AnyInput =>
  hasSaved ? { type: 'restarted', durable } : { type: 'started' };

function stallsBetween<State>(
  { ends: [a, b], lives: [lifeOfA, lifeOfB] }: Stall<State>,
  from: SimulatedNode<State>,
  to: SimulatedNode<State>,
): boolean {
  const isSameConnection = a.incarnation === lifeOfA && b.incarnation === lifeOfB;
  return isSameConnection && ((a === from && b === to) || (a === to && b === from));
}
