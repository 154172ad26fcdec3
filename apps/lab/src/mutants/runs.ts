/** Simulated runs that checks are made of. */

import type { Finding } from '@hustings/elector/protocol';
import {
  type AnyProtocol,
  comesToAnEnd,
  formatTrace,
  parseSchedule,
  type RunOptions,
  run,
  type Schedule,
  type Service,
  type SimulatedNode,
  type Simulation,
} from '@hustings/simulator';
import { type Alteration, type Check, type Failure, named } from './mutant.js';

export type Build<State> = () => AnyProtocol<State>;

/** Faults, in the words of a schedule, under what they amount to. */
export type Stories = Readonly<Record<string, string>>;

interface Run {
  readonly name: string;
  readonly seed: number;
}

interface Told extends Run {
  readonly schedule: Schedule;
}

export const seedsBelow = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, seed) => seed);

export const fromEachSeed = (name: string, seeds: readonly number[]): readonly Run[] =>
  seeds.map((seed) => ({ name: `${name}, seed ${seed}`, seed }));

/** The same again from each seed. `write` gives the schedule in words. */
export const told = (
  name: string,
  seeds: readonly number[],
  write: (seed: number) => string,
): readonly Told[] =>
  fromEachSeed(name, seeds).map((each) => ({ ...each, schedule: parseSchedule(write(each.seed)) }));

/** Each story from each seed. */
export const toldOf = (
  stories: Stories,
  seeds: readonly number[],
  write: (faults: string, seed: number) => string,
): readonly Told[] =>
  Object.entries(stories).flatMap(([story, faults]) =>
    told(`when ${story}`, seeds, (seed) => write(faults, seed)),
  );

/** The first failure in these runs, and in which of them. */
export const inEachOf = <State, Each extends Run>(
  runs: readonly Each[],
  find: (alter: Alteration<State>, run: Each) => Failure | null,
): Check<State> => ({
  find(alter) {
    for (const each of runs) {
      const failure = find(alter, each);
      if (failure !== null) return { ...failure, detail: `${failure.detail} (${each.name})` };
    }
    return null;
  },
});

export const flood = (maxSteps: number): Failure => ({
  check: 'nothing floods the network',
  detail: `more than ${maxSteps} steps`,
});

/** What a run breaks of what it is held to. */
export function judge<State>(
  protocol: AnyProtocol<State>,
  schedule: Schedule,
  options: RunOptions<State>,
): Failure | null {
  const { violation, steps } = run(protocol, schedule, options);
  if (violation === null) return null;
  const { property, detail } = violation;
  return property === comesToAnEnd ? flood(options.maxSteps ?? steps) : { check: property, detail };
}

/** Ten times what a run takes: what floods the network ends there. */
const maxSteps = 40_000;

/** A run from a seed is one run: nothing but the seed decides it. */
export const isDeterministic = <State>(
  build: Build<State>,
  schedule: Schedule,
  services: readonly Service[] = [],
): Check<State> =>
  named('the same seed gives the same run', (alter) => {
    const protocol = alter(build());
    const [first, second] = [1, 2].map(() =>
      formatTrace(run(protocol, schedule, { services, trace: true, maxSteps }).trace),
    );
    return first === second ? null : 'two runs from one seed differ';
  });

/** Whether anybody else leads in time. */
export function isSucceeded<State>(
  simulation: Simulation<State>,
  former: SimulatedNode<State>,
  withinMs: number,
): boolean {
  const hasSuccessor = (): boolean => simulation.nodes.some((node) => node !== former && node.leading);
  return simulation.runUntilTrue(hasSuccessor, simulation.nowMs + withinMs);
}

/** Null if a leader to which this happens now is replaced in time. */
export function replacesLeader<State>(
  simulation: Simulation<State>,
  fault: 'crash' | 'graceful',
  withinMs: number,
): Finding {
  const former = simulation.leader;
  if (former === null) return 'nobody led';
  simulation.inject({ type: fault, node: former.id });
  if (!isSucceeded(simulation, former, withinMs)) return `not within ${withinMs} ms`;
  return former.leading ? `${former.id} still leads` : null;
}
