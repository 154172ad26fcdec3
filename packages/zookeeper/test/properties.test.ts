import { fc, test } from '@fast-check/vitest';
import { InvalidOptionError } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import { describe, expect } from 'vitest';
import {
  decodeDurable,
  decodeMessage,
  initialState,
  invariants,
  protectedName,
  step,
  type ZooKeeperInput,
  type ZooKeeperMessage,
  type ZooKeeperReply,
  type ZooKeeperTimer,
  zookeeper,
} from '../src/index.js';

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

const input: fc.Arbitrary<ZooKeeperInput> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: constant('received'),
      from: fc.constant('zookeeper'),
      message: reply as fc.Arbitrary<ZooKeeperMessage>,
    }),
  },
  fc.record({ type: constant('timer-fired'), timer: fc.constantFrom<ZooKeeperTimer>('request', 'ping') }),
  fc.constantFrom(
    { type: 'campaign-requested' as const },
    { type: 'resign-requested' as const },
    { type: 'lease-expired' as const },
  ),
  fc.record({ type: constant('health-changed'), healthy: fc.boolean() }),
  fc.record({ type: fc.constantFrom('link-up', 'link-down'), peer: fc.constantFrom('zookeeper', 'n2') }),
);

/** Answers whatever the node waits for last, so that it gets somewhere; the rest is noise. */
function run(
  inputs: readonly ZooKeeperInput[],
  each: (index: number, taken: ReturnType<typeof step>) => void,
) {
  let [state] = step(initialState('n1'), { type: 'started' }, 1000);
  inputs.forEach((next, index) => {
    const meant =
      next.type === 'received' && 'id' in next.message && index % 3 !== 0
        ? {
            ...next,
            message: { ...next.message, id: (index % 2 ? state.awaited?.id : state.pings[0]?.id) ?? 1 },
          }
        : next;
    const before = state;
    const taken = step(before, meant as ZooKeeperInput, 1000 + 50 * index);
    [state] = taken;
    for (const check of Object.values(invariants.ofOneState ?? {})) expect(check(state)).toBeNull();
    for (const check of Object.values(invariants.ofTwoStates ?? {})) expect(check(before, state)).toBeNull();
    each(index, taken);
  });
  return state;
}

describe('whatever a ZooKeeper node hears', () => {
  test.prop([fc.array(input, { maxLength: 60 })])('its invariants hold after every step', (inputs) => {
    run(inputs, () => {});
  });

  test.prop([fc.array(input, { maxLength: 60 })])(
    'it never follows or campaigns between lead and step-down',
    (inputs) => {
      let leading = false;
      run(inputs, (_, [, effects]) => {
        for (const effect of effects) {
          if (effect.type === 'lead') leading = true;
          if (effect.type === 'step-down') leading = false;
          if (effect.type === 'follow' || effect.type === 'campaign') expect(leading).toBe(false);
        }
      });
    },
  );

  test.prop([fc.array(input, { maxLength: 40 })])('its state survives JSON', (inputs) => {
    const end = run(inputs, () => {});
    expect(JSON.parse(JSON.stringify(end))).toEqual(end);
  });

  test.prop([fc.array(input, { maxLength: 20 })])('it changes no state that it was given', (inputs) => {
    let state = initialState('n1');
    for (const next of inputs) {
      const copy = structuredClone(state);
      const [after] = step(state, next, 1000);
      expect(state).toEqual(copy);
      state = after;
    }
  });
});

describe('the decoders', () => {
  test.prop([fc.oneof(reply, request)])('give back what was encoded', (original) => {
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

  test('refuse a zxid that JavaScript cannot hold exactly, rather than round it', () => {
    const message = { type: 'created', id: 1, path: '/a', czxid: 2 ** 53 };
    expect(() => decodeMessage(message)).toThrow(MalformedError);
    expect(decodeMessage({ ...message, czxid: 2 ** 53 - 1 })).toMatchObject({ czxid: 2 ** 53 - 1 });
  });
});

describe('the settings', () => {
  test('must leave something of the session, and name a path that ZooKeeper takes', () => {
    expect(() => zookeeper({ sessionTimeoutMs: 0 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ sessionTimeoutMs: 200 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ driftBound: 0.2 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ driftBound: -1 })).toThrow(InvalidOptionError);
    expect(() => zookeeper({ retryMs: [9, 3] })).toThrow(InvalidOptionError);
    for (const bad of ['', 'a', '/', '/a/', '//a', '/a/../b', '/a/.']) {
      expect(() => zookeeper({ path: bad }), bad).toThrow(InvalidOptionError);
    }
  });

  test('must be text that ZooKeeper can keep: half a character would come back as another', () => {
    expect(() => initialState('n\ud800')).toThrow(InvalidOptionError);
    expect(() => zookeeper({ path: '/jobs\udfff' })).toThrow(InvalidOptionError);
    expect(initialState('n😀').id).toBe('n😀');
  });

  test('are accepted when they do', () => {
    expect(zookeeper({ path: '/a/b.c/..d', sessionTimeoutMs: 400 }).variant).toBe('default');
    expect(zookeeper({ succession: 'herd' }).variant).toBe('herd');
  });
});
