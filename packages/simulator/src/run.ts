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

/** Runs a schedule from beginning to end, or to its first violation. */
export function run<State>(
  protocol: AnyProtocol<State>,
  schedule: Schedule,
  options: RunOptions<State> = {},
): RunResult {
  const oracle = new Oracle(options.invariants ?? {}, options.promised);
  const recorder = options.trace ? new TraceRecorder<State>() : null;
  const { historian } = options;
  const observers = [recorder, oracle, historian].filter((observer) => observer != null);
  const { durationMs, faults } = schedule;
  const simulation = new Simulation({ ...schedule, protocol, services: options.services ?? [], observers });
  oracle.attach(simulation);
  recorder?.attach(simulation);
  historian?.attach(simulation);
  for (const fault of faults) simulation.plan(fault);
  options.prepare?.(simulation);
  const { maxSteps = Number.POSITIVE_INFINITY } = options;
  const violation = (): Violation | null =>
    oracle.violation ??
    historian?.violation ??
    (simulation.steps > maxSteps ? tooManySteps(simulation, maxSteps) : null);
  const broken = simulation.runUntilTrue(() => violation() !== null, durationMs);
  if (!broken && options.settles) oracle.checkEventually();
  return { steps: simulation.steps, violation: violation(), trace: recorder?.events ?? [] };
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
