/**
 * A whole process with several elections over one session, as one protocol, so that the simulator can do to it what it
 * does to any other: what crashes, stalls or is cut off is then all of them at once. Its node speaks for one of the
 * elections; the others stand all the time, and lead when they can.
 */

import type { NodeId } from '../elector.js';
import type { Finding, Invariants } from '../protocol/invariants.js';
import type { Effect, Input, MachineTypes, Protocol, Transition } from '../protocol/protocol.js';
import { setTimer } from '../protocol/transition.js';
import type { SessionEffect, SessionInput, SessionStep } from './session.js';

export interface ProcessState<Election, Shared> {
  readonly shared: Shared;
  readonly elections: Readonly<Record<string, Election>>;
  /** The election that this node speaks for. */
  readonly spokenFor: string;
}

export interface ProcessTypes<Types extends MachineTypes, Shared> extends MachineTypes {
  readonly state: ProcessState<Types['state'], Shared>;
  readonly message: Types['message'];
  readonly durable: Types['durable'];
  readonly timer: string;
  readonly request: Types['request'];
  readonly announcement: Types['announcement'];
}

export interface ProcessParts<Types extends MachineTypes, Shared, Timer extends string> {
  /** Of one election. */
  readonly protocol: Protocol<Types>;
  readonly elections: readonly string[];
  readonly spokenFor: string;
  readonly coordinator: NodeId;
  readonly stateOf: (id: NodeId, election: string) => Types['state'];
  readonly shared: Shared;
  readonly stepShared: SessionStep<Shared, Types['message'], Types['message'], Timer>;
}

export function sessionProcess<Types extends MachineTypes, Shared, Timer extends string>(
  parts: ProcessParts<Types, Shared, Timer>,
): Protocol<ProcessTypes<Types, Shared>> {
  const { protocol, elections, spokenFor, shared, stateOf } = parts;
  return {
    ...protocol,
    variant: 'session',
    initialState: (id) => ({
      shared,
      elections: Object.fromEntries(elections.map((election) => [election, stateOf(id, election)])),
      spokenFor,
    }),
    step: (state, input, nowMs) => new Turn(parts, state, nowMs).take(input),
  };
}

/** What somebody in the process is about to hear. */
type Work<Types extends MachineTypes, Timer extends string> =
  | { readonly to: 'shared'; readonly input: SessionInput<Types['message'], Types['message'], Timer> }
  | { readonly to: 'election'; readonly election: string; readonly input: Input<Types> };

/** One step of the process: what is said within it is heard within it. */
class Turn<Types extends MachineTypes, Shared, Timer extends string> {
  readonly #parts: ProcessParts<Types, Shared, Timer>;
  readonly #nowMs: number;
  readonly #work: Work<Types, Timer>[] = [];
  readonly #effects: Effect<ProcessTypes<Types, Shared>>[] = [];
  readonly #spokenFor: string;
  #shared: Shared;
  #elections: Readonly<Record<string, Types['state']>>;

  constructor(
    parts: ProcessParts<Types, Shared, Timer>,
    { shared, elections, spokenFor }: ProcessState<Types['state'], Shared>,
    nowMs: number,
  ) {
    this.#parts = parts;
    this.#nowMs = nowMs;
    this.#shared = shared;
    this.#elections = elections;
    this.#spokenFor = spokenFor;
  }

  take(input: Input<ProcessTypes<Types, Shared>>): Transition<ProcessTypes<Types, Shared>> {
    this.#distribute(input);
    for (let next = this.#work.shift(); next !== undefined; next = this.#work.shift()) {
      if (next.to === 'shared') this.#stepShared(next.input);
      else this.#stepElection(next.election, next.input);
    }
    return [{ shared: this.#shared, elections: this.#elections, spokenFor: this.#spokenFor }, this.#effects];
  }

  #toShared(input: SessionInput<Types['message'], Types['message'], Timer>): void {
    this.#work.push({ to: 'shared', input });
  }

  #toElection(election: string, input: Input<Types>): void {
    this.#work.push({ to: 'election', election, input });
  }

  #toAll(input: Input<Types>): void {
    for (const election of Object.keys(this.#elections)) this.#toElection(election, input);
  }

  #distribute(input: Input<ProcessTypes<Types, Shared>>): void {
    const { coordinator } = this.#parts;
    switch (input.type) {
      case 'started':
      case 'restarted':
        this.#toShared({ type: 'started' });
        for (const election of Object.keys(this.#elections)) this.#open(election);
        break;
      case 'received':
        if (input.from === coordinator) this.#toShared({ type: 'answered', reply: input.message });
        break;
      case 'link-up':
      case 'link-down':
        if (input.peer !== coordinator) break;
        this.#toShared({ type: input.type });
        this.#toAll(input);
        break;
      case 'timer-fired':
        this.#onTimer(input.timer);
        break;
      case 'health-changed':
        this.#toAll(input);
        break;
      default:
        this.#toElection(this.#spokenFor, input);
    }
  }

  #open(election: string): void {
    this.#toShared({ type: 'opened', election });
    this.#toElection(election, { type: 'started' });
    if (election !== this.#spokenFor) this.#toElection(election, { type: 'campaign-requested' });
  }

  #onTimer(timer: string): void {
    const end = timer.indexOf(' ');
    const [name, election] = [timer.slice(0, end), timer.slice(end + 1)];
    if (end === -1) this.#toShared({ type: 'timer-fired', timer: timer as Timer });
    else if (name === 'expiry') this.#toElection(election, { type: 'lease-expired' });
    else this.#toElection(election, { type: 'timer-fired', timer: name });
  }

  #stepShared(input: SessionInput<Types['message'], Types['message'], Timer>): void {
    const [shared, effects] = this.#parts.stepShared(this.#shared, input, this.#nowMs);
    this.#shared = shared;
    for (const effect of effects) this.#carryOutShared(effect);
  }

  #carryOutShared(effect: SessionEffect<Types['message'], Types['message'], Timer>): void {
    const { coordinator } = this.#parts;
    if (effect.type === 'deliver') {
      this.#toElection(effect.election, { type: 'received', from: coordinator, message: effect.reply });
    } else if (effect.type === 'send') {
      this.#effects.push({ type: 'send', to: coordinator, message: effect.request });
    } else this.#effects.push(effect);
  }

  #stepElection(election: string, input: Input<Types>): void {
    const before = this.#elections[election];
    if (before === undefined) return;
    const [after, effects] = this.#parts.protocol.step(before, input, this.#nowMs);
    this.#elections = { ...this.#elections, [election]: after };
    for (const effect of effects) this.#carryOut(election, effect);
  }

  #carryOut(election: string, effect: Effect<Types>): void {
    switch (effect.type) {
      case 'send':
        this.#toShared({ type: 'asked', election, request: effect.message });
        break;
      case 'set-timer':
      case 'cancel-timer':
        this.#effects.push({ ...effect, timer: `${effect.timer} ${election}` });
        break;
      default:
        if (election === this.#spokenFor) this.#effects.push(effect);
        else this.#standOn(election, effect);
    }
  }

  /** For an election that nobody asks after: it ends with its lease, and stands again. */
  #standOn(election: string, effect: Effect<Types>): void {
    if (effect.type === 'lead') this.#effects.push(setTimer(`expiry ${election}`, effect.validForMs ?? 0));
    if (effect.type === 'step-down') this.#toElection(election, { type: 'campaign-requested' });
  }
}

// ---- Invariants ----------------------------------------------------------------------------------------

/** What must be true of each election, asked of a whole process. */
export function invariantsOfEach<Election, Shared>({
  ofOneState = {},
  ofTwoStates = {},
}: Invariants<Election>): Required<
  Pick<Invariants<ProcessState<Election, Shared>>, 'ofOneState' | 'ofTwoStates'>
> {
  type State = ProcessState<Election, Shared>;
  return {
    ofOneState: mapValues(
      ofOneState,
      (holds) =>
        ({ elections }: State) =>
          firstFinding(Object.values(elections), holds),
    ),
    ofTwoStates: mapValues(
      ofTwoStates,
      (holds) => (before: State, after: State) =>
        firstFinding(Object.entries(after.elections), ([election, later]) => {
          const earlier = before.elections[election];
          return earlier === undefined ? null : holds(earlier, later);
        }),
    ),
  };
}

/** What comes true of the elections of all processes together. */
export function eventuallyOfEach<Election extends { readonly standing: boolean }, Shared>(
  leads: (election: Election) => boolean,
): NonNullable<Invariants<ProcessState<Election, Shared>>['eventually']> {
  return {
    'every election that somebody stands in has one leader': (nodes) => {
      const running = nodes.filter((node) => node.running).map(({ state }) => state);
      return firstFinding(Object.keys(running[0]?.elections ?? {}), (election) => {
        const states = running.map(({ elections }) => elections[election]!);
        const leaders = states.filter(leads).length;
        return leaders === 1 || states.every(({ standing }) => !standing)
          ? null
          : `${election} has ${leaders}`;
      });
    },
  };
}

export function firstFinding<Item>(items: readonly Item[], holds: (item: Item) => Finding): Finding {
  for (const item of items) {
    const finding = holds(item);
    if (finding !== null) return finding;
  }
  return null;
}

const mapValues = <Value, Made>(
  values: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Record<string, Made> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));
