import type { NodeId } from '@hustings/elector';
import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { SimulatedNode } from './node.js';
import type { AnyEffect, AnyInput, Observer, WorldEvent } from './simulation.js';

/** How many events of each node an event knows of. Nodes it knows nothing of are left out. */
export type VectorClock = Readonly<Record<NodeId, number>>;

export type TraceEvent =
  | {
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
  | ({ readonly sequence: number; readonly atMs: number; readonly clock?: VectorClock } & WorldEvent);

/** Records every event of a run with its vector clock. Give it to a Simulation as an observer. */
export class TraceRecorder<State> implements Observer<State> {
  readonly events: TraceEvent[] = [];
  readonly #clocks = new Map<NodeId, Record<NodeId, number>>();
  #nowMs: () => number = () => 0;
  #current = 0;

  /** Tells the recorder whose time to write down. */
  attach(simulation: { readonly nowMs: number }): void {
    this.#nowMs = () => simulation.nowMs;
  }

  stepping(node: SimulatedNode<State>, input: AnyInput, stamp: unknown): void {
    const clock = this.#tick(node.id);
    for (const [id, count] of Object.entries((stamp ?? {}) as VectorClock)) {
      if (id !== node.id) clock[id] = Math.max(clock[id] ?? 0, count);
    }
    // Written down before its effects, so that what is lost on the way comes after the step that sent it.
    this.#current = this.events.length;
    this.events.push({
      sequence: this.#current,
      atMs: this.#nowMs(),
      type: 'step',
      node: node.id,
      input,
      effects: [],
      changed: false,
      clock: { ...clock },
    });
  }

  sending(from: SimulatedNode<State>, _to: NodeId, _message: ProtocolMessage): VectorClock {
    return { ...this.#clocks.get(from.id) };
  }

  stepped(node: SimulatedNode<State>, _input: AnyInput, before: State, effects: readonly AnyEffect[]): void {
    const event = this.events[this.#current]!;
    this.events[this.#current] = { ...event, effects, changed: node.state !== before } as TraceEvent;
  }

  happened(event: WorldEvent): void {
    const position = { sequence: this.events.length, atMs: this.#nowMs() };
    if (event.type === 'crashed' || event.type === 'paused' || event.type === 'resumed') {
      this.events.push({ ...position, ...event, clock: { ...this.#tick(event.node) } });
    } else {
      this.events.push({ ...position, ...event });
    }
  }

  #tick(id: NodeId): Record<NodeId, number> {
    let clock = this.#clocks.get(id);
    if (clock === undefined) {
      clock = {};
      this.#clocks.set(id, clock);
    }
    clock[id] = (clock[id] ?? 0) + 1;
    return clock;
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
