/** Mutants that more than one algorithm has. */

import type { AnyEffect } from '@hustings/simulator';
import {
  changingEffects,
  changingOutcome,
  changingState,
  fires,
  ignoring,
  putLast,
  sends,
  without,
} from './alterations.js';
import type { Mutant } from './mutant.js';

/** Each has an effect that no protocol may have: the driver's contract is what they break. */
export function illegalMutants<State>(): readonly Mutant<State>[] {
  const beside = (illegal: (token: bigint) => AnyEffect): Mutant<State>['alter'] =>
    changingEffects((effect) => (effect.type === 'lead' ? [effect, illegal(effect.token)] : [effect]));
  return [
    {
      name: 'leads-unasked',
      breaks: 'A node leads although its application has not campaigned.',
      alter: changingOutcome((after, effects, { input }) => [
        after,
        input.type === 'started' ? [...effects, { type: 'lead', token: 1n }] : effects,
      ]),
    },
    {
      name: 'leads-with-another-token',
      breaks: 'A leader goes on under another token.',
      alter: beside((token) => ({ type: 'lead', token: token + 1n })),
    },
    {
      name: 'follows-while-leading',
      breaks: 'A leader follows another without stepping down.',
      alter: beside((token) => ({ type: 'follow', leaderId: 'n1', token })),
    },
    {
      name: 'campaigns-while-leading',
      breaks: 'A leader campaigns without stepping down.',
      alter: beside(() => ({ type: 'campaign' })),
    },
  ];
}

export const remembersOutsideItsState = <State>(): Mutant<State> => ({
  name: 'remembers-outside-its-state',
  breaks: 'A counter outside the state drops every hundredth message.',
  alter: (protocol) => {
    let sent = 0;
    return without<State>((effect) => effect.type === 'send' && ++sent % 100 === 0)(protocol);
  },
});

export const neverHeartbeats = <State>(): Mutant<State> => ({
  name: 'never-heartbeats',
  breaks: 'A leader does not say that it is there.',
  alter: without((effect) => sends(effect, 'heartbeat')),
});

export const refusesToResign = <State>(): Mutant<State> => ({
  name: 'refuses-to-resign',
  breaks: 'A leader that is asked to resign carries on.',
  alter: ignoring((input) => input.type === 'resign-requested'),
});

// ---- Bully and ring ------------------------------------------------------------------------------------------

interface EpochState {
  readonly role: string;
  readonly epoch: number;
}

export function epochMutants<State extends EpochState>(): readonly Mutant<State>[] {
  return [
    ...illegalMutants<State>(),
    {
      name: 'never-times-out',
      breaks: 'A follower waits for a silent leader for ever.',
      alter: ignoring((input) => fires(input, 'leader')),
    },
    neverHeartbeats(),
    {
      name: 'forgets-the-epoch',
      breaks: 'Nothing is written to disk.',
      alter: without((effect) => effect.type === 'save'),
    },
    {
      name: 'leads-before-it-has-saved',
      breaks: 'The epoch goes to disk after everyone has heard of it.',
      alter: changingOutcome((after, effects) => [after, putLast(effects, ({ type }) => type === 'save')]),
    },
    {
      name: 'reuses-the-epoch',
      breaks: 'Who becomes leader does not begin a new epoch.',
      alter: changingState((after, before) =>
        after.role === 'leader' && before.role !== 'leader' ? { ...after, epoch: before.epoch } : after,
      ),
    },
    {
      name: 'announces-twice',
      breaks: 'Every COORDINATOR is sent twice.',
      alter: changingEffects((effect) => (sends(effect, 'coordinator') ? [effect, effect] : [effect])),
    },
    {
      name: 'resigns-silently',
      breaks: 'A leader that resigns tells nobody.',
      alter: without((effect) => sends(effect, 'resigned')),
    },
    refusesToResign(),
    {
      name: 'never-steps-down',
      breaks: 'A deposed leader follows another and keeps its own leadership.',
      alter: without((effect) => effect.type === 'step-down' && effect.reason === 'deposed'),
    },
    {
      name: 'overlooks-closed-connections',
      breaks: 'A node does not notice that the connection to its leader has closed.',
      alter: ignoring((input) => input.type === 'link-down'),
    },
    remembersOutsideItsState(),
    {
      name: 'writes-to-its-old-state',
      breaks: 'A step changes the state that it was given.',
      alter: changingState((after, before) => {
        if (after !== before) Object.assign(before, { epoch: after.epoch });
        return after;
      }),
    },
  ];
}

// ---- Electors on a coordinator -------------------------------------------------------------------------------

export const doesNotAskAgain = <State>(): Mutant<State> => ({
  name: 'does-not-ask-again',
  breaks: 'A request whose answer is lost is not repeated.',
  alter: ignoring((input) => fires(input, 'request') || input.type === 'link-up'),
});

export const neverAcceptsLowerTokens = <State>(): Mutant<State> => ({
  name: 'never-accepts-lower-tokens',
  breaks: 'A node refuses lower tokens although it was told to accept them.',
  alter: ignoring((input) => input.type === 'requested'),
});

export const acceptsLowerTokens = <State extends { readonly floor: unknown }>(
  floor: State['floor'],
): Mutant<State> => ({
  name: 'accepts-lower-tokens',
  breaks: 'A node forgets which tokens it has seen.',
  alter: changingState((after) => ({ ...after, floor })),
});

/** Answers a resignation before the coordinator has acknowledged it. */
export const resigningAtOnce = <State extends { readonly owesStepDown: boolean }>(): Mutant<State>['alter'] =>
  changingOutcome((after, effects, { input }) => {
    if (input.type !== 'resign-requested' || !after.owesStepDown) return [after, effects];
    return [{ ...after, owesStepDown: false }, [...effects, { type: 'step-down', reason: 'resigned' }]];
  });
