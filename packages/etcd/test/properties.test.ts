import { fc, test } from '@fast-check/vitest';
import { InvalidOptionError } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import { describe, expect } from 'vitest';
import {
  decodeDurable,
  decodeMessage,
  defaultSettings,
  type EtcdInput,
  type EtcdReply,
  type EtcdState,
  etcd,
  guardMs,
  initialState,
  invariants,
  step,
} from '../src/index.js';

const small = fc.integer({ min: 1, max: 9 });
const digits = small.map(String);
const keyValue = fc.record({
  key: fc.constantFrom('e/7', 'e/3', 'e/4'),
  value: fc.constantFrom('n1', 'n2', 'n3\nvalue'),
  lease: fc.constantFrom('7', '3', '4'),
  createRevision: digits,
  modRevision: digits,
});
const change = fc.oneof(
  fc.record({ type: fc.constant('delete' as const), key: fc.constantFrom('e/7', 'e/3'), revision: digits }),
  fc.record({
    type: fc.constant('put' as const),
    key: fc.constantFrom('e/7', 'e/3'),
    revision: digits,
    value: fc.constant('n2'),
    lease: fc.constantFrom('7', '3'),
    createRevision: digits,
  }),
);
const result = {
  succeeded: fc.boolean(),
  revision: digits,
  clusterId: fc.constantFrom('1', '1', '1', '2'),
  found: fc.array(fc.array(keyValue, { maxLength: 3 }), { maxLength: 2 }),
};

/** Replies to whatever was asked last, or to something else. */
const reply: fc.Arbitrary<(state: EtcdState) => EtcdReply> = fc
  .tuple(
    fc.constantFrom<(state: EtcdState) => number>(
      (state) => state.request ?? 0,
      (state) => state.look ?? 0,
      (state) => state.proclaimRequest ?? 0,
      (state) => state.watch?.id ?? 0,
      () => 1,
    ),
    fc.oneof(
      fc.record({
        type: fc.constantFrom('granted' as const, 'kept-alive' as const),
        lease: fc.constantFrom('7', '8'),
        ttlSeconds: fc.integer({ min: 0, max: 3 }),
        sentMs: fc.integer({ min: 0, max: 5000 }),
      }),
      fc.record({ type: fc.constantFrom('txn-done' as const, 'audited' as const), ...result }),
      fc.record({
        type: fc.constantFrom('watching' as const, 'watch-cancelled' as const, 'revoked' as const),
      }),
      fc.record({ type: fc.constant('changed' as const), changes: fc.array(change, { maxLength: 3 }) }),
      fc.record({
        type: fc.constant('watch-lost' as const),
        reason: fc.constantFrom('compacted' as const, 'disconnected' as const),
      }),
      fc.record({
        type: fc.constant('failed' as const),
        reason: fc.constantFrom('lease-not-found' as const, 'refused' as const, 'timeout' as const),
        detail: fc.constant(''),
      }),
    ),
  )
  .map(
    ([idOf, body]) =>
      (state) =>
        // A lease that was not asked for just now is refused, so most are echoed as they should be.
        ({
          ...body,
          ...('sentMs' in body && body.sentMs % 4 > 0 ? { sentMs: state.requestedMs } : {}),
          id: idOf(state),
        }) as EtcdReply,
  );

const input: fc.Arbitrary<(state: EtcdState) => EtcdInput> = fc.oneof(
  {
    weight: 5,
    arbitrary: reply.map(
      (of) => (state: EtcdState) => ({ type: 'received', from: 'etcd', message: of(state) }) as const,
    ),
  },
  fc
    .constantFrom<EtcdInput>(
      { type: 'campaign-requested' },
      { type: 'resign-requested' },
      { type: 'lease-expired' },
      { type: 'health-changed', healthy: true },
      { type: 'health-changed', healthy: false },
      { type: 'observation-changed', observed: true },
      { type: 'observation-changed', observed: false },
      { type: 'link-up', peer: 'etcd' },
      { type: 'link-down', peer: 'etcd' },
      { type: 'requested', request: { type: 'proclaim', value: 'value' } },
      { type: 'requested', request: { type: 'accept-lower-tokens' } },
      { type: 'timer-fired', timer: 'request' },
      { type: 'timer-fired', timer: 'look' },
      { type: 'timer-fired', timer: 'keep-alive' },
      { type: 'timer-fired', timer: 'audit' },
      { type: 'timer-fired', timer: 'proclaim' },
    )
    .map((constant) => () => constant),
);

const inputs = fc.array(fc.tuple(input, fc.integer({ min: 0, max: 500 })), { maxLength: 40 });

function play(
  script: readonly (readonly [(state: EtcdState) => EtcdInput, number])[],
  settings = {},
  onStep: (before: EtcdState, after: EtcdState, effects: ReturnType<typeof step>[1]) => void = () => {},
): EtcdState {
  let nowMs = 1;
  let state = initialState('n1', { ...defaultSettings, name: 'e', ttlSeconds: 3, ...settings });
  [state] = step(state, { type: 'started' }, nowMs);
  for (const [next, passedMs] of script) {
    nowMs += passedMs;
    const before = state;
    const [after, effects] = step(before, next(before), nowMs);
    state = after;
    onStep(before, after, effects);
  }
  return state;
}

const settings = fc.record({
  succession: fc.constantFrom('queue' as const, 'race' as const),
});

describe('whatever an etcd elector hears', () => {
  test.prop([inputs, settings])('its invariants hold after every step', (script, options) => {
    play(script, options, (_, after) => {
      for (const [name, check] of Object.entries(invariants.ofOneState ?? {})) {
        expect([name, check(after)]).toEqual([name, null]);
      }
    });
  });

  test.prop([inputs, settings])('its state survives JSON', (script, options) => {
    const end = play(script, options);
    expect(JSON.parse(JSON.stringify(end))).toEqual(end);
  });

  test.prop([inputs, settings])('it changes no state that it was given', (script, options) => {
    let copy: EtcdState | null = null;
    play(script, options, (before, after) => {
      if (copy !== null) expect(before).toEqual(copy);
      copy = structuredClone(after);
    });
  });

  test.prop([inputs, settings])(
    'it never follows or campaigns while it leads, and leads with one token at a time',
    (script, options) => {
      let token: bigint | null = null;
      play(script, options, (_before, _after, effects) => {
        for (const effect of effects) {
          if (effect.type === 'lead') {
            expect(token ?? effect.token).toBe(effect.token);
            expect(effect.validForMs).toBeGreaterThan(0);
            token = effect.token;
          }
          if (effect.type === 'step-down') token = null;
          if (effect.type === 'follow' || effect.type === 'campaign') expect(token).toBeNull();
        }
      });
    },
  );
});

describe('the decoders', () => {
  test.prop([reply])('give back what was encoded', (of) => {
    const message = of(initialState('n1'));
    expect(decodeMessage(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });

  test.prop([inputs])('give back every request', (script) => {
    play(script, {}, (_before, _after, effects) => {
      for (const effect of effects) {
        if (effect.type !== 'send') continue;
        expect(decodeMessage(JSON.parse(JSON.stringify(effect.message)))).toEqual(effect.message);
      }
    });
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
  test('must leave most of the lease to lead in', () => {
    expect(() => etcd({ ttlSeconds: 1, marginMs: 600 })).toThrow(InvalidOptionError);
    expect(() => etcd({ driftBound: 0.3 })).toThrow(InvalidOptionError);
    expect(() => etcd({ ttlSeconds: 0 })).toThrow(InvalidOptionError);
    expect(() => etcd({ ttlSeconds: 1.5 })).toThrow(InvalidOptionError);
    expect(() => etcd({ renewAfter: 0.8 })).toThrow(InvalidOptionError);
    expect(() => etcd({ name: '' })).toThrow(InvalidOptionError);
    expect(() => etcd({ retryMs: [0, 0] })).toThrow(InvalidOptionError);
    expect(() => initialState('two\nlines')).toThrow(InvalidOptionError);
  });

  test('must be text that etcd can keep: half a character would come back as another', () => {
    expect(() => initialState('n\ud800')).toThrow(InvalidOptionError);
    expect(() => etcd({ name: 'jobs\udfff' })).toThrow(InvalidOptionError);
    expect(initialState('n😀').id).toBe('n😀');
  });

  test('are accepted when they do', () => {
    expect(etcd().algorithm).toBe('etcd');
    expect(etcd({ succession: 'race' })).toMatchObject({
      variant: 'race',
      guarantees: { orderedSuccession: false },
    });
  });

  test.prop([fc.double({ min: 0, max: 0.1, noNaN: true }), fc.integer({ min: 1000, max: 60_000 })])(
    'leave a guard that covers a slow clock here and a fast one there',
    (driftBound, ttlMs) => {
      const ours = ttlMs - guardMs({ ...defaultSettings, driftBound, marginMs: 0 }, ttlMs);
      // In real time: a slow clock measures less than passes, a fast one more.
      expect(ours / (1 - driftBound)).toBeLessThanOrEqual(ttlMs / (1 + driftBound) + 1e-6);
    },
  );
});
