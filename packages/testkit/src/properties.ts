/**
 * What is true of every protocol, whatever it hears: a set of properties that a package asks of its own in a dozen
 * lines.
 *
 * ```ts
 * const walk = randomWalk({ protocols: [bully()], id: 'n2', peers: ['n1', 'n3'], input });
 * describeProtocol({ name: 'a bully node', invariants, timers, walk });
 * describeDecoders(bully(), message);
 * ```
 *
 * @packageDocumentation
 */

import type { NodeId } from '@hustings/elector';
import {
  type Effect,
  enter,
  type Input,
  type Invariants,
  type MachineTypes,
  MalformedError,
  type Office,
  type OfficeEvent,
  type Protocol,
  type RoleEffect,
  vacantOffice,
} from '@hustings/elector/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** One step of a node, as its driver sees it. */
export interface Step<Types extends MachineTypes> {
  readonly protocol: Protocol<Types>;
  readonly before: Types['state'];
  readonly input: Input<Types>;
  readonly nowMs: number;
  readonly after: Types['state'];
  readonly effects: readonly Effect<Types>[];
  /** What the driver makes of it; nothing where another watches over that. */
  readonly events: readonly OfficeEvent[];
  /** The timers that are set after it; null where nobody counts them. */
  readonly armed: ReadonlySet<Types['timer']> | null;
}

/** Has a node, or many, take steps, and shows each. */
export type Walk<Types extends MachineTypes> = (show: (step: Step<Types>) => void) => void;

/** An input, or one that depends on what the node waits for. */
export type NextInput<Types extends MachineTypes> = Input<Types> | ((state: Types['state']) => Input<Types>);

export interface RandomWalk<Types extends MachineTypes> {
  /** One is drawn for each walk. */
  readonly protocols: readonly Protocol<Types>[];
  readonly id: NodeId;
  readonly peers: readonly NodeId[];
  readonly input: fc.Arbitrary<NextInput<Types>>;
  readonly maxSteps?: number;
  readonly walks?: number;
}

/** Gives a node anything at all, but only as a driver would: no timer that is not set, nothing nobody asked for. */
export function randomWalk<Types extends MachineTypes>(options: RandomWalk<Types>): Walk<Types> {
  const { protocols, id, peers, input, maxSteps = 40, walks = 100 } = options;
  const script = fc.array(fc.tuple(input, fc.nat({ max: 500 })), { maxLength: maxSteps });
  return (show) => {
    const walk = fc.property(fc.constantFrom(...protocols), script, (protocol, inputs) => {
      const driver = new Driver(protocol, id, peers, show);
      for (const [next, passedMs] of inputs) driver.take(next, passedMs);
    });
    fc.assert(walk, { numRuns: walks });
  };
}

/** A driver without a world. */
class Driver<Types extends MachineTypes> {
  readonly #protocol: Protocol<Types>;
  readonly #show: (step: Step<Types>) => void;
  readonly #armed = new Set<Types['timer']>();
  #state: Types['state'];
  #office: Office;
  // A clock may begin anywhere.
  #nowMs = 7000;

  constructor(
    protocol: Protocol<Types>,
    id: NodeId,
    peers: readonly NodeId[],
    show: (step: Step<Types>) => void,
  ) {
    this.#protocol = protocol;
    this.#show = show;
    this.#state = protocol.initialState(id, peers, `${id}.0`);
    this.#office = vacantOffice(id);
    this.#step({ type: 'started' });
  }

  take(next: NextInput<Types>, passedMs: number): void {
    this.#nowMs += passedMs;
    this.#enter({ type: 'look-at-clock' });
    const input = typeof next === 'function' ? next(this.#state) : next;
    if (input.type === 'campaign-requested') this.#enter({ type: 'campaign' });
    else if (input.type === 'resign-requested') this.#enter({ type: 'resign', reason: 'resigned' });
    else if (this.#mayHappen(input)) this.#step(input);
  }

  #mayHappen(input: Input<Types>): boolean {
    if (input.type === 'timer-fired') return this.#armed.delete(input.timer);
    return input.type !== 'lease-expired';
  }

  #step(input: Input<Types>): void {
    const before = this.#state;
    const [after, effects] = this.#protocol.step(before, input, this.#nowMs);
    this.#state = after;
    const events = effects.flatMap((effect) => this.#carryOut(effect, input.type));
    const [protocol, nowMs, armed] = [this.#protocol, this.#nowMs, new Set(this.#armed)];
    this.#show({ protocol, before, input, nowMs, after, effects, events, armed });
    for (const event of events) this.#hand(event);
  }

  #carryOut(effect: Effect<Types>, answers: Input<Types>['type']): readonly OfficeEvent[] {
    if (effect.type === 'set-timer') this.#armed.add(effect.timer);
    if (effect.type === 'cancel-timer') this.#armed.delete(effect.timer);
    if (!isRole(effect)) return [];
    const entry = { type: 'effect', effect, steppedMs: this.#nowMs, answers } as const;
    const [office, events] = enter(this.#office, entry, this.#nowMs);
    this.#office = office;
    return events;
  }

  #enter(entry: Parameters<typeof enter>[1]): void {
    const [office, events] = enter(this.#office, entry, this.#nowMs);
    this.#office = office;
    for (const event of events) this.#hand(event);
  }

  #hand(event: OfficeEvent): void {
    if (event.type === 'stand') this.#step({ type: 'campaign-requested' });
    if (event.type === 'resign') this.#step({ type: 'resign-requested' });
    if (event.type === 'expired') this.#step({ type: 'lease-expired' });
  }
}

const isRole = <Types extends MachineTypes>(effect: Effect<Types>): effect is RoleEffect =>
  ['campaign', 'lead', 'follow', 'step-down'].includes(effect.type);

export interface ProtocolProperties<Types extends MachineTypes> {
  /** As in 'whatever a bully node hears'. */
  readonly name: string;
  readonly invariants: Invariants<Types['state']>;
  /** All that there are. */
  readonly timers: readonly Types['timer'][];
  readonly walk: Walk<Types>;
}

interface Property {
  readonly name: string;
  run(subject: ProtocolProperties<MachineTypes>): void;
}

/** What is true of every protocol, each as a function, so that it can be shown to catch what it should. */
export const protocolProperties: readonly Property[] = [
  {
    name: 'its invariants hold after every step',
    run: ({ invariants, walk }) =>
      walk(({ before, after }) => expect(findingsOf(invariants, before, after)).toEqual([])),
  },
  {
    name: 'it changes neither its state nor its input, and does the same on copies of them',
    run: ({ walk }) =>
      walk(({ protocol, before, input, nowMs, after, effects }) => {
        freezeDeeply([after, effects]);
        const [state, given] = structuredClone([before, input] as const);
        expect(protocol.step(state, given, nowMs)).toEqual([after, effects]);
      }),
  },
  {
    name: 'its state survives JSON',
    run: ({ walk }) => walk(({ after }) => expect(throughJson(after)).toEqual(after)),
  },
  {
    name: 'it sends and saves what its own decoders take',
    run: ({ walk }) =>
      walk(({ protocol, effects }) => {
        for (const effect of effects) expectDecodable(protocol, effect);
      }),
  },
  {
    name: 'it asks of its driver only what a driver does',
    run: ({ timers, walk }) =>
      walk(({ effects }) => expect(effects.filter((effect) => !isKnown(effect, timers))).toEqual([])),
  },
  {
    name: 'it keeps its contract with the office',
    run: ({ walk }) =>
      walk(({ events }) => expect(events.filter(({ type }) => type === 'violated')).toEqual([])),
  },
];

/** Registers what is true of every protocol. */
export function describeProtocol<Types extends MachineTypes>(subject: ProtocolProperties<Types>): void {
  describe(`whatever ${subject.name} hears`, () => {
    for (const { name, run } of protocolProperties) {
      it(name, () => run(subject as unknown as ProtocolProperties<MachineTypes>));
    }
  });
}

function findingsOf<State>(
  { ofOneState = {}, ofTwoStates = {} }: Invariants<State>,
  before: State,
  after: State,
): unknown[] {
  return [
    ...Object.entries(ofOneState).map(([name, check]) => [name, check(after)]),
    ...Object.entries(ofTwoStates).map(([name, check]) => [name, check(before, after)]),
  ].filter(([, finding]) => finding !== null);
}

function expectDecodable<Types extends MachineTypes>(protocol: Protocol<Types>, effect: Effect<Types>): void {
  if (effect.type === 'send') {
    expect(protocol.decodeMessage(throughJson(effect.message))).toEqual(effect.message);
  }
  if (effect.type === 'save') {
    expect(protocol.decodeDurable(throughJson(effect.durable))).toEqual(effect.durable);
  }
}

const otherEffects = ['send', 'save', 'announce', 'campaign', 'lead', 'follow', 'step-down'];

function isKnown<Types extends MachineTypes>(
  effect: Effect<Types>,
  timers: readonly Types['timer'][],
): boolean {
  if (effect.type === 'cancel-timer') return timers.includes(effect.timer);
  if (effect.type !== 'set-timer') return otherEffects.includes(effect.type);
  const [minMs, maxMs] = effect.delayMs;
  return timers.includes(effect.timer) && minMs >= 0 && minMs <= maxMs && Number.isFinite(maxMs);
}

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function freezeDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freezeDeeply(part);
}

/** Registers what is true of the decoders of every protocol. */
export function describeDecoders<Types extends MachineTypes>(
  { decodeMessage, decodeDurable }: Protocol<Types>,
  message: fc.Arbitrary<Types['message']>,
): void {
  describe('the decoders', () => {
    it('give back what was encoded', () => {
      const property = fc.property(message, (original) => {
        expect(decodeMessage(throughJson(original))).toEqual(original);
      });
      fc.assert(property);
    });

    it('refuse everything else with MalformedError', () => {
      const property = fc.property(fc.anything(), (value) => {
        for (const decode of [decodeMessage, decodeDurable]) expectDecodedOrMalformed(() => decode(value));
      });
      fc.assert(property);
    });

    it('refuse a message with a field that is spoilt with MalformedError', () => {
      const property = fc.property(message, fc.nat(), fc.anything(), (original, place, value) => {
        const fields = Object.keys(original);
        const field = fields[place % fields.length] ?? 'type';
        expectDecodedOrMalformed(() => decodeMessage({ ...original, [field]: value }));
      });
      fc.assert(property);
    });
  });
}

function expectDecodedOrMalformed(decode: () => unknown): void {
  try {
    decode();
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedError);
  }
}
