import { InvalidOptionError } from '@hustings/elector';
import { type Input, MalformedError } from '@hustings/elector/protocol';
import { describeDecoders, describeProtocol, randomWalk } from '@hustings/testkit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changRoberts,
  decodeMessage,
  invariants,
  type RingMessage,
  type RingTimer,
  type RingTypes,
  ring,
} from '../src/index.js';

const peers = ['n1', 'n3', 'n4'];
const everyone = ['n1', 'n2', 'n3', 'n4'];
const timers: readonly RingTimer[] = ['leader', 'election', 'hop', 'heartbeat'];
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
  fc.record({ type: fc.constant('timer-fired' as const), timer: fc.constantFrom(...timers) }),
  fc.constantFrom({ type: 'campaign-requested' as const }, { type: 'resign-requested' as const }),
  fc.record({ type: fc.constant('health-changed' as const), healthy: fc.boolean() }),
  fc.record({
    type: fc.constantFrom('link-up' as const, 'link-down' as const),
    peer: fc.constantFrom(...peers),
  }),
);
const walk = randomWalk({ protocols: [ring(), changRoberts()], id: 'n2', peers, input, walks: 300 });

describeProtocol({ name: 'a node of a ring', invariants, timers, walk });
describeDecoders(ring(), message);

describe('whatever a node of a ring waits for', () => {
  it('has a timer, and nothing else has', () => {
    walk(({ after, armed }) => {
      expect(armed?.has('hop')).toBe(after.handed.length > 0);
      expect(armed?.has('heartbeat')).toBe(after.role === 'leader');
      if (after.participant) expect(armed).toContain('election');
    });
  });

  it('is a leader or an election, if it would lead and does not', () => {
    walk(({ after, armed }) => {
      if (!after.standing || !after.healthy || after.role === 'leader') return;
      expect(armed?.has('leader') || armed?.has('election')).toBe(true);
    });
  });
});

describe('every request to resign', () => {
  it('is answered with one step-down, before anything else', () => {
    walk(({ protocol, after, nowMs }) => {
      const [, effects] = protocol.step(after, { type: 'resign-requested' }, nowMs);
      expect(effects[0]).toEqual({ type: 'step-down', reason: 'resigned' });
      expect(effects.filter(({ type }) => type === 'step-down')).toHaveLength(1);
    });
  });
});

describe('the epoch', () => {
  it('that a node of a ring knows is the one that it has saved last', () => {
    walk(({ before, after, effects }) => {
      const saved = effects.flatMap((effect) => (effect.type === 'save' ? [effect.durable.epoch] : []));
      expect(saved.at(-1) ?? before.epoch).toBe(after.epoch);
    });
  });
});

describe('an election', () => {
  it('that nobody has sent is refused', () => {
    const election = { type: 'election', epoch: 1, members: [], candidates: [], hop: 1 };
    expect(() => decodeMessage(election)).toThrow(MalformedError);
  });
});

describe('the settings', () => {
  it('must leave a heartbeat time to arrive', () => {
    expect(() => ring({ heartbeatMs: 200 })).toThrow(InvalidOptionError);
    expect(() => ring({ leaderTimeoutMs: [500, 400] })).toThrow(InvalidOptionError);
    expect(() => changRoberts({ maxDelayMs: 0 })).toThrow(InvalidOptionError);
  });

  it('are accepted when they do', () => {
    const settings = { heartbeatMs: 20, maxDelayMs: 10, leaderTimeoutMs: [60, 90] } as const;
    expect([ring(settings).variant, changRoberts(settings).variant]).toEqual(['default', 'chang-roberts']);
  });

  it('give the ring an order of their own', () => {
    const { ring: onwards } = ring({ order: ['n3', 'n1', 'n2'] }).initialState('n1', ['n2', 'n3']);
    expect(onwards).toEqual(['n2', 'n3']);
  });

  it('must name exactly the nodes that there are', () => {
    for (const order of [
      ['n1', 'n2'],
      ['n1', 'n2', 'n2'],
      ['n1', 'n2', 'n4'],
    ]) {
      expect(() => ring({ order }).initialState('n1', ['n2', 'n3'])).toThrow(InvalidOptionError);
    }
  });
});
