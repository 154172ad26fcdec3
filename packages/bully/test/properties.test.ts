import { fc, test } from '@fast-check/vitest';
import { InvalidOptionError } from '@hustings/elector';
import { type Input, MalformedError } from '@hustings/elector/protocol';
import { describe, expect } from 'vitest';
import type { BullyTypes } from '../src/index.js';
import {
  type BullyMessage,
  type BullyTimer,
  bully,
  decodeDurable,
  decodeMessage,
  initialState,
  invariants,
  step,
} from '../src/index.js';

const peers = ['n1', 'n3', 'n4'];
const message = fc.record({
  type: fc.constantFrom<BullyMessage['type']>('election', 'answer', 'coordinator', 'heartbeat', 'resigned'),
  epoch: fc.nat({ max: 6 }),
});
const input: fc.Arbitrary<Input<BullyTypes>> = fc.oneof(
  fc.record({ type: fc.constant('received' as const), from: fc.constantFrom(...peers), message }),
  fc.record({
    type: fc.constant('timer-fired' as const),
    timer: fc.constantFrom<BullyTimer>('leader', 'answer', 'coordinator', 'heartbeat'),
  }),
  fc.constantFrom({ type: 'campaign-requested' as const }, { type: 'resign-requested' as const }),
  fc.record({ type: fc.constant('health-changed' as const), healthy: fc.boolean() }),
  fc.record({
    type: fc.constantFrom('link-up' as const, 'link-down' as const),
    peer: fc.constantFrom(...peers),
  }),
);

describe('whatever a bully node hears', () => {
  test.prop([fc.array(input, { maxLength: 40 })])('its invariants hold after every step', (inputs) => {
    const armed = new Set<string>();
    let state = initialState('n2', peers);
    for (const next of inputs) {
      // A driver fires only timers that are set.
      if (next.type === 'timer-fired' && !armed.delete(next.timer)) continue;
      const before = state;
      const [after, effects] = step(before, next);
      state = after;
      for (const effect of effects) {
        if (effect.type === 'set-timer') armed.add(effect.timer);
        if (effect.type === 'cancel-timer') armed.delete(effect.timer);
      }
      for (const check of Object.values(invariants.ofOneState ?? {})) expect(check(state)).toBeNull();
      for (const check of Object.values(invariants.ofTwoStates ?? {}))
        expect(check(before, state)).toBeNull();
    }
  });

  test.prop([fc.array(input, { maxLength: 20 })])('its state survives JSON', (inputs) => {
    const end = inputs.reduce((state, next) => step(state, next)[0], initialState('n2', peers));
    expect(JSON.parse(JSON.stringify(end))).toEqual(end);
  });

  test.prop([fc.array(input, { maxLength: 20 })])('it changes no state that it was given', (inputs) => {
    let state = initialState('n2', peers);
    for (const next of inputs) {
      const copy = structuredClone(state);
      const [after] = step(state, next);
      expect(state).toEqual(copy);
      state = after;
    }
  });

  test.prop([fc.array(input, { maxLength: 40 })])(
    'what it has saved is the epoch that it knows',
    (inputs) => {
      let state = initialState('n2', peers);
      let saved = 0;
      for (const next of inputs) {
        const [after, effects] = step(state, next);
        state = after;
        for (const effect of effects) if (effect.type === 'save') saved = effect.durable.epoch;
        expect(saved).toBe(state.epoch);
      }
    },
  );
});

describe('the decoders', () => {
  test.prop([message])('give back what was encoded', (original) => {
    expect(decodeMessage(JSON.parse(JSON.stringify(original)))).toEqual(original);
  });

  test.prop([fc.anything()])('refuse everything else with MalformedError', (value) => {
    for (const decode of [decodeMessage, decodeDurable]) {
      try {
        decode(value);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedError);
      }
    }
  });
});

describe('the settings', () => {
  test('must leave a heartbeat time to arrive', () => {
    expect(() => bully({ heartbeatMs: 200 })).toThrow(InvalidOptionError);
    expect(() => bully({ leaderTimeoutMs: [500, 400] })).toThrow(InvalidOptionError);
    expect(() => bully({ maxDelayMs: 0 })).toThrow(InvalidOptionError);
  });

  test('are accepted when they do', () => {
    expect(bully({ heartbeatMs: 20, maxDelayMs: 10, leaderTimeoutMs: [60, 90] }).algorithm).toBe('bully');
  });
});
