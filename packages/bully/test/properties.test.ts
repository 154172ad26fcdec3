import { InvalidOptionError } from '@hustings/elector';
import type { Input } from '@hustings/elector/protocol';
import { describeDecoders, describeProtocol, randomWalk } from '@hustings/testkit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BullyMessage, type BullyTimer, type BullyTypes, bully, invariants } from '../src/index.js';

const peers = ['n1', 'n3', 'n4'];
const timers: readonly BullyTimer[] = ['leader', 'answer', 'coordinator', 'heartbeat'];
const message = fc.record({
  type: fc.constantFrom<BullyMessage['type']>('election', 'answer', 'coordinator', 'heartbeat', 'resigned'),
  epoch: fc.nat({ max: 6 }),
});
const input: fc.Arbitrary<Input<BullyTypes>> = fc.oneof(
  fc.record({ type: fc.constant('received' as const), from: fc.constantFrom(...peers), message }),
  fc.record({ type: fc.constant('timer-fired' as const), timer: fc.constantFrom(...timers) }),
  fc.constantFrom({ type: 'campaign-requested' as const }, { type: 'resign-requested' as const }),
  fc.record({ type: fc.constant('health-changed' as const), healthy: fc.boolean() }),
  fc.record({
    type: fc.constantFrom('link-up' as const, 'link-down' as const),
    peer: fc.constantFrom(...peers),
  }),
);

const walk = randomWalk({ protocols: [bully()], id: 'n2', peers, input });

describeProtocol({ name: 'a bully node', invariants, timers, walk });
describeDecoders(bully(), message);

describe('the epoch', () => {
  it('that a bully node knows is the one that it has saved last', () => {
    walk(({ before, after, effects }) => {
      const saved = effects.flatMap((effect) => (effect.type === 'save' ? [effect.durable.epoch] : []));
      expect(saved.at(-1) ?? before.epoch).toBe(after.epoch);
    });
  });
});

describe('the settings', () => {
  it('must leave a heartbeat time to arrive', () => {
    expect(() => bully({ heartbeatMs: 200 })).toThrow(InvalidOptionError);
    expect(() => bully({ leaderTimeoutMs: [500, 400] })).toThrow(InvalidOptionError);
    expect(() => bully({ maxDelayMs: 0 })).toThrow(InvalidOptionError);
  });

  it('are accepted when they do', () => {
    expect(bully({ heartbeatMs: 20, maxDelayMs: 10, leaderTimeoutMs: [60, 90] }).algorithm).toBe('bully');
  });
});
