import { fc, test } from '@fast-check/vitest';
import { InvalidOptionError } from '@hustings/elector';
import { type Input, MalformedError } from '@hustings/elector/protocol';
import { parseSchedule, run } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import {
  decodeDurable,
  decodeMessage,
  initialState,
  invariants,
  type RollCallMessage,
  type RollCallTypes,
  rollCall,
  step,
} from '../src/index.js';

const peers = ['n1', 'n3'];
const message = fc.record({
  type: fc.constantFrom<RollCallMessage['type']>('standing', 'leading', 'gone'),
  epoch: fc.nat({ max: 6 }),
});
const input: fc.Arbitrary<Input<RollCallTypes>> = fc.oneof(
  fc.record({ type: fc.constant('received' as const), from: fc.constantFrom(...peers), message }),
  fc.constantFrom<Input<RollCallTypes>>(
    { type: 'timer-fired', timer: 'decide' },
    { type: 'campaign-requested' },
    { type: 'resign-requested' },
    { type: 'health-changed', healthy: false },
    { type: 'health-changed', healthy: true },
    { type: 'link-up', peer: 'n1' },
    { type: 'link-down', peer: 'n3' },
  ),
);

describe('whatever a node hears', () => {
  test.prop([fc.array(input, { maxLength: 40 })])('its invariants hold after every step', (inputs) => {
    let state = initialState('n2', peers);
    for (const next of inputs) {
      const before = structuredClone(state);
      const [after] = step(state, next);
      expect(state, 'the state that it was given').toEqual(before);
      state = after;
      for (const check of Object.values(invariants.ofOneState ?? {})) expect(check(state)).toBeNull();
      for (const check of Object.values(invariants.ofTwoStates ?? {}))
        expect(check(before, state)).toBeNull();
    }
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });
});

describe('in any order of events', () => {
  test.prop([
    fc.integer({ min: 0, max: 2 ** 31 }),
    fc.constantFrom(
      '',
      'at 500 crash leader',
      'at 500 crash leader until 900',
      'at 500 graceful leader until 900',
    ),
  ])('nodes settle on one leader', (seed, fault) => {
    const schedule = parseSchedule(`nodes n1 n2 n3\nseed ${seed}\nlatency 1 20\nrun 2000\n${fault}`);
    expect(run(rollCall(), schedule, { invariants, settles: true }).violation).toBeNull();
  });
});

describe('the decoders', () => {
  test.prop([message])('give back what was encoded', (original) => {
    expect(decodeMessage(JSON.parse(JSON.stringify(original)))).toEqual(original);
    expect(decodeDurable({ epoch: original.epoch })).toEqual({ epoch: original.epoch });
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
  it.each([0, -1, Number.NaN])('refuse %d for the time to decide', (decideAfterMs) => {
    expect(() => rollCall({ decideAfterMs })).toThrow(InvalidOptionError);
  });
});
