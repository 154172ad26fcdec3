import type { Invariants } from '@hustings/elector/protocol';
import type { AnyProtocol } from './node.js';
import { Oracle, type Promises, type Violation } from './oracle.js';
import type { Schedule } from './schedule.js';
import { type Observer, type Service, Simulation } from './simulation.js';
import { type TraceEvent, TraceRecorder } from './trace.js';

/** Remembers what no single state shows, and says when a run breaks a rule of it. */
export interface Historian<State> extends Observer<State> {
  readonly violation: Violation | null;
  attach(world: { readonly nowMs: number }): void;
}

export interface RunOptions<State> {
  readonly invariants?: Invariants<State>;
  /** The general promises to hold the run to. */
  readonly promised?: Promises;
  readonly historian?: Historian<State>;
  /** The coordinators that the protocol talks to. */
  readonly services?: readonly Service[];
  /** Plans what no schedule has a word for: what else nodes are to hear, and when. */
  readonly prepare?: (simulation: Simulation<State>) => void;
  /** Whether what should come true is asked for at the end. Every fault must have healed long enough before. */
  readonly settles?: boolean;
  /** Recording every event costs time and memory; a search goes without and replays what fails. */
  readonly trace?: boolean;
  /** More steps than this are a violation: a protocol that leads and steps down at once never lets time pass. */
  readonly maxSteps?: number;
}

export interface RunResult {
  readonly steps: number;
  readonly violation: Violation | null;
  /** Empty unless asked for. */
  readonly trace: readonly TraceEvent[];
}

/** What a run is held to. */
export type Standards<State> = Pick<RunOptions<State>, 'invariants' | 'promised' | 'historian' | 'settles'>;

/** Holds a run to its standards while somebody else runs it. */
export class Scrutiny<State> {
  /** The first that `look` or `conclude` found: a broken run has nothing more to say. */
  violation: Violation | null = null;
  readonly #oracle: Oracle<State>;
  readonly #historian: Historian<State> | undefined;
  readonly #settles: boolean;

  constructor({ invariants = {}, promised, historian, settles = false }: Standards<State>) {
    this.#oracle = new Oracle(invariants, promised);
    this.#historian = historian;
    this.#settles = settles;
  }

  get observers(): Observer<State>[] {
    return this.#historian === undefined ? [this.#oracle] : [this.#oracle, this.#historian];
  }

  attach(simulation: Simulation<State>): void {
    this.#oracle.attach(simulation);
    this.#historian?.attach(simulation);
  }

  /** After each event: whether anything is broken. */
  look(): boolean {
    if (this.violation !== null) return true;
    const found = this.#oracle.violation ?? this.#historian?.violation ?? null;
    if (found !== null) this.violation = found;
    return found !== null;
  }

  /** When all events have been handled. */
  conclude(): void {
    if (this.#settles && !this.look()) this.#oracle.checkEventually();
    this.look();
  }
}

/** Runs a schedule from beginning to end, or to its first violation. */
export function run<State>(
  protocol: AnyProtocol<State>,
  schedule: Schedule,
  options: RunOptions<State> = {},
): RunResult {
  const scrutiny = new Scrutiny(options);
  const recorder = options.trace ? new TraceRecorder<State>() : null;
  const observers = [...(recorder === null ? [] : [recorder]), ...scrutiny.observers];
  const { durationMs, faults } = schedule;
  const simulation = new Simulation({ ...schedule, protocol, services: options.services ?? [], observers });
  scrutiny.attach(simulation);
  recorder?.attach(simulation);
  for (const fault of faults) simulation.plan(fault);
  options.prepare?.(simulation);
  const { maxSteps = Number.POSITIVE_INFINITY } = options;
  simulation.runUntilTrue(() => scrutiny.look() || simulation.steps > maxSteps, durationMs);
  const isRunaway = simulation.steps > maxSteps;
  if (!isRunaway) scrutiny.conclude();
  const violation = scrutiny.violation ?? (isRunaway ? tooManySteps(simulation, maxSteps) : null);
  return { steps: simulation.steps, violation, trace: recorder?.events ?? [] };
}

export const comesToAnEnd = 'a run comes to an end';

/** What a run that never ends is told as. */
export function tooManySteps<State>({ nowMs, nodes }: Simulation<State>, maxSteps: number): Violation {
  const leading = nodes.find((node) => node.leading)?.id ?? nodes[0]?.id ?? null;
  return {
    property: comesToAnEnd,
    detail: `${maxSteps} steps were taken by ${nowMs.toFixed(1)} ms`,
    atMs: nowMs,
    node: leading,
  };
}
