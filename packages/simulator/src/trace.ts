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

type Mutable<Item> = { -readonly [Field in keyof Item]: Item[Field] };

export type TraceEvent =
  | StepEvent
  | ({ readonly sequence: number; readonly atMs: number; readonly clock?: VectorClock } & WorldEvent);

/** Records every event of a run with its vector clock. Give it to a Simulation as an observer. */
export class TraceRecorder<State> implements Observer<State> {
  readonly events: TraceEvent[] = [];
  /** What each node knows. A clock is never changed, so that events and messages share it. */
  readonly #clocks = new Map<NodeId, VectorClock>();
  #nowMs: () => number = () => 0;
  #current: Mutable<StepEvent> | null = null;

  /** Tells the recorder whose time to write down. */
  attach(simulation: { readonly nowMs: number }): void {
    this.#nowMs = () => simulation.nowMs;
  }

  stepping(node: SimulatedNode<State>, input: AnyInput, stamp: unknown): void {
    // Written down before its effects, so that what is lost on the way comes after the step that sent it.
    this.#current = {
      sequence: this.events.length,
      atMs: this.#nowMs(),
      type: 'step',
      node: node.id,
      input,
      effects: [],
      changed: false,
      clock: this.#tick(node.id, stamp as VectorClock | undefined),
    };
    this.events.push(this.#current);
  }

  sending(from: SimulatedNode<State>, _to: NodeId, _message: ProtocolMessage): VectorClock {
    return this.#clocks.get(from.id) ?? {};
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
      this.events.push({ sequence, atMs, ...event, clock: this.#tick(event.node) });
    } else {
      this.events.push({ sequence, atMs, ...event });
    }
  }

  #tick(id: NodeId, learned?: VectorClock): VectorClock {
    // One copy, and then only what is news: to put a clock together name by name takes longer than most steps.
    const clock: Record<NodeId, number> = { ...(this.#clocks.get(id) ?? { [id]: 0 }) };
    clock[id]! += 1;
    if (learned !== undefined) learnFrom(clock, learned);
    this.#clocks.set(id, clock);
    return clock;
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
