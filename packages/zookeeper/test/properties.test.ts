import { InvalidOptionError } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import { describeDecoders, describeProtocol, randomWalk } from '@hustings/testkit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMessage,
  initialState,
  invariants,
  protectedName,
  type ZooKeeperInput,
  type ZooKeeperMessage,
  type ZooKeeperReply,
  type ZooKeeperState,
  type ZooKeeperTimer,
  zookeeper,
} from '../src/index.js';

const timers: readonly ZooKeeperTimer[] = ['request', 'ping'];
const sessions = ['10a', '10b'];
const names = ['10a', '10b', '10c'].map((each, number) => `${protectedName(each, 1)}000000000${number}`);
const path = fc.constantFrom('/hustings', ...names.map((name) => `/hustings/${name}`));
const session = fc.constantFrom(...sessions);
const id = fc.nat({ max: 40 });
const czxid = fc.nat({ max: 50 });
const constant = <Value extends string>(value: Value) => fc.constant(value);

const reply: fc.Arbitrary<ZooKeeperReply> = fc.oneof(
  fc.record({
    type: constant('connected'),
    id,
    session,
    sessionTimeoutMs: fc.constantFrom(400, 6000),
  }),
  fc.record({ type: fc.constantFrom('disconnected', 'expired'), session }),
  fc.record({ type: constant('done'), id }),
  fc.record({ type: constant('created'), id, path, czxid }),
  fc.record({ type: constant('listed'), id, names: fc.subarray(names) }),
  fc.record({ type: constant('got'), id, data: fc.constantFrom('', 'n2'), czxid, owner: session }),
  fc.record({ type: fc.constantFrom('pong', 'confirmed', 'proven'), id, exists: fc.boolean() }),
  fc.record({
    type: constant('failed'),
    id,
    reason: fc.constantFrom('no-node', 'refused', 'connection-loss'),
    detail: fc.string(),
  }),
  fc.record({ type: fc.constantFrom('node-deleted', 'children-changed'), session, path }),
);

const request = fc.oneof(
  fc.record({ type: constant('connect'), id, session: fc.option(session), sessionTimeoutMs: fc.nat() }),
  fc.record({ type: fc.constantFrom('ensure', 'delete', 'ping', 'confirm', 'prove'), id, session, path }),
  fc.record({ type: constant('create'), id, session, path, data: fc.string() }),
  fc.record({ type: fc.constantFrom('children', 'get'), id, session, path, watch: fc.boolean() }),
);

const noise: fc.Arbitrary<ZooKeeperInput> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: constant('received'),
      from: fc.constant('zookeeper'),
      message: reply as fc.Arbitrary<ZooKeeperMessage>,
    }),
  },
  fc.record({ type: constant('timer-fired'), timer: fc.constantFrom(...timers) }),
  fc.constantFrom({ type: 'campaign-requested' as const }, { type: 'resign-requested' as const }),
  fc.record({ type: constant('health-changed'), healthy: fc.boolean() }),
  fc.record({ type: fc.constantFrom('link-up', 'link-down'), peer: fc.constantFrom('zookeeper', 'n2') }),
);

/** Mostly answers what the node waits for, so that it gets somewhere. */
const input = fc
  .tuple(noise, fc.constantFrom('awaited', 'awaited', 'ping', 'nothing'))
  .map(([next, answers]) => (state: ZooKeeperState): ZooKeeperInput => {
    if (next.type !== 'received' || !('id' in next.message) || answers === 'nothing') return next;
    const awaitedId = answers === 'awaited' ? state.awaited?.id : state.pings[0]?.id;
    return { ...next, message: { ...next.message, id: awaitedId ?? 1 } as ZooKeeperMessage };
  });
const protocols = [zookeeper(), zookeeper({ succession: 'herd' })];
const walk = randomWalk({ protocols, id: 'n1', peers: [], input, maxSteps: 60, walks: 200 });

describeProtocol({ name: 'a ZooKeeper node', invariants, timers, walk });
describeDecoders(zookeeper(), fc.oneof(reply, request) as fc.Arbitrary<ZooKeeperMessage>);

describe('a zxid', () => {
  it('that JavaScript cannot hold exactly is refused rather than rounded', () => {
    const message = { type: 'created', id: 1, path: '/a', czxid: 2 ** 53 };
    expect(() => decodeMessage(message)).toThrow(MalformedError);
    expect(decodeMessage({ ...message, czxid: 2 ** 53 - 1 })).toMatchObject({ czxid: 2 ** 53 - 1 });
  });
});

describe('the settings', () => {
  it('must leave something of the session, and name a path that ZooKeeper takes', () => {
    expect(() => zookeeper({ sessionTimeoutMs: 0 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ sessionTimeoutMs: 200 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ driftBound: 0.2 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ driftBound: -1 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ retryMs: [9, 3] })).toThrow(InvalidOptionError);
    for (const bad of ['', 'a', '/', '/a/', '//a', '/a/../b', '/a/.']) {
      expect(() => zookeeper({ path: bad }), bad).toThrow(InvalidOptionError);
    }
  });

  it('must be text that ZooKeeper can keep: half a character would come back as another', () => {
    expect(() => initialState('n\ud800')).toThrow(InvalidOptionError);
    expect(() => zookeeper({ path: '/jobs\udfff' })).toThrow(InvalidOptionError);
    expect(initialState('n😀').id).toBe('n😀');
  });

  it('are accepted when they do', () => {
    expect(zookeeper({ path: '/a/b.c/..d', sessionTimeoutMs: 400 }).variant).toBe('default');
    expect(zookeeper({ succession: 'herd' }).variant).toBe('herd');
  });
});
