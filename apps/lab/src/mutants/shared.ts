import type { AnyEffect } from '@hustings/simulator';
import { changingEffects, fires, ignoring, type Mutant, sends, without, withStep } from './mutant.js';

/** Each has an effect that no protocol may have: the driver's contract is what they break. */
export function illegalMutants<State>(): readonly Mutant<State>[] {
  const beside = (illegal: (token: bigint) => AnyEffect): Mutant<State>['alter'] =>
    changingEffects((effect) => (effect.type === 'lead' ? [effect, illegal(effect.token)] : [effect]));
  return [
    {
      name: 'leads-unasked',
      breaks: 'A node leads although its application has not campaigned.',
      alter: withStep((step) => (before, input, nowMs) => {
        const [state, effects] = step(before, input, nowMs);
        return [state, input.type === 'started' ? [...effects, { type: 'lead', token: 1n }] : effects];
      }),
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

/** What bully and ring have in common, and mutants can therefore break in both. */
interface EpochState {
  readonly role: string;
  readonly epoch: number;
}

export function sharedMutants<State extends EpochState>(): readonly Mutant<State>[] {
  return [
    ...illegalMutants<State>(),
    {
      name: 'never-times-out',
      breaks: 'A follower waits for a silent leader for ever.',
      alter: ignoring((input) => fires(input, 'leader')),
    },
    {
      name: 'never-heartbeats',
      breaks: 'A leader does not say that it is there.',
      alter: without((effect) => sends(effect, 'heartbeat')),
    },
    {
      name: 'forgets-the-epoch',
      breaks: 'Nothing is written to disk.',
      alter: without((effect) => effect.type === 'save'),
    },
    {
      name: 'leads-before-it-has-saved',
      breaks: 'The epoch goes to disk after everyone has heard of it.',
      alter: withStep((step) => (before, input, nowMs) => {
        const [state, effects] = step(before, input, nowMs);
        const saves = effects.filter(({ type }) => type === 'save');
        return [state, [...effects.filter(({ type }) => type !== 'save'), ...saves]];
      }),
    },
    {
      name: 'reuses-the-epoch',
      breaks: 'Who becomes leader does not begin a new epoch.',
      alter: withStep((step) => (before, input, nowMs) => {
        const [state, effects] = step(before, input, nowMs);
        const begins = state.role === 'leader' && before.role !== 'leader';
        return [begins ? { ...state, epoch: before.epoch } : state, effects];
      }),
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
    {
      name: 'refuses-to-resign',
      breaks: 'A leader that is asked to resign carries on.',
      alter: ignoring((input) => input.type === 'resign-requested'),
    },
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
    {
      name: 'remembers-outside-its-state',
      breaks: 'A counter outside the state drops every hundredth message.',
      alter: (protocol) => {
        let sent = 0;
        return without<State>((effect) => effect.type === 'send' && ++sent % 100 === 0)(protocol);
      },
    },
    {
      name: 'writes-to-its-old-state',
      breaks: 'A step changes the state that it was given.',
      alter: withStep((step) => (before, input, nowMs) => {
        const [state, effects] = step(before, input, nowMs);
        if (state !== before) Object.assign(before, { epoch: state.epoch });
        return [state, effects];
      }),
    },
  ];
}
