import type { NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { SimulatedNode } from './node.js';
import type { AnyEffect, AnyInput, Observer, WorldEvent } from './simulation.js';

/** How many events of each node an event knows of. Nodes it knows nothing of are left out. */
export type VectorClock = Readonly<Record<NodeId, number>>;

interface StepEvent {
  readonly sequence: number;
  readonly atMs: number;
  readonly type: 'step';
  readonly node: NodeId;
  readonly input: AnyInput;
  readonly effects: readonly AnyEffect[];
  /** Whether the node's state is another than before. */
  readonly changed: boolean;
  readonly clock: VectorClock;
}

export type TraceEvent =
  | StepEvent
  | ({ readonly sequence: number; readonly atMs: number; readonly clock?: VectorClock } & WorldEvent);

/**
 * The vector clocks of a trace, put together when somebody asks for one. A run has many more events than are ever
 * compared, and while it goes on it is enough to know which event each message came from.
 */
class VectorClocks {
  readonly #events: readonly TraceEvent[];
  /** By the event that received a message: the last one that its sender had seen. */
  readonly #learnedFrom: number[] = [];
  readonly #ofEvents: VectorClock[] = [];
  readonly #ofNodes = new Map<NodeId, VectorClock>();

  constructor(events: readonly TraceEvent[]) {
    this.#events = events;
  }

  learn(sequence: number, from: number): void {
    this.#learnedFrom[sequence] = from;
  }

  at(sequence: number): VectorClock {
    while (this.#ofEvents.length <= sequence) this.#ofEvents.push(this.#next());
    return this.#ofEvents[sequence]!;
  }

  #next(): VectorClock {
    const event = this.#events[this.#ofEvents.length]!;
    return 'node' in event ? this.#tick(event.node, this.#learnedFrom[event.sequence]) : {};
  }

  #tick(id: NodeId, learnedFrom: number | undefined): VectorClock {
    // One copy, and then only what is news: to put a clock together name by name takes longer than most steps.
    const clock: Record<NodeId, number> = { ...(this.#ofNodes.get(id) ?? { [id]: 0 }) };
    clock[id]! += 1;
    if (learnedFrom !== undefined) learnFrom(clock, this.#ofEvents[learnedFrom]!);
    this.#ofNodes.set(id, clock);
    return clock;
  }
}

/** Its clock is read like any other field and written to JSON with them, but is not in a copy that is spread. */
class TracedStep implements StepEvent {
  readonly sequence: number;
  readonly atMs: number;
  readonly type = 'step';
  readonly node: NodeId;
  readonly input: AnyInput;
  effects: readonly AnyEffect[] = [];
  changed = false;
  readonly #clocks: VectorClocks;

  constructor(sequence: number, atMs: number, node: NodeId, input: AnyInput, clocks: VectorClocks) {
    this.sequence = sequence;
    this.atMs = atMs;
    this.node = node;
    this.input = input;
    this.#clocks = clocks;
  }

  get clock(): VectorClock {
    return this.#clocks.at(this.sequence);
  }

  toJSON(): StepEvent {
    return { ...this, clock: this.clock };
  }
}

/** Records every event of a run with its vector clock. Give it to a Simulation as an observer. */
export class TraceRecorder<State> implements Observer<State> {
  readonly events: TraceEvent[] = [];
  readonly #clocks = new VectorClocks(this.events);
  /** The last event of each node. */
  readonly #lastOf = new Map<NodeId, number>();
  #nowMs: () => number = () => 0;
  #current: TracedStep | null = null;

  /** Tells the recorder whose time to write down. */
  attach(simulation: { readonly nowMs: number }): void {
    this.#nowMs = () => simulation.nowMs;
  }

  stepping(node: SimulatedNode<State>, input: AnyInput, stamp: unknown): void {
    const sequence = this.events.length;
    // Written down before its effects, so that what is lost on the way comes after the step that sent it.
    this.#current = new TracedStep(sequence, this.#nowMs(), node.id, input, this.#clocks);
    this.events.push(this.#current);
    this.#lastOf.set(node.id, sequence);
    if (stamp !== undefined) this.#clocks.learn(sequence, stamp as number);
  }

  /** Returns the last event that the sender has seen. */
  sending(from: SimulatedNode<State>, _to: NodeId, _message: ProtocolMessage): unknown {
    return this.#lastOf.get(from.id);
  }

  stepped(node: SimulatedNode<State>, _input: AnyInput, before: State, effects: readonly AnyEffect[]): void {
    if (this.#current === null) return;
    this.#current.effects = effects;
    this.#current.changed = node.state !== before;
  }

  happened(event: WorldEvent): void {
    const sequence = this.events.length;
    const atMs = this.#nowMs();
    if (event.type === 'crashed' || event.type === 'paused' || event.type === 'resumed') {
      const clocks = this.#clocks;
      this.events.push({
        ...{ sequence, atMs, ...event },
        get clock() {
          return clocks.at(sequence);
        },
      });
      this.#lastOf.set(event.node, sequence);
    } else {
      this.events.push({ sequence, atMs, ...event });
    }
  }
}

/** Nobody knows more of a node than the node itself, so what is learned never sets it back. */
function learnFrom(clock: Record<NodeId, number>, learned: VectorClock): void {
  for (const peer in learned) {
    const count = learned[peer]!;
    if (!(clock[peer]! >= count)) clock[peer] = count;
  }
}

/** Whether `a` happened before `b`: whatever `a` knows, `b` knows too. */
export function happenedBefore(a: VectorClock, b: VectorClock): boolean {
  const ids = Object.keys(a);
  return ids.every((id) => a[id]! <= (b[id] ?? 0)) && Object.keys(b).some((id) => (a[id] ?? 0) < b[id]!);
}

/** One event a line, as JSON. Tokens are written as strings, since JSON has no big integers. */
export function formatTrace(events: readonly TraceEvent[]): string {
  return events.map((event) => `${JSON.stringify(event, writeBigInt)}\n`).join('');
}

function writeBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
