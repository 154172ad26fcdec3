/** The ways in which a mutant departs from the intact `step`: by what goes into it, or by what comes out. */

import type { ProtocolMessage } from '@hustings/elector/protocol';
import type { AnyEffect, AnyInput, AnyProtocol } from '@hustings/simulator';
import type { Alteration } from './mutant.js';

type Step<State> = AnyProtocol<State>['step'];
type Outcome<State> = ReturnType<Step<State>>;
type Received<Type> = Extract<AnyInput, { type: 'received' }> & Typed<Type>;
type Send<Type> = Extract<AnyEffect, { type: 'send' }> & Typed<Type>;
interface Typed<Type> {
  readonly message: { readonly type: Type };
}

export function withStep<State>(wrap: (step: Step<State>) => Step<State>): Alteration<State> {
  return (protocol) => ({ ...protocol, step: wrap((...parameters) => protocol.step(...parameters)) });
}

export function both<State>(first: Alteration<State>, second: Alteration<State>): Alteration<State> {
  return (protocol) => second(first(protocol));
}

// ---- What goes in --------------------------------------------------------------------------------------------

/** Some inputs do not get through. */
export function ignoring<State>(isIgnored: (input: AnyInput, state: State) => boolean): Alteration<State> {
  return withStep(
    (step) => (state, input, nowMs) => (isIgnored(input, state) ? [state, []] : step(state, input, nowMs)),
  );
}

/** An input is altered on its way in. */
export function changingInput<State>(
  change: (input: AnyInput, state: State, nowMs: number) => AnyInput,
): Alteration<State> {
  return withStep((step) => (state, input, nowMs) => step(state, change(input, state, nowMs), nowMs));
}

/** What is heard is altered on its way in. */
export function hearing<State, Message extends ProtocolMessage>(
  change: (message: Message, state: State, nowMs: number) => Message,
): Alteration<State> {
  return changingInput((input, state, nowMs) =>
    input.type === 'received' ? { ...input, message: change(input.message as Message, state, nowMs) } : input,
  );
}

/** A step is taken from another state than the one that the node is in. */
export function steppingFrom<State>(
  change: (state: State, input: AnyInput, nowMs: number) => State,
): Alteration<State> {
  return withStep((step) => (state, input, nowMs) => step(change(state, input, nowMs), input, nowMs));
}

/** As long as a step takes, some fields are others. Null: they are as they are. */
export function pretending<State extends object>(
  pretend: (state: State, input: AnyInput) => Partial<State> | null,
): Alteration<State> {
  return withStep((step) => (before, input, nowMs) => {
    const pretence = pretend(before, input);
    if (pretence === null) return step(before, input, nowMs);
    const [after, effects] = step({ ...before, ...pretence }, input, nowMs);
    const truth = Object.entries(before).filter(([field]) => field in pretence);
    return [{ ...after, ...Object.fromEntries(truth) }, effects];
  });
}

// ---- What comes out ------------------------------------------------------------------------------------------

/** A step comes to something else. */
export function changingOutcome<State>(
  change: (
    after: State,
    effects: readonly AnyEffect[],
    step: { readonly before: State; readonly input: AnyInput; readonly nowMs: number },
  ) => Outcome<State>,
): Alteration<State> {
  return withStep(
    (step) => (before, input, nowMs) => change(...step(before, input, nowMs), { before, input, nowMs }),
  );
}

/** The state comes out otherwise than the algorithm says. */
export function changingState<State>(
  change: (after: State, before: State, input: AnyInput) => State,
): Alteration<State> {
  return changingOutcome((after, effects, { before, input }) => [change(after, before, input), effects]);
}

/** Each effect becomes any number of effects. */
export function changingEffects<State>(
  change: (effect: AnyEffect, state: State) => readonly AnyEffect[],
): Alteration<State> {
  return changingOutcome((after, effects) => [after, effects.flatMap((effect) => change(effect, after))]);
}

/** Some effects do not happen. */
export function without<State>(isLeftOut: (effect: AnyEffect, state: State) => boolean): Alteration<State> {
  return changingEffects((effect, state) => (isLeftOut(effect, state) ? [] : [effect]));
}

/** What is said is altered on its way out. */
export function saying<State, Message extends ProtocolMessage>(
  change: (message: Message, state: State) => Message,
): Alteration<State> {
  return changingEffects((effect, state) =>
    effect.type === 'send' ? [{ ...effect, message: change(effect.message as Message, state) }] : [effect],
  );
}

/** A Leadership that ends by itself lasts longer. */
export function prolonging<State>(change: (validForMs: number, state: State) => number): Alteration<State> {
  return changingEffects((effect, state) =>
    effect.type === 'lead' && effect.validForMs !== undefined
      ? [{ ...effect, validForMs: change(effect.validForMs, state) }]
      : [effect],
  );
}

/** Some effects come after all others of their step. */
export function putLast(
  effects: readonly AnyEffect[],
  isLate: (effect: AnyEffect) => boolean,
): readonly AnyEffect[] {
  return [...effects.filter((effect) => !isLate(effect)), ...effects.filter(isLate)];
}

// ---- What is meant -------------------------------------------------------------------------------------------

export const sends = <Type extends string>(
  effect: AnyEffect,
  ...types: readonly Type[]
): effect is Send<Type> => effect.type === 'send' && types.some((type) => type === effect.message.type);

export const hears = <Type extends string>(
  input: AnyInput,
  ...types: readonly Type[]
): input is Received<Type> => input.type === 'received' && types.some((type) => type === input.message.type);

export const fires = (input: AnyInput, ...timers: readonly string[]): boolean =>
  input.type === 'timer-fired' && timers.includes(input.timer);
