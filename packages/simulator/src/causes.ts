/** Why an event happened, as far as the trace knows: by a message, by a timer, or by what was done to a node. */

import type { NodeId } from '@hustings/elector';
import type { Flight, RecordedFault, Recording } from './recording.js';
import type { TraceEvent } from './trace.js';

export type Step = Extract<TraceEvent, { type: 'step' }>;

/** A chain that is longer has stopped to explain anything. */
const mostLinks = 16;

export class Causes {
  readonly #recording: Recording;
  readonly #flightInto = new Map<number, Flight>();
  /** What happened to each node, in order. */
  readonly #ofNode = new Map<NodeId, TraceEvent[]>();

  constructor(recording: Recording) {
    this.#recording = recording;
    for (const flight of recording.facts.flights) {
      if (flight.end.type === 'arrived') this.#flightInto.set(flight.end.sequence, flight);
    }
    for (const event of recording.facts.events) {
      if (!('node' in event)) continue;
      const known = this.#ofNode.get(event.node);
      if (known === undefined) this.#ofNode.set(event.node, [event]);
      else known.push(event);
    }
  }

  event(sequence: number): TraceEvent {
    return this.#recording.facts.events[sequence]!;
  }

  flightInto(sequence: number): Flight | null {
    return this.#flightInto.get(sequence) ?? null;
  }

  /** From the first cause to the event itself, each step caused by the one before it. */
  chainTo(sequence: number): Step[] {
    const chain: Step[] = [];
    let next: TraceEvent | null = this.event(sequence);
    while (next?.type === 'step' && chain.length < mostLinks) {
      chain.unshift(next);
      next = next.input.type === 'received' ? this.#sender(next) : null;
    }
    return chain;
  }

  #sender({ sequence }: Step): TraceEvent | null {
    const flight = this.#flightInto.get(sequence);
    return flight === undefined ? null : this.event(flight.sentBy);
  }

  /** All that an event follows from: what came to it by messages, or before on the same node. */
  pastOf(sequence: number): Set<number> {
    const past = new Set<number>();
    const waiting = [sequence];
    for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
      if (past.has(current)) continue;
      past.add(current);
      const event = this.event(current);
      if (!('node' in event)) continue;
      const before = this.before(event.node, current);
      if (before !== null) waiting.push(before.sequence);
      const flight = this.#flightInto.get(current);
      if (flight !== undefined) waiting.push(flight.sentBy);
    }
    return past;
  }

  /** The last event of this node before another, of those that match. */
  before(
    node: NodeId,
    sequence: number,
    matches: (event: TraceEvent) => boolean = () => true,
  ): TraceEvent | null {
    const events = this.#ofNode.get(node) ?? [];
    return events.findLast((event) => event.sequence < sequence && matches(event)) ?? null;
  }

  between(node: NodeId, from: number, until: number): Step[] {
    const events = this.#ofNode.get(node) ?? [];
    return events.filter(
      (event): event is Step => event.type === 'step' && event.sequence > from && event.sequence < until,
    );
  }

  /** The step that set the timer which fires in this one. */
  setterOf({ node, sequence, input }: Step): Step | null {
    if (input.type !== 'timer-fired') return null;
    const { timer } = input;
    const sets = (event: TraceEvent): boolean =>
      event.type === 'step' &&
      event.effects.some((effect) => effect.type === 'set-timer' && effect.timer === timer);
    return this.before(node, sequence, sets) as Step | null;
  }

  /** The fault of one of these kinds that this node suffers at this time. */
  faultOn(node: NodeId, atMs: number, ...types: readonly string[]): RecordedFault | null {
    const { faults } = this.#recording.facts;
    return (
      faults.findLast(
        ({ fault, nodes, atMs: fromMs, healedMs }) =>
          types.includes(fault.type) &&
          (nodes.length === 0 || nodes.includes(node)) &&
          fromMs <= atMs &&
          (healedMs ?? Number.POSITIVE_INFINITY) >= atMs,
      ) ?? null
    );
  }

  /** The fault that cuts what one node sends to another. */
  cutBetween(from: NodeId, to: NodeId, atMs: number): RecordedFault | null {
    const sequence = this.#recording.sequenceAt(atMs);
    const isCut = this.#recording.cutsAt(sequence).some(([a, b]) => a === from && b === to);
    if (!isCut) return null;
    const cutting = ['isolate', 'split', 'one-way', 'cut', 'isolate-from-coordinator'];
    return this.faultOn(from, atMs, ...cutting) ?? this.faultOn(to, atMs, ...cutting);
  }
}
