/**
 * Bounded exhaustive exploration: not some runs of a protocol but all of them, up to a number of events.
 *
 * Time is abstract unless it is asked for. Any timer that is set may fire at any moment, any message may take for
 * ever, so nothing is assumed about speed: what holds here holds at every speed, and what needs a bound on delays to
 * hold does not hold here. A step and its effects happen together; a crash falls between steps.
 *
 * Leases rest on time. With `tickMs`, one clock serves all nodes and advances by ticks, each an event: timers fire at
 * their time or at any later one, messages may be held up from tick to tick, and a lease ends exactly when it must.
 *
 * The search is breadth first, so the first violation found is one of the shortest.
 */

import { type Guarantees, InvalidOptionError, type NodeId } from '@hustings/elector';
import type { Finding, Invariants, NodeView } from '@hustings/elector/protocol';
import { type Discovery, type ExploredNode, Nodes, type Outcome, type Parcel } from './explore-node.js';
import { StateSet } from './explore-states.js';
import type { AnyProtocol } from './node.js';
import { atMostOneLeader, findSecondLeader } from './oracle.js';
import type { Service } from './simulation.js';
import { tellEvent } from './story.js';
import type { TraceEvent, VectorClock } from './trace.js';

/** How far an exploration goes. Within these bounds it leaves nothing out. */
export interface ExploreBounds {
  /** The longest sequence of events. */
  readonly depth: number;
  /** How many crashes one run may contain. A crashed node may restart at any moment, or never. At most 15. */
  readonly maxCrashes: number;
  /** How many messages one run may lose. At most 15. */
  readonly maxLosses: number;
  /** How many messages one run may deliver twice. At most 15. */
  readonly maxDuplicates: number;
  /** How many times one run may ask a leader to resign, for good. At most 15. */
  readonly maxResignations: number;
  /** Events that would put more on one link than this are left out, and counted. */
  readonly maxInFlightPerLink: number;
  /** Messages on one link may overtake each other. Off, they arrive in order, as over TCP. */
  readonly reorders: boolean;
  /** Peers see a crashed node's connections close, and those of one that restarts open. */
  readonly closesLinksOnCrash: boolean;
  /** How much time passes in one tick of the clock; 0 for no clock at all. */
  readonly tickMs: number;
  /** How many ticks one run may contain. At most 15. */
  readonly maxTicks: number;
  /** How many messages one run may hold up, each for one tick. At most 15. */
  readonly maxLate: number;
  /** Memory is finite: about 100 bytes go to each state. */
  readonly maxStates: number;
}

export const defaultBounds: ExploreBounds = {
  depth: 10,
  maxCrashes: 1,
  maxLosses: 1,
  maxDuplicates: 0,
  maxResignations: 0,
  maxInFlightPerLink: 4,
  reorders: false,
  closesLinksOnCrash: false,
  tickMs: 0,
  maxTicks: 0,
  maxLate: 0,
  maxStates: 2_000_000,
};

export interface ExploreOptions<State> extends Partial<ExploreBounds> {
  readonly protocol: AnyProtocol<State>;
  /** They have all started, and all campaign. */
  readonly nodes: readonly NodeId[];
  /** The coordinators that they talk to, which have started, too, and do not crash. */
  readonly services?: readonly Service[];
  /** What must always hold. What must come true some day is not asked: a bounded run may end before that day. */
  readonly invariants?: Invariants<State>;
  /** Of the general promises, `atMostOneLeader` is checked if it is in here. */
  readonly promised?: Partial<Guarantees>;
  /** Called when every state at a depth is known. */
  readonly onDepth?: (progress: ExploreProgress) => void;
}

export interface ExploreProgress {
  readonly depth: number;
  /** Distinct states so far. */
  readonly states: number;
}

/** One of the shortest ways to break a promise. */
export interface Counterexample {
  readonly property: string;
  readonly detail: string;
  /** The node whose event broke it; null if it was broken before anything happened. */
  readonly node: NodeId | null;
  /** The events in order. Their time is their number: there is no other. */
  readonly events: readonly TraceEvent[];
}

export interface Exploration {
  /** Distinct states. */
  readonly states: number;
  /** Events followed, those that led to a known state included. */
  readonly transitions: number;
  /** Up to this many events, every sequence has been followed. */
  readonly depth: number;
  /** What ended it: a violation, a bound, or that there was nothing new to find. */
  readonly endedBy: 'violation' | 'depth' | 'max-states' | 'exhaustion';
  /** Events left out because a link was full. */
  readonly leftOut: number;
  readonly violation: Counterexample | null;
}

export function explore<State>(options: ExploreOptions<State>): Exploration {
  return new Explorer(options).run();
}

/** A counterexample as numbered lines that a person can read. */
export function tellCounterexample({ events }: Counterexample): string[] {
  const width = String(events.length).length;
  return events.map((event, index) => `${String(index + 1).padStart(width)}. ${tellEvent(event)}`);
}

/** What happens between two states. */
type Move<State> =
  | { readonly type: 'step'; readonly outcome: Outcome<State>; readonly parcel: Parcel | null }
  /** A step whose message stays on its way, to arrive once more. */
  | { readonly type: 'duplicate'; readonly outcome: Outcome<State>; readonly parcel: Parcel }
  | { readonly type: 'crash'; readonly outcome: Outcome<State> }
  | { readonly type: 'loss'; readonly parcel: Parcel }
  | { readonly type: 'tick' };

/** Told of each state that can come next; it lies in `#next`. True ends the expansion. */
type Visit<State> = (length: number, move: Move<State>) => boolean;

// The first word of a state counts what the run has used up; each count has four bits.
const crashUnit = 1;
const lossUnit = 1 << 4;
const duplicateUnit = 1 << 8;
const resignationUnit = 1 << 12;
const tickUnit = 1 << 16;
const lateUnit = 1 << 20;
const maxCount = 15;

const used = (counts: number, unit: number): number => Math.floor(counts / unit) & maxCount;

/**
 * A state is a list of numbers: the counts, each node's condition, and what is on its way, sorted by link and
 * on each link in order.
 */
class Explorer<State> {
  readonly #bounds: ExploreBounds;
  readonly #ids: readonly NodeId[];
  readonly #nodes: Nodes<State>;
  readonly #always: readonly (readonly [string, (nodes: readonly NodeView<State>[]) => Finding])[];
  readonly #onDepth: (progress: ExploreProgress) => void;
  readonly #seen = new StateSet();
  /** The number of the state from which each state was first reached. */
  readonly #parents: number[] = [];
  readonly #current: Int32Array;
  readonly #next: Int32Array;
  /** The nodes of `#next` while it is checked: one array for all checks. */
  readonly #views: ExploredNode<State>[];
  #currentLength = 0;
  #transitions = 0;
  #leftOut = 0;

  constructor(options: ExploreOptions<State>) {
    const { protocol, nodes, services = [], invariants = {}, promised = {}, ...rest } = options;
    const { onDepth = () => {}, ...bounds } = rest;
    this.#bounds = checkBounds({ ...defaultBounds, ...bounds });
    if (this.#bounds.reorders && protocol.deathCertificates) {
      throw new InvalidOptionError(
        'reorders cannot be explored with death certificates: a message would overtake the news of its sender.',
      );
    }
    const { tickMs } = this.#bounds;
    this.#nodes = new Nodes({ protocol, nodes, services, invariants, tickMs });
    this.#ids = this.#nodes.ids;
    this.#always = [
      ...Object.entries(invariants.always ?? {}),
      ...(promised.atMostOneLeader ? [[atMostOneLeader, findAnySecondLeader] as const] : []),
    ];
    this.#onDepth = onDepth;
    const links = this.#ids.length * this.#ids.length;
    const longest = 1 + this.#ids.length + links * (this.#bounds.maxInFlightPerLink + 1);
    this.#current = new Int32Array(longest);
    this.#next = new Int32Array(longest);
    this.#views = new Array(nodes.length);
  }

  run(): Exploration {
    const broken = this.#begin();
    if (broken !== null) return this.#finish(0, 'violation', { ...broken, node: null, events: [] });
    let first = 0;
    for (let depth = 0; ; depth += 1) {
      const end = this.#seen.size;
      this.#onDepth({ depth, states: end });
      if (first === end) return this.#finish(depth - 1, 'exhaustion', null);
      if (depth === this.#bounds.depth) return this.#finish(depth, 'depth', null);
      for (; first < end; first += 1) {
        const violation = this.#explore(first);
        if (violation !== null) return this.#finish(depth, 'violation', violation);
        if (this.#seen.size >= this.#bounds.maxStates) return this.#finish(depth, 'max-states', null);
      }
    }
  }

  #finish(depth: number, endedBy: Exploration['endedBy'], violation: Counterexample | null): Exploration {
    const states = this.#seen.size;
    return { states, transitions: this.#transitions, depth, endedBy, leftOut: this.#leftOut, violation };
  }

  /** Adds the state in which every node has started and campaigns. */
  #begin(): Discovery | null {
    this.#next[0] = 0;
    const sent: Parcel[] = [];
    let length = 1;
    for (const index of this.#ids.keys()) {
      const outcomes = this.#start(index);
      const broken = outcomes.find(({ discovery }) => discovery !== null)?.discovery ?? null;
      if (broken !== null) return broken;
      this.#next[length++] = outcomes.at(-1)!.node.number;
      sent.push(...outcomes.flatMap((outcome) => outcome.sent));
    }
    for (const parcel of sent) length = this.#post(length, parcel);
    this.#seen.add(this.#next, length);
    this.#parents.push(-1);
    return this.#checkAlways();
  }

  #start(index: number): readonly Outcome<State>[] {
    const outcomes = [this.#nodes.start(index)];
    const goOn = (next: (node: ExploredNode<State>) => Outcome<State>) =>
      outcomes.push(next(outcomes.at(-1)!.node));
    if (!this.#nodes.isCandidate(index)) return outcomes;
    for (let peer = 0; this.#nodes.certifies && peer < this.#nodes.candidates; peer += 1) {
      if (peer !== index) goOn((node) => this.#nodes.introduce(node, peer));
    }
    goOn((node) => this.#nodes.campaign(node, 0));
    return outcomes;
  }

  /** Finds every state that can follow this one. Returns what it breaks, if it does. */
  #explore(number: number): Counterexample | null {
    let violation: Counterexample | null = null;
    this.#expand(number, (length, move) => {
      this.#transitions += 1;
      const isNew = this.#seen.add(this.#next, length);
      if (isNew) this.#parents.push(number);
      const ofStep = 'outcome' in move ? move.outcome.discovery : null;
      const discovery = ofStep ?? (isNew ? this.#checkAlways() : null);
      if (discovery === null) return false;
      violation = this.#witness(discovery, number, move);
      return true;
    });
    return violation;
  }

  #checkAlways(): Discovery | null {
    if (this.#always.length === 0) return null;
    const { candidates } = this.#nodes;
    for (let index = 0; index < candidates; index += 1) {
      this.#views[index] = this.#nodes.node(this.#next[1 + index]!);
    }
    for (const [property, check] of this.#always) {
      const detail = check(this.#views);
      if (detail !== null) return { property, detail };
    }
    return null;
  }

  #expand(number: number, visit: Visit<State>): void {
    this.#currentLength = this.#seen.read(number, this.#current);
    const counts = this.#current[0]!;
    const size = this.#ids.length;
    for (let index = 0; index < size; index += 1) {
      const node = this.#nodes.node(this.#current[1 + index]!);
      if (node.running ? this.#act(node, counts, visit) : this.#restart(node, visit)) return;
    }
    if (this.#tick(counts, visit)) return;
    let link = -1;
    for (let position = 1 + size; position < this.#currentLength; position += 1) {
      const parcel = this.#nodes.parcel(this.#current[position]!);
      const isNext = this.#linkOf(parcel) !== link;
      link = this.#linkOf(parcel);
      if (isNext || this.#bounds.reorders) {
        if (this.#arrive(parcel, position, counts, visit)) return;
      }
    }
  }

  /** What a node can do of its own accord, or suffer. */
  #act(node: ExploredNode<State>, counts: number, visit: Visit<State>): boolean {
    const { content } = node;
    const nodes = this.#nodes;
    const tick = used(counts, tickUnit);
    for (let position = 0; position < content.timers.length; position += 1) {
      if (!nodes.isDue(node, position, tick)) continue;
      if (this.#take(nodes.fireTimer(node, position, tick), counts, visit)) return true;
    }
    if (!nodes.isCandidate(node.index)) return false;
    if (content.campaignDue && this.#take(nodes.campaign(node, tick), counts, visit)) return true;
    if (nodes.isLeaseEnding(node, tick) && this.#take(nodes.endLease(node, tick), counts, visit)) return true;
    if (node.leading && used(counts, resignationUnit) < this.#bounds.maxResignations) {
      if (this.#take(nodes.resign(node, tick), counts + resignationUnit, visit)) return true;
    }
    return used(counts, crashUnit) < this.#bounds.maxCrashes && this.#crash(node, counts + crashUnit, visit);
  }

  /** Time passes, but for nobody past the end of a lease: a process that runs ends its leadership in time. */
  #tick(counts: number, visit: Visit<State>): boolean {
    const tick = used(counts, tickUnit);
    const { tickMs, maxTicks, maxLate } = this.#bounds;
    const late = this.#currentLength - 1 - this.#ids.length;
    if (tickMs === 0 || tick >= maxTicks || used(counts, lateUnit) + late > maxLate) return false;
    for (let index = 0; index < this.#nodes.candidates; index += 1) {
      const node = this.#nodes.node(this.#current[1 + index]!);
      if (node.running && this.#nodes.isLeaseEnding(node, tick)) return false;
    }
    return visit(this.#copy(counts + tickUnit + late * lateUnit, -1), { type: 'tick' });
  }

  #arrive(parcel: Parcel, position: number, counts: number, visit: Visit<State>): boolean {
    const node = this.#nodes.node(this.#current[1 + parcel.to]!);
    const outcome = this.#nodes.receive(node, parcel, used(counts, tickUnit));
    if (this.#move({ type: 'step', outcome, parcel }, counts, position, visit)) return true;
    if (parcel.input.type !== 'received') return false; // The operating system tells this; nothing loses it.
    if (used(counts, duplicateUnit) < this.#bounds.maxDuplicates) {
      const duplicate: Move<State> = { type: 'duplicate', outcome, parcel };
      if (this.#move(duplicate, counts + duplicateUnit, -1, visit)) return true;
    }
    if (used(counts, lossUnit) >= this.#bounds.maxLosses) return false;
    return visit(this.#copy(counts + lossUnit, position), { type: 'loss', parcel });
  }

  #crash(node: ExploredNode<State>, counts: number, visit: Visit<State>): boolean {
    const outcome = this.#nodes.crash(node, used(counts, tickUnit));
    let length = this.#copyWithout(counts, node.index);
    this.#next[1 + node.index] = outcome.node.number;
    for (const peer of this.#ids.keys()) {
      if (peer === node.index) continue;
      if (this.#closesLinks) length = this.#post(length, this.#nodes.linkNews('link-down', node.index, peer));
      if (this.#nodes.certifies && this.#nodes.isCandidate(peer))
        length = this.#post(length, this.#nodes.certificate(node.index, node.content.life, peer));
    }
    return this.#visitUnlessFull(length, { type: 'crash', outcome }, visit);
  }

  #restart(node: ExploredNode<State>, visit: Visit<State>): boolean {
    const outcome = this.#nodes.restart(node, used(this.#current[0]!, tickUnit));
    let length = this.#copy(this.#current[0]!, -1);
    this.#next[1 + node.index] = outcome.node.number;
    if (this.#closesLinks) {
      for (const peer of this.#ids.keys()) {
        const { running, content } = this.#nodes.node(this.#next[1 + peer]!);
        if (peer === node.index || !running) continue;
        length = this.#post(length, this.#nodes.linkNews('link-up', node.index, peer, node.content.life));
        length = this.#post(length, this.#nodes.linkNews('link-up', peer, node.index, content.life));
      }
    }
    for (const parcel of outcome.sent) length = this.#post(length, parcel);
    return this.#visitUnlessFull(length, { type: 'step', outcome, parcel: null }, visit);
  }

  /** Whoever acts on certificates must hear of each new life. */
  get #closesLinks(): boolean {
    return this.#bounds.closesLinksOnCrash || this.#nodes.certifies;
  }

  #take(outcome: Outcome<State>, counts: number, visit: Visit<State>): boolean {
    return this.#move({ type: 'step', outcome, parcel: null }, counts, -1, visit);
  }

  /** Carries out a step, with the parcel at `position` taken from its link. */
  #move(
    move: Extract<Move<State>, { type: 'step' | 'duplicate' }>,
    counts: number,
    position: number,
    visit: Visit<State>,
  ): boolean {
    let length = this.#copy(counts, position);
    const { node, sent } = move.outcome;
    this.#next[1 + node.index] = node.number;
    for (const parcel of sent) length = this.#post(length, parcel);
    return this.#visitUnlessFull(length, move, visit);
  }

  #visitUnlessFull(length: number, move: Move<State>, visit: Visit<State>): boolean {
    if (length > 0) return visit(length, move);
    this.#leftOut += 1;
    return false;
  }

  /** Copies `#current` to `#next` but for one position, and returns the length. */
  #copy(counts: number, without: number): number {
    let length = 0;
    for (let position = 0; position < this.#currentLength; position += 1) {
      if (position !== without) this.#next[length++] = this.#current[position]!;
    }
    this.#next[0] = counts;
    return length;
  }

  /** Copies `#current` to `#next` but for what is on its way to a node: it had no connection to arrive by. */
  #copyWithout(counts: number, receiver: number): number {
    const network = 1 + this.#ids.length;
    let length = 0;
    for (let position = 0; position < this.#currentLength; position += 1) {
      const word = this.#current[position]!;
      if (position < network || this.#nodes.parcel(word).to !== receiver) this.#next[length++] = word;
    }
    this.#next[0] = counts;
    return length;
  }

  /** Puts a parcel on its way in `#next`, unless nobody is there to receive it. 0 says that a link is full. */
  #post(length: number, parcel: Parcel): number {
    if (length === 0) return length;
    const { running, content } = this.#nodes.node(this.#next[1 + parcel.to]!);
    if (!running || (parcel.toLife !== null && parcel.toLife !== content.life)) return length;
    const next = this.#next;
    const network = 1 + this.#ids.length;
    const link = this.#linkOf(parcel);
    let onLink = 0;
    let hole = length;
    for (; hole > network; hole -= 1) {
      const other = this.#nodes.parcel(next[hole - 1]!);
      const otherLink = this.#linkOf(other);
      if (otherLink < link) break;
      if (otherLink === link) {
        onLink += 1;
        // Where messages overtake each other their order means nothing, so any fixed order will do.
        if (!this.#bounds.reorders || other.number <= parcel.number) break;
      }
      next[hole] = next[hole - 1]!;
    }
    for (let position = hole - 2; onLink > 0 && position >= network; position -= 1) {
      if (this.#linkOf(this.#nodes.parcel(next[position]!)) !== link) break;
      onLink += 1;
    }
    next[hole] = parcel.number;
    return onLink < this.#bounds.maxInFlightPerLink ? length + 1 : 0;
  }

  #linkOf({ from, to }: Parcel): number {
    return from * this.#ids.length + to;
  }

  /** Retells how the run came to break a promise. */
  #witness(discovery: Discovery, parent: number, lastMove: Move<State>): Counterexample {
    const path: number[] = [];
    for (let number = parent; number !== -1; number = this.#parents[number]!) path.unshift(number);
    const moves = path.slice(1).map((number, index) => this.#moveBetween(path[index]!, number));
    const narrator = new Narrator<State>(this.#ids);
    for (const move of [...moves, lastMove]) narrator.tell(move);
    return { ...discovery, node: this.#culpritOf(lastMove), events: narrator.events };
  }

  #culpritOf(move: Move<State>): NodeId | null {
    if (move.type === 'tick') return null;
    return 'outcome' in move ? move.outcome.node.id : this.#ids[move.parcel.to]!;
  }

  #moveBetween(from: number, to: number): Move<State> {
    const target = new Int32Array(this.#next.length);
    const targetLength = this.#seen.read(to, target);
    let found: Move<State> | null = null;
    this.#expand(from, (length, move) => {
      if (length !== targetLength || !this.#next.every((word, at) => at >= length || word === target[at]))
        return false;
      found = move;
      return true;
    });
    return found!;
  }
}

/** Turns moves into the events of a trace, vector clocks included, so that what draws a run can draw these. */
class Narrator<State> {
  readonly events: TraceEvent[] = [];
  readonly #ids: readonly NodeId[];
  readonly #clocks: Record<NodeId, number>[];
  /** The clock that each parcel on its way was sent with. */
  readonly #stamps = new Map<Parcel, VectorClock[]>();

  constructor(ids: readonly NodeId[]) {
    this.#ids = ids;
    this.#clocks = ids.map(() => ({}));
  }

  tell(move: Move<State>): void {
    const position = { sequence: this.events.length, atMs: this.events.length + 1 };
    if (move.type === 'tick') {
      this.events.push({ ...position, type: 'ticked' });
      return;
    }
    if (move.type === 'loss') {
      this.#stampOf(move.parcel, true);
      const { from, to, input } = move.parcel;
      if (input.type !== 'received') return;
      const { message } = input;
      this.events.push({ ...position, type: 'lost', from: this.#ids[from]!, to: this.#ids[to]!, message });
      return;
    }
    const { node, input, effects, sent } = move.outcome;
    const parcel = 'parcel' in move ? move.parcel : null;
    const clock = this.#tick(node, parcel === null ? {} : this.#stampOf(parcel, move.type === 'step'));
    if (input === null) {
      if (move.type === 'crash') this.events.push({ ...position, type: 'crashed', node: node.id, clock });
      return;
    }
    for (const item of sent) this.#stamps.set(item, [...(this.#stamps.get(item) ?? []), clock]);
    this.events.push({ ...position, type: 'step', node: node.id, input, effects, changed: true, clock });
  }

  #tick({ id, index }: ExploredNode<State>, learned: VectorClock): VectorClock {
    const clock = this.#clocks[index]!;
    for (const [peer, count] of Object.entries(learned)) clock[peer] = Math.max(clock[peer] ?? 0, count);
    clock[id] = (clock[id] ?? 0) + 1;
    return { ...clock };
  }

  /** Nothing is known of what was sent before the first event. */
  #stampOf(parcel: Parcel, takes: boolean): VectorClock {
    const stamps = this.#stamps.get(parcel) ?? [];
    if (takes) this.#stamps.set(parcel, stamps.slice(1));
    return stamps[0] ?? {};
  }
}

/** Without time there is no telling a hand-over from a split: any two leaders are too many. */
const findAnySecondLeader = (nodes: readonly NodeView<unknown>[]): Finding =>
  findSecondLeader(nodes, () => true);

function checkBounds(bounds: ExploreBounds): ExploreBounds {
  const counts = [
    'maxCrashes',
    'maxLosses',
    'maxDuplicates',
    'maxResignations',
    'maxTicks',
    'maxLate',
  ] as const;
  for (const name of counts) {
    if (!(Number.isInteger(bounds[name]) && bounds[name] >= 0 && bounds[name] <= maxCount)) {
      throw new InvalidOptionError(`${name} must be a whole number from 0 to ${maxCount}.`);
    }
  }
  for (const name of ['depth', 'maxInFlightPerLink', 'maxStates'] as const) {
    if (!(Number.isInteger(bounds[name]) && bounds[name] >= (name === 'depth' ? 0 : 1))) {
      throw new InvalidOptionError(`${name} must be a whole number above 0.`);
    }
  }
  return bounds;
}
