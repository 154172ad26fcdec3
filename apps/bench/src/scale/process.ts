/**
 * A process with many elections, as one node of a simulation: the pure steps of its elections, and of what stands between
 * them and the coordinator. Unlike a protocol's state it is changed in place, for a step that copied a thousand
 * elections to change one would take a thousand times as long.
 */

import type { NodeId } from '@hustings/elector';
import {
  type DelayRangeMs,
  type Effect,
  type Input,
  type MachineTypes,
  type Protocol,
  type ProtocolMessage,
  setTimer,
} from '@hustings/elector/protocol';
import type { AnyProtocol } from '@hustings/simulator';

/** What stands between the elections of a process and the coordinator hears this… */
export type SharedInput =
  | { readonly type: 'started' }
  | { readonly type: 'opened'; readonly election: string }
  | { readonly type: 'asked'; readonly election: string; readonly request: ProtocolMessage }
  | { readonly type: 'answered'; readonly reply: ProtocolMessage }
  | { readonly type: 'timer-fired'; readonly timer: string };

/** …and does this. */
export type SharedEffect =
  | { readonly type: 'send'; readonly request: ProtocolMessage }
  | { readonly type: 'deliver'; readonly election: string; readonly reply: ProtocolMessage }
  | { readonly type: 'set-timer'; readonly timer: string; readonly delayMs: DelayRangeMs };

export interface Shared {
  hear(input: SharedInput, nowMs: number): readonly SharedEffect[];
}

interface ProcessParts {
  readonly nodes: readonly NodeId[];
  readonly elections: readonly string[];
  readonly coordinator: NodeId;
  /** Of one election. */
  readonly protocol: (election: string) => Protocol<MachineTypes>;
  readonly shared: () => Shared;
  /** Called when a process begins to lead an election. */
  readonly onLead: (id: NodeId, election: string) => void;
}

/** How long a process stands for nothing but its own share. */
const othersMs = 1000;

/**
 * Each stands for its own share of the elections first, and soon behind whoever leads the others, as live: so each leads
 * as many. After that all of its elections stand all the time.
 */
export function manyElections(parts: ProcessParts): AnyProtocol<Process> {
  return {
    ...(parts.protocol(parts.elections[0]!) as AnyProtocol<Process>),
    initialState: (id) => new Process(id, parts.nodes.indexOf(id), parts),
    step: (process, input, nowMs) => [process, process.step(input, nowMs)],
  };
}

interface Election {
  readonly protocol: Protocol<MachineTypes>;
  state: unknown;
  leads: boolean;
}

type Work =
  | { readonly election: null; readonly input: SharedInput }
  | { readonly election: string; readonly input: Input<MachineTypes> };

export class Process {
  readonly #id: NodeId;
  readonly #place: number;
  readonly #parts: ProcessParts;
  readonly #shared: Shared;
  readonly #elections: ReadonlyMap<string, Election>;
  /** What somebody in here is about to hear, and what is to be done outside: of the step under way. */
  #work: Work[] = [];
  #effects: Effect<MachineTypes>[] = [];

  constructor(id: NodeId, place: number, parts: ProcessParts) {
    this.#id = id;
    this.#place = place;
    this.#parts = parts;
    this.#shared = parts.shared();
    this.#elections = new Map(
      parts.elections.map((name) => {
        const protocol = parts.protocol(name);
        return [name, { protocol, state: protocol.initialState(id, [], `${id}.0`), leads: false }];
      }),
    );
  }

  get led(): string[] {
    return [...this.#elections].flatMap(([name, { leads }]) => (leads ? [name] : []));
  }

  step(input: Input<MachineTypes>, nowMs: number): readonly Effect<MachineTypes>[] {
    this.#effects = [];
    this.#work = this.#distribute(input);
    // What is said within a step is heard within it, in order.
    for (let next = 0; next < this.#work.length; next += 1) this.#do(this.#work[next]!, nowMs);
    return this.#effects;
  }

  #distribute(input: Input<MachineTypes>): Work[] {
    switch (input.type) {
      case 'started':
        this.#effects.push(setTimer('others', othersMs));
        return [
          toShared({ type: 'started' }),
          ...this.#parts.elections.flatMap(open),
          ...this.#share(true).map(campaign),
        ];
      case 'received':
        return [toShared({ type: 'answered', reply: input.message })];
      case 'timer-fired':
        return input.timer === 'others' ? this.#share(false).map(campaign) : [onTimer(input.timer)];
      default:
        return [];
    }
  }

  /** Its own elections, or the others. */
  #share(own: boolean): string[] {
    const { elections, nodes } = this.#parts;
    return elections.filter((_, index) => (index % nodes.length === this.#place) === own);
  }

  #do({ election: name, input }: Work, nowMs: number): void {
    if (name === null) {
      for (const effect of this.#shared.hear(input, nowMs)) this.#carryOutShared(effect);
      return;
    }
    const election = this.#elections.get(name)!;
    const [state, effects] = election.protocol.step(election.state, input, nowMs);
    election.state = state;
    for (const effect of effects) this.#carryOut(name, election, effect);
  }

  #carryOutShared(effect: SharedEffect): void {
    const { coordinator: from } = this.#parts;
    if (effect.type === 'deliver') {
      this.#work.push(toElection(effect.election, { type: 'received', from, message: effect.reply }));
    } else if (effect.type === 'send') {
      this.#effects.push({ type: 'send', to: from, message: effect.request });
    } else this.#effects.push(effect);
  }

  #carryOut(name: string, election: Election, effect: Effect<MachineTypes>): void {
    switch (effect.type) {
      case 'send':
        this.#work.push(toShared({ type: 'asked', election: name, request: effect.message }));
        break;
      case 'set-timer':
      case 'cancel-timer':
        this.#effects.push({ ...effect, timer: `${effect.timer} ${name}` });
        break;
      case 'lead':
        if (!election.leads) this.#parts.onLead(this.#id, name);
        election.leads = true;
        this.#effects.push(setTimer(`expiry ${name}`, effect.validForMs ?? 0));
        break;
      case 'step-down':
        election.leads = false;
        this.#work.push(campaign(name));
    }
  }
}

const toShared = (input: SharedInput): Work => ({ election: null, input });

const toElection = (election: string, input: Input<MachineTypes>): Work => ({ election, input });

const open = (election: string): Work[] => [
  toShared({ type: 'opened', election }),
  toElection(election, { type: 'started' }),
];

const campaign = (election: string): Work => toElection(election, { type: 'campaign-requested' });

/** Timers of an election carry its name. */
function onTimer(timer: string): Work {
  const end = timer.indexOf(' ');
  if (end === -1) return toShared({ type: 'timer-fired', timer });
  const [name, election] = [timer.slice(0, end), timer.slice(end + 1)];
  return toElection(
    election,
    name === 'expiry' ? { type: 'lease-expired' } : { type: 'timer-fired', timer: name },
  );
}
