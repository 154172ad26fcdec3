import type { NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { FaultKind, Target } from './faults.js';
import { fit, Jury, planWorkload, type Subject } from './judge.js';
import type { SimulatedNode } from './node.js';
import type { Violation } from './oracle.js';
import {
  type Cuts,
  type Flight,
  type FlightEnd,
  type LossReason,
  type Moment,
  type RecordedFault,
  type RecordedTenure,
  Recording,
} from './recording.js';
import { reignsOf } from './reigns.js';
import { tooManySteps } from './run.js';
import type { Schedule } from './schedule.js';
import { type AnyEffect, type AnyInput, Simulation, type WorldEvent } from './simulation.js';
import { TraceRecorder } from './trace.js';
import { writesOf } from './writes.js';

export interface RecordOptions {
  /** More steps than this are a violation, and the recording ends there. Default: 2,000,000. */
  readonly maxSteps?: number;
  readonly writer?: { readonly everyMs: number; readonly workMs: number };
}

const defaultMaxSteps = 2_000_000;
const defaultWriter = { everyMs: 100, workMs: 10 };

/** Records a whole run at once. */
export function record<State>(
  subject: Subject<State>,
  schedule: Schedule,
  options: RecordOptions = {},
): Recording<State> {
  const recorder = new Recorder(subject, schedule, options);
  while (recorder.advance(Number.POSITIVE_INFINITY));
  return recorder.finish();
}

type Draft<Finished> = { -readonly [Field in keyof Finished]: Finished[Field] };
type Writable<Item> = Draft<Item>;

/** What travels with a message: what `TraceRecorder` gives it, and which flight it is. */
interface Stamp {
  readonly traced: unknown;
  readonly flight: Writable<Flight>;
}

const underway: FlightEnd = { type: 'underway' };
const isUnderway = ({ end }: Flight): boolean => end === underway;

/** Records a run bit by bit, so that a page stays alive meanwhile. */
export class Recorder<State> extends TraceRecorder<State> {
  readonly #subject: Subject<State>;
  readonly #schedule: Schedule;
  readonly #options: RecordOptions;
  readonly #simulation: Simulation<State>;
  readonly #jury: Jury<State>;
  readonly #flights: Writable<Flight>[] = [];
  readonly #tenures: Writable<RecordedTenure>[] = [];
  readonly #leading = new Map<NodeId, Writable<RecordedTenure>>();
  readonly #pauses: { node: NodeId; fromMs: number; untilMs: number }[] = [];
  readonly #faults: Writable<RecordedFault>[] = [];
  readonly #cuts: Cuts[] = [];
  readonly #moments = new Map<NodeId, Moment<State>[]>();
  readonly #lastStepOf = new Map<NodeId, number>();
  /** A fault was told of and is being applied: nodes and links are looked at when it has been. */
  #isUnsettled = false;
  /** The step whose effects are carried out. Messages that are lost meanwhile are events after it. */
  #current: number | null = null;
  #violation: Violation | null = null;

  constructor(subject: Subject<State>, schedule: Schedule, options: RecordOptions = {}) {
    super();
    this.#subject = fit(subject, schedule);
    this.#schedule = schedule;
    this.#options = options;
    const { protocol, services = [] } = this.#subject;
    this.#jury = new Jury(this.#subject, schedule);
    const observers = [this, ...this.#jury.observers];
    this.#simulation = new Simulation({ ...schedule, protocol, services, observers });
    this.attach(this.#simulation);
    this.#jury.attach(this.#simulation);
    for (const node of this.#everyone) this.#moments.set(node.id, [this.#look(node, -1)]);
    for (const fault of schedule.faults) this.#simulation.plan(fault);
    planWorkload(this.#subject, schedule, this.#simulation);
  }

  /** Between 0 and 1. */
  get progress(): number {
    return Math.min(1, this.#simulation.nowMs / Math.max(1, this.#schedule.durationMs));
  }

  /** Handles so many events; false when there are no more. */
  advance(events: number): boolean {
    const { maxSteps = defaultMaxSteps } = this.#options;
    for (let handled = 0; handled < events; handled += 1) {
      if (this.#simulation.steps > maxSteps) {
        this.#violation = tooManySteps(this.#simulation, maxSteps);
        return false;
      }
      if (!this.#simulation.next(this.#schedule.durationMs)) return false;
      this.#jury.look();
    }
    return true;
  }

  finish(): Recording<State> {
    this.#settle();
    // Whoever asks at the end who leads means the end, and not the last event before it.
    if (this.#violation === null) this.#simulation.runUntil(this.#schedule.durationMs);
    const endMs = this.#simulation.nowMs;
    for (const pause of this.#pauses) pause.untilMs = Math.min(pause.untilMs, endMs);
    for (const [id, tenure] of this.#leading) this.#endLapsed(id, tenure, endMs);
    const { algorithm, variant, guarantees, periodicMessages } = this.#subject.protocol;
    const tenures = this.#tenures;
    const pauses = this.#pauses;
    const lives = { tenures, pauses, events: this.events, endMs };
    return new Recording({
      ...lives,
      algorithm,
      variant,
      guarantees,
      periodicMessages,
      schedule: this.#schedule,
      nodes: this.#simulation.nodes.map(({ id }) => id),
      services: this.#simulation.services.map(({ id }) => id),
      flights: this.#flights,
      faults: this.#faults,
      cuts: this.#cuts,
      reigns: reignsOf(tenures, pauses, endMs),
      writes: writesOf(lives, this.#options.writer ?? defaultWriter),
      violation: this.#violation ?? this.#jury.conclude(),
      moments: this.#moments,
    });
  }

  /** The event that is going on, or the last one. */
  get #sequence(): number {
    return this.#current ?? this.events.length - 1;
  }

  get #everyone(): readonly SimulatedNode<State>[] {
    return [...this.#simulation.nodes, ...this.#simulation.services];
  }

  // ---- What the simulation tells -------------------------------------------------------------------------

  override stepping(node: SimulatedNode<State>, input: AnyInput, stamp: unknown): void {
    this.#settle();
    const sequence = this.events.length;
    this.#lastStepOf.set(node.id, sequence);
    this.#current = sequence;
    const sent = stamp as Stamp | undefined;
    super.stepping(node, input, sent?.traced);
    if (sent !== undefined) this.#arrive(sent.flight, sequence);
  }

  override stepped(
    node: SimulatedNode<State>,
    input: AnyInput,
    before: State,
    effects: readonly AnyEffect[],
  ): void {
    super.stepped(node, input, before, effects);
    this.#keep(node);
    this.#current = null;
  }

  override sending(from: SimulatedNode<State>, to: NodeId, message: ProtocolMessage): Stamp {
    const flight: Writable<Flight> = {
      number: this.#flights.length + 1,
      from: from.id,
      to,
      message,
      sentBy: this.#lastStepOf.get(from.id) ?? 0,
      sentMs: this.#simulation.nowMs,
      reachesMs: null,
      end: underway,
    };
    this.#flights.push(flight);
    if (!this.#moments.has(to)) this.#lose(flight, 'there is no such node');
    return { traced: super.sending(from, to, message), flight };
  }

  underway(stamp: unknown, arrivesMs: number): void {
    const { flight } = stamp as Stamp;
    flight.reachesMs ??= arrivesMs;
  }

  changed(node: SimulatedNode<State>): void {
    this.#followTenure(node);
    // A lease that runs out does so between two events: what the node is then, the next one shows.
    if (this.events.at(-1)?.atMs === this.#simulation.nowMs) this.#keep(node);
  }

  override happened(event: WorldEvent, stamp?: unknown): void {
    this.#settle();
    super.happened(event);
    switch (event.type) {
      case 'fault':
        this.#begin(event.fault);
        break;
      case 'healed':
        this.#heal(event.fault);
        break;
      case 'lost':
        this.#loseOne((stamp as Stamp).flight, event.dropped);
        break;
      case 'crashed':
        for (const flight of this.#flights) {
          if (flight.to === event.node && isUnderway(flight)) this.#lose(flight, 'the receiver crashed');
        }
        this.#endPause(event.node);
        break;
      case 'paused':
        this.#pauses.push({
          node: event.node,
          fromMs: this.#simulation.nowMs,
          untilMs: Number.POSITIVE_INFINITY,
        });
        break;
      case 'resumed':
        this.#endPause(event.node);
        break;
    }
  }

  // ---- Faults ---------------------------------------------------------------------------------------------

  #begin(fault: FaultKind): void {
    const nodes = targetsOf(fault).flatMap((target) => this.#simulation.resolve(target)?.id ?? []);
    const sequence = this.events.length - 1;
    this.#faults.push({ fault, sequence, atMs: this.#simulation.nowMs, healedMs: null, nodes });
    this.#isUnsettled = true;
  }

  #heal(fault: FaultKind): void {
    const recorded = this.#faults.find((known) => known.fault === fault && known.healedMs === null);
    if (recorded !== undefined) recorded.healedMs = this.#simulation.nowMs;
    this.#isUnsettled = true;
  }

  /** Clocks and links change with no other sign than the fault that changes them. */
  #settle(): void {
    if (!this.#isUnsettled) return;
    this.#isUnsettled = false;
    const sequence = this.events.length - 1;
    for (const node of this.#everyone) this.#keep(node);
    const links = this.#everyone.flatMap(({ id: from }) =>
      this.#everyone.flatMap(({ id: to }) =>
        from !== to && this.#simulation.isCut(from, to) ? [[from, to] as const] : [],
      ),
    );
    if (links.length > 0 || this.#cuts.length > 0) this.#cuts.push({ sequence, links });
  }

  #endPause(node: NodeId): void {
    const pause = this.#pauses.findLast((known) => known.node === node);
    if (pause !== undefined) pause.untilMs = Math.min(pause.untilMs, this.#simulation.nowMs);
  }

  // ---- Flights --------------------------------------------------------------------------------------------

  #arrive(flight: Writable<Flight>, sequence: number): void {
    const atMs = this.#simulation.nowMs;
    const end: FlightEnd = { type: 'arrived', sequence, atMs };
    if (isUnderway(flight)) flight.end = end;
    // The network delivered it twice: the copy is a flight of its own.
    else this.#flights.push({ ...flight, number: this.#flights.length + 1, reachesMs: atMs, end });
  }

  /** Of a message that arrived once, a copy may still be lost. */
  #loseOne(flight: Writable<Flight>, dropped = false): void {
    if (isUnderway(flight)) this.#lose(flight, dropped ? 'it was dropped by hand' : this.#reasonFor(flight));
  }

  #reasonFor({ from, to, reachesMs }: Flight): LossReason {
    if (this.#simulation.isCut(from, to)) return 'the link is cut';
    if (reachesMs !== null) return 'its sender is an earlier process';
    if (this.#simulation.node(to).status === 'crashed') return 'the receiver is down';
    const { lossProbability } = this.#schedule.network;
    const isLossy = lossProbability > 0 || this.#faults.some(isLoss);
    return isLossy ? 'the network lost it' : 'it was meant for an earlier process';
  }

  #lose(flight: Writable<Flight>, why: LossReason): void {
    flight.end = { type: 'lost', why, atMs: this.#simulation.nowMs };
  }

  // ---- Nodes ----------------------------------------------------------------------------------------------

  #followTenure(node: SimulatedNode<State>): void {
    const { id, incarnation, leadership } = node;
    const tenure = this.#leading.get(id);
    if (tenure !== undefined && leadership?.token !== tenure.token) {
      this.#endTenure(id, tenure);
    }
    if (leadership === null || this.#leading.has(id)) return;
    const beganBy = this.#lastStepOf.get(id) ?? 0;
    const begun: Writable<RecordedTenure> = {
      node: id,
      incarnation,
      token: leadership.token,
      beganBy,
      beganMs: this.#simulation.nowMs,
      endedBy: null,
      endedMs: null,
    };
    this.#tenures.push(begun);
    this.#leading.set(id, begun);
  }

  #endTenure(id: NodeId, tenure: Writable<RecordedTenure>): void {
    this.#leading.delete(id);
    const lapsedMs = this.#lapseOf(id);
    const { nowMs } = this.#simulation;
    tenure.endedMs = Math.min(nowMs, lapsedMs);
    // A lease ends by the clock, before the step that is told of it.
    tenure.endedBy = lapsedMs <= nowMs + 1e-6 ? null : this.#sequence;
  }

  /** A paused node's lease runs out although nobody is there to notice. */
  #endLapsed(id: NodeId, tenure: Writable<RecordedTenure>, endMs: number): void {
    const lapsedMs = this.#lapseOf(id);
    if (lapsedMs <= endMs) tenure.endedMs = lapsedMs;
  }

  #lapseOf(id: NodeId): number {
    return this.#moments.get(id)!.at(-1)!.leadership?.untilMs ?? Number.POSITIVE_INFINITY;
  }

  #keep(node: SimulatedNode<State>): void {
    const moments = this.#moments.get(node.id)!;
    const moment = this.#look(node, this.#sequence, moments.at(-1));
    if (moments.at(-1)?.sequence === moment.sequence) moments[moments.length - 1] = moment;
    else moments.push(moment);
  }

  #look(node: SimulatedNode<State>, sequence: number, last?: Moment<State>): Moment<State> {
    const { state, status, incarnation, belief } = node;
    return {
      sequence,
      state,
      status,
      incarnation,
      belief,
      leadership: this.#holdingOf(node, last),
      timers: this.#timersOf(node, last),
      clock: clockOf(node, last),
    };
  }

  #holdingOf(node: SimulatedNode<State>, last?: Moment<State>): Moment<State>['leadership'] {
    const { leadership } = node;
    if (leadership === null) return null;
    const { nowMs } = this.#simulation;
    const { token, deadlineMs } = leadership;
    const untilMs = nowMs + (deadlineMs - node.localMs(nowMs)) / node.clockRate;
    const before = last?.leadership;
    // A lease that was not extended ends when it did before, but for what rounding makes of it.
    if (before?.token === token && Math.abs(before.untilMs - untilMs) < 1e-6) return before;
    return { token, renewedMs: nowMs, untilMs };
  }

  #timersOf(node: SimulatedNode<State>, last?: Moment<State>): Moment<State>['timers'] {
    const before = last?.timers ?? [];
    const timers: Moment<State>['timers'][number][] = [];
    for (const { name, armed, dueMs } of node.timers.values()) {
      if (!armed) continue;
      const known = before.find((timer) => timer.name === name && timer.dueMs === dueMs);
      timers.push(known ?? { name, setMs: this.#simulation.nowMs, dueMs });
    }
    const isSame = timers.length === before.length && timers.every((timer, index) => timer === before[index]);
    return isSame ? before : timers;
  }
}

/** Moments share what has not changed: a recording keeps all of it, and to keep is what takes the time. */
function clockOf<State>(node: SimulatedNode<State>, last?: Moment<State>): Moment<State>['clock'] {
  const { clockRate: rate, clockBaseMs: baseMs, clockSinceMs: sinceMs } = node;
  const before = last?.clock;
  const isSame = before?.rate === rate && before.baseMs === baseMs && before.sinceMs === sinceMs;
  return isSame ? before : { rate, baseMs, sinceMs };
}

const isLoss = ({ fault, healedMs }: RecordedFault): boolean => fault.type === 'loss' && healedMs === null;

function targetsOf(fault: FaultKind): readonly Target[] {
  if (fault.type === 'split') return fault.side;
  if ('peer' in fault) return [fault.node, fault.peer];
  return 'node' in fault ? [fault.node] : [];
}
