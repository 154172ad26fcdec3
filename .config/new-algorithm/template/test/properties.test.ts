import { InvalidOptionError } from '@hustings/elector';
import type { Input } from '@hustings/elector/protocol';
import { parseSchedule, run } from '@hustings/simulator';
import { describeDecoders, describeProtocol, randomWalk } from '@hustings/testkit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invariants, type RollCallMessage, type RollCallTypes, rollCall } from '../src/index.js';

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

const walk = randomWalk({ protocols: [rollCall()], id: 'n2', peers, input });

describeProtocol({ name: 'a node', invariants, timers: ['decide'], walk });
describeDecoders(rollCall(), message);

describe('in any order of events', () => {
  it('nodes settle on one leader', () => {
    const faults = ['crash leader', 'crash leader until 900', 'graceful leader until 900'];
    const fault = fc.constantFrom('', ...faults.map((each) => `at 500 ${each}`));
    const property = fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fault, (seed, line) => {
      const schedule = parseSchedule(`nodes n1 n2 n3\nseed ${seed}\nlatency 1 20\nrun 2000\n${line}`);
      expect(run(rollCall(), schedule, { invariants, settles: true }).violation).toBeNull();
    });
    fc.assert(property);
  });
});

describe('the settings', () => {
  it.each([0, -1, Number.NaN])('refuse %d for the time to decide', (decideAfterMs) => {
    expect(() => rollCall({ decideAfterMs })).toThrow(InvalidOptionError);
  });
});
