/**
 * Mutants: algorithms broken on purpose, to find out whether the checks notice. Each wraps the intact `step`;
 * none copies the algorithm, so they stay broken versions of what is there today.
 */

import type { Finding } from '@hustings/elector/protocol';
import type { AnyEffect, AnyInput, AnyProtocol } from '@hustings/simulator';

/** Turns an intact protocol into a broken one. */
export type Alteration<State> = (protocol: AnyProtocol<State>) => AnyProtocol<State>;

export interface Mutant<State> {
  readonly name: string;
  /** What is broken, in one sentence. */
  readonly breaks: string;
  readonly alter: Alteration<State>;
}

/** A check under one name, or several under theirs: which of them fails is part of the finding. */
export interface Check<State> {
  /** Null if nothing is wrong with the altered algorithm. */
  find(alter: Alteration<State>): Failure | null;
}

export interface Failure {
  readonly check: string;
  readonly detail: string;
}

/** An algorithm with its checks, in the order in which they are tried, and its mutants. */
export interface Subject<State> {
  readonly algorithm: string;
  readonly checks: readonly Check<State>[];
  readonly mutants: readonly Mutant<State>[];
}

export const intact = <State>(protocol: AnyProtocol<State>): AnyProtocol<State> => protocol;

export function named<State>(check: string, find: (alter: Alteration<State>) => Finding): Check<State> {
  return {
    find(alter) {
      const detail = find(alter);
      return detail === null ? null : { check, detail };
    },
  };
}

export type Step<State> = AnyProtocol<State>['step'];

export function withStep<State>(wrap: (step: Step<State>) => Step<State>): Alteration<State> {
  return (protocol) => ({ ...protocol, step: wrap((...parameters) => protocol.step(...parameters)) });
}

/** Some inputs do not get through. */
export function ignoring<State>(isIgnored: (input: AnyInput, state: State) => boolean): Alteration<State> {
  return withStep(
    (step) => (state, input, nowMs) => (isIgnored(input, state) ? [state, []] : step(state, input, nowMs)),
  );
}

/** Each effect becomes any number of effects. */
export function changingEffects<State>(
  change: (effect: AnyEffect, state: State) => readonly AnyEffect[],
): Alteration<State> {
  return withStep((step) => (before, input, nowMs) => {
    const [state, effects] = step(before, input, nowMs);
    return [state, effects.flatMap((effect) => change(effect, state))];
  });
}

/** Some effects do not happen. */
export function without<State>(isLeftOut: (effect: AnyEffect, state: State) => boolean): Alteration<State> {
  return changingEffects((effect, state) => (isLeftOut(effect, state) ? [] : [effect]));
}

/** The state comes out otherwise than the algorithm says. */
export function changingState<State>(change: (after: State, before: State) => State): Alteration<State> {
  return withStep((step) => (before, input, nowMs) => {
    const [state, effects] = step(before, input, nowMs);
    return [change(state, before), effects];
  });
}

export const sends = (effect: AnyEffect, ...types: readonly string[]): boolean =>
  effect.type === 'send' && types.includes(effect.message.type);

export const hears = (input: AnyInput, ...types: readonly string[]): boolean =>
  input.type === 'received' && types.includes(input.message.type);

export const fires = (input: AnyInput, ...timers: readonly string[]): boolean =>
  input.type === 'timer-fired' && timers.includes(input.timer);
