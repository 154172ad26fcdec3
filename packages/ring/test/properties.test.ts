import { fc, test } from '@fast-check/vitest';
import { InvalidOptionError } from '@hustings/elector';
import { type Input, MalformedError } from '@hustings/elector/protocol';
import { describe, expect } from 'vitest';
import type { RingTypes } from '../src/index.js';
import {
  changRoberts,
  decodeDurable,
  decodeMessage,
  defaultSettings,
  initialState,
  invariants,
  type RingMessage,
  type RingTimer,
  ring,
  step,
} from '../src/index.js';

const peers = ['n1', 'n3', 'n4'];
const everyone = ['n1', 'n2', 'n3', 'n4'];
const epoch = fc.nat({ max: 6 });
const hop = fc.nat({ max: 6 });
const members = fc.subarray(everyone, { minLength: 1 });
const message: fc.Arbitrary<RingMessage> = fc.oneof(
  fc.record({
    type: fc.constant('election' as const),
    epoch,
    members,
    candidates: fc.subarray(everyone),
    hop,
  }),
  fc.record({
    type: fc.constant('coordinator' as const),
    epoch,
    leaderId: fc.constantFrom(...everyone),
    members,
    hop,
  }),
  fc.record({ type: fc.constant('ack' as const), hop }),
  fc.record({
    type: fc.constantFrom('heartbeat' as const, 'resigned' as const, 'superseded' as const),
    epoch,
  }),
);
const input: fc.Arbitrary<Input<RingTypes>> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('received' as const),
      from: fc.constantFrom(...peers),
      message,
    }),
  },
  fc.record({
    type: fc.constant('timer-fired' as const),
    timer: fc.constantFrom<RingTimer>('leader', 'election', 'hop', 'heartbeat'),
  }),
  fc.constantFrom({ type: 'campaign-requested' as const }, { type: 'resign-requested' as const }),
  fc.record({ type: fc.constant('health-changed' as const), healthy: fc.boolean() }),
  fc.record({
    type: fc.constantFrom('link-up' as const, 'link-down' as const),
    peer: fc.constantFrom(...peers),
  }),
);
const inputs = fc.array(input, { maxLength: 40 });
const start = fc
  .constantFrom('default' as const, 'chang-roberts' as const)
  .map((variant) => initialState('n2', peers, defaultSettings, variant));

describe('whatever a node of a ring hears', () => {
  test.prop([start, inputs], { numRuns: 1000 })('its invariants hold after every step', (initial, all) => {
    const armed = new Set<string>();
    let state = initial;
    for (const next of all) {
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
      expect(armed.has('hop')).toBe(state.handed.length > 0);
      expect(armed.has('heartbeat')).toBe(state.role === 'leader');
      if (state.participant) expect(armed).toContain('election');
    }
  });

  test.prop([start, inputs], { numRuns: 1000 })(
    'a node that would lead and knows of no leader is waiting for something',
    (initial, all) => {
      const armed = new Set<string>();
      let state = step(initial, { type: 'started' })[0];
      for (const next of all) {
        if (next.type === 'timer-fired' && !armed.delete(next.timer)) continue;
        const [after, effects] = step(state, next);
        state = after;
        for (const effect of effects) {
          if (effect.type === 'set-timer') armed.add(effect.timer);
          if (effect.type === 'cancel-timer') armed.delete(effect.timer);
        }
        if (!state.standing || !state.healthy || state.role === 'leader') continue;
        expect(armed.has('leader') || armed.has('election')).toBe(true);
      }
    },
  );

  test.prop([start, inputs])('every request to resign is answered with one step-down', (initial, all) => {
    const end = all.reduce((state, next) => step(state, next)[0], initial);
    const [, effects] = step(end, { type: 'resign-requested' });
    expect(effects.filter(({ type }) => type === 'step-down')).toEqual([
      { type: 'step-down', reason: 'resigned' },
    ]);
    expect(effects[0]?.type).toBe('step-down');
  });

  test.prop([start, inputs])('its state survives JSON', (initial, all) => {
    const end = all.reduce((state, next) => step(state, next)[0], initial);
    expect(JSON.parse(JSON.stringify(end))).toEqual(end);
    expect(structuredClone(end)).toEqual(end);
  });

  test.prop([start, inputs])('it changes no state that it was given', (initial, all) => {
    let state = initial;
    for (const next of all) {
      const copy = structuredClone(state);
      const [after] = step(state, next);
      expect(state).toEqual(copy);
      state = after;
    }
  });

  test.prop([start, inputs])('what it has saved is the epoch that it knows', (initial, all) => {
    let state = initial;
    let saved = 0;
    for (const next of all) {
      const [after, effects] = step(state, next);
      state = after;
      for (const effect of effects) if (effect.type === 'save') saved = effect.durable.epoch;
      expect(saved).toBe(state.epoch);
    }
  });
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

  test.prop([message, fc.constantFrom('epoch', 'hop', 'members', 'candidates', 'leaderId'), fc.anything()])(
    'refuse a message with one field spoilt with MalformedError',
    (original, field, value) => {
      try {
        decodeMessage({ ...original, [field]: value });
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedError);
      }
    },
  );

  test('refuse a message that nobody has sent', () => {
    const election = { type: 'election', epoch: 1, members: [], candidates: [], hop: 1 };
    expect(() => decodeMessage(election)).toThrow(MalformedError);
  });
});

describe('the settings', () => {
  test('must leave a heartbeat time to arrive', () => {
    expect(() => ring({ heartbeatMs: 200 })).toThrow(InvalidOptionError);
    expect(() => ring({ leaderTimeoutMs: [500, 400] })).toThrow(InvalidOptionError);
    expect(() => changRoberts({ maxDelayMs: 0 })).toThrow(InvalidOptionError);
  });

  test('are accepted when they do', () => {
    const settings = { heartbeatMs: 20, maxDelayMs: 10, leaderTimeoutMs: [60, 90] } as const;
    expect([ring(settings).variant, changRoberts(settings).variant]).toEqual(['default', 'chang-roberts']);
  });

  test('give the ring an order of their own', () => {
    const { ring: onwards } = ring({ order: ['n3', 'n1', 'n2'] }).initialState('n1', ['n2', 'n3']);
    expect(onwards).toEqual(['n2', 'n3']);
  });

  test('must name exactly the nodes that there are', () => {
    for (const order of [
      ['n1', 'n2'],
      ['n1', 'n2', 'n2'],
      ['n1', 'n2', 'n4'],
    ]) {
      expect(() => ring({ order }).initialState('n1', ['n2', 'n3'])).toThrow(InvalidOptionError);
    }
  });
});
