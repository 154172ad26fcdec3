/** The properties of protocols, held against a protocol with a flaw: each catches what it is there for. */

import type { Effect, Input, Invariants, MachineTypes, Protocol } from '@hustings/elector/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProtocolProperties, protocolProperties, randomWalk, type Step } from '../src/properties.js';
import { type CallTypes, rollCall } from './roll-call.js';

type State = CallTypes['state'];
type Spoil = (step: Protocol<CallTypes>['step']) => Protocol<CallTypes>['step'];

const input: fc.Arbitrary<Input<CallTypes>> = fc.oneof(
  fc.constantFrom({ type: 'campaign-requested' as const }, { type: 'resign-requested' as const }),
  fc.record({ type: fc.constant('timer-fired' as const), timer: fc.constantFrom('decide' as const) }),
  fc.record({ type: fc.constantFrom('link-up' as const, 'link-down' as const), peer: fc.constant('n3') }),
);

function subjectOf(spoil: Spoil, invariants: Invariants<State> = {}) {
  const sound = rollCall({ guarantees: { leased: true } });
  const protocols = [{ ...sound, step: spoil(sound.step) }];
  const walk = randomWalk({ protocols, id: 'n2', peers: ['n1', 'n3'], input });
  const subject: ProtocolProperties<CallTypes> = {
    ...{ name: 'a node of a roll call', invariants, timers: ['decide', 'renew'], walk },
  };
  return subject as unknown as ProtocolProperties<MachineTypes>;
}

/** Whenever it leads, it does this as well. */
const besides =
  (extra: unknown): Spoil =>
  (step) =>
  (state, given, nowMs) => {
    const [after, effects] = step(state, given, nowMs);
    const leads = effects.some(({ type }) => type === 'lead');
    return leads ? [after, [...effects, extra as Effect<CallTypes>]] : [after, effects];
  };

const neverEpochOne: Invariants<State> = {
  ofTwoStates: { 'nobody leads': ({ epoch }, after) => (after.epoch > epoch ? 'It leads.' : null) },
};

const flaws: readonly [string, string, ProtocolProperties<MachineTypes>][] = [
  ['breaks an invariant', 'its invariants hold after every step', subjectOf((step) => step, neverEpochOne)],
  [
    'writes into its state',
    'it changes neither its state nor its input, and does the same on copies of them',
    subjectOf((step) => (state, given, nowMs) => {
      Object.assign(state, { epoch: state.epoch + 1 });
      return step(state, given, nowMs);
    }),
  ],
  [
    'remembers something elsewhere',
    'it changes neither its state nor its input, and does the same on copies of them',
    subjectOf((step) => {
      let steps = 0;
      return (state, given, nowMs) => {
        steps += 1;
        return step({ ...state, epoch: steps }, given, nowMs);
      };
    }),
  ],
  [
    'keeps what JSON cannot tell',
    'its state survives JSON',
    subjectOf((step) => (state, given, nowMs) => {
      const [after, effects] = step(state, given, nowMs);
      return [{ ...after, epoch: Number.NaN }, effects];
    }),
  ],
  [
    'sends what its decoder refuses',
    'it sends and saves what its own decoders take',
    subjectOf(besides({ type: 'send', to: 'n1', message: { type: 'leading', epoch: -1 } })),
  ],
  [
    'sets a timer that there is not',
    'it asks of its driver only what a driver does',
    subjectOf(besides({ type: 'set-timer', timer: 'tea', delayMs: [1, 2] })),
  ],
  [
    'asks for what no driver does',
    'it asks of its driver only what a driver does',
    subjectOf(besides({ type: 'explode' })),
  ],
  [
    'campaigns while it leads',
    'it keeps its contract with the office',
    subjectOf(besides({ type: 'campaign' })),
  ],
];

describe('given a protocol', () => {
  it.each(protocolProperties)('without a flaw: $name', ({ run }) => run(subjectOf((step) => step)));

  it.each(flaws)('that %s: a property catches it', (_flaw, name, subject) => {
    const property = protocolProperties.find((each) => each.name === name)!;
    expect(() => property.run(subject)).toThrow();
  });
});

describe('the driver of a random walk', () => {
  it('hands a node only what a driver would, and gets somewhere', () => {
    const seen: Step<MachineTypes>[] = [];
    subjectOf((step) => step).walk((step) => seen.push(step));
    const given = new Set(seen.map((step) => step.input.type));
    expect(given).toContain('resign-requested');
    expect(given).toContain('lease-expired');
    expect(seen.some(({ events }) => events.some(({ type }) => type === 'began'))).toBe(true);
  });
});
