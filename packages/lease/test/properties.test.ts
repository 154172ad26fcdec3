import { InvalidOptionError } from '@hustings/elector';
import { MalformedError } from '@hustings/elector/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeDurable,
  decodeMessage,
  defaultSettings,
  guardMs,
  initialState,
  invariants,
  type LeaseInput,
  type LeaseReply,
  type LeaseState,
  lease,
  type StoreTraits,
  step,
} from '../src/index.js';

const traits: StoreTraits = {
  ...{ name: 'test', clock: 'store', expiryFactor: 1, minTtlMs: 100, granularityMs: 1, survives: 'disk' },
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: ['the store is there'],
};

const token = fc.integer({ min: 1, max: 9 }).map(String);
const view = fc.record({
  holder: fc.constantFrom('n1#p', 'n1#former', 'n2#q', null),
  token: fc.oneof(token, fc.constant(null)),
  expiresInMs: fc.integer({ min: 0, max: 3000 }),
  version: fc.constantFrom('v1', 'v2', null),
});
const grant = {
  token,
  validForMs: fc.integer({ min: 0, max: 3000 }),
  sentMs: fc.integer({ min: 0, max: 5000 }),
};

/** Replies to whatever was asked last, or to something else. */
const reply: fc.Arbitrary<(state: LeaseState) => LeaseReply> = fc
  .tuple(
    fc.constantFrom<(state: LeaseState) => number>(
      (state) => state.request ?? 0,
      (state) => state.look ?? 0,
      (state) => state.renewal ?? 0,
      (state) => state.watch ?? 0,
      (state) => state.eviction ?? 0,
      () => 1,
    ),
    fc.oneof(
      fc.record({
        type: fc.constant('acquired' as const),
        holder: fc.constantFrom('n1#p', 'n1#p', 'n1#former'),
        ...grant,
      }),
      fc.record({ type: fc.constant('renewed' as const), ...grant }),
      view.map((lease) => ({ type: 'held' as const, ...lease })),
      fc.record({ type: fc.constant('found' as const), lease: fc.oneof(view, fc.constant(null)) }),
      fc.record({ type: fc.constant('lost' as const), token }),
      fc.record({ type: fc.constantFrom('released' as const, 'watching' as const, 'changed' as const) }),
      fc.record({
        type: fc.constant('failed' as const),
        reason: fc.constantFrom('refused' as const, 'unavailable' as const, 'timeout' as const),
        detail: fc.constant(''),
      }),
    ),
  )
  .map(
    ([idOf, body]) =>
      (state) =>
        ({ ...body, id: idOf(state) }) as LeaseReply,
  );

const input: fc.Arbitrary<(state: LeaseState) => LeaseInput> = fc.oneof(
  {
    weight: 5,
    arbitrary: reply.map(
      (of) => (state: LeaseState) => ({ type: 'received', from: 'store', message: of(state) }) as const,
    ),
  },
  fc
    .constantFrom<LeaseInput>(
      { type: 'campaign-requested' },
      { type: 'resign-requested' },
      { type: 'lease-expired' },
      { type: 'health-changed', healthy: true },
      { type: 'health-changed', healthy: false },
      { type: 'observation-changed', observed: true },
      { type: 'observation-changed', observed: false },
      { type: 'link-up', peer: 'store' },
      { type: 'link-down', peer: 'store' },
      { type: 'link-down', peer: 'n2' },
      { type: 'peer-gone', peer: 'n2', incarnation: 'q' },
      { type: 'peer-gone', peer: 'n1', incarnation: 'former' },
      { type: 'requested', request: { type: 'accept-lower-tokens' } },
      { type: 'timer-fired', timer: 'request' },
      { type: 'timer-fired', timer: 'look' },
      { type: 'timer-fired', timer: 'due' },
      { type: 'timer-fired', timer: 'renew' },
    )
    .map((constant) => () => constant),
);

const inputs = fc.array(fc.tuple(input, fc.integer({ min: 0, max: 500 })), { maxLength: 40 });
const clock = fc.constantFrom('store' as const, 'observer' as const);
/** It takes two inputs of some twenty to make most mistakes, and an answer of one kind to one request of several. */
const often = { numRuns: 1000 };

function play(
  script: readonly (readonly [(state: LeaseState) => LeaseInput, number])[],
  rules: StoreTraits['clock'] = 'store',
  onStep: (before: LeaseState, after: LeaseState, effects: ReturnType<typeof step>[1]) => void = () => {},
): LeaseState {
  let nowMs = 1;
  const store = { ...traits, clock: rules };
  let state = initialState(
    'n1',
    { ...defaultSettings, store, name: 'e', ttlMs: 3000, deathCertificates: true },
    'p',
  );
  const give = (next: LeaseInput): void => {
    const before = state;
    const [after, effects] = step(before, next, nowMs);
    state = after;
    onStep(before, after, effects);
  };
  give({ type: 'started' });
  give({ type: 'campaign-requested' });
  for (const [next, passedMs] of script) {
    nowMs += passedMs;
    give(next(state));
  }
  return state;
}

describe('whatever a lease elector hears', () => {
  it('its invariants hold after every step', () => {
    fc.assert(
      fc.property(inputs, clock, (script, rules) => {
        play(script, rules, (_, after) => {
          for (const [name, check] of Object.entries(invariants.ofOneState ?? {})) {
            expect([name, check(after)]).toEqual([name, null]);
          }
        });
      }),
      often,
    );
  });

  it('so do those of two states in a row', () => {
    fc.assert(
      fc.property(inputs, clock, (script, rules) => {
        play(script, rules, (before, after) => {
          for (const [name, check] of Object.entries(invariants.ofTwoStates ?? {})) {
            expect([name, check(before, after)]).toEqual([name, null]);
          }
        });
      }),
      often,
    );
  });

  it('its state survives JSON', () => {
    fc.assert(
      fc.property(inputs, clock, (script, rules) => {
        const end = play(script, rules);
        expect(JSON.parse(JSON.stringify(end))).toEqual(end);
      }),
      often,
    );
  });

  it('it changes no state that it was given', () => {
    fc.assert(
      fc.property(inputs, clock, (script, rules) => {
        let copy: LeaseState | null = null;
        play(script, rules, (before, after) => {
          if (copy !== null) expect(before).toEqual(copy);
          copy = structuredClone(after);
        });
      }),
      often,
    );
  });

  it('it never follows or campaigns while it leads, and leads with one token at a time', () => {
    fc.assert(
      fc.property(inputs, clock, (script, rules) => {
        let leading: bigint | null = null;
        play(script, rules, (_before, _after, effects) => {
          for (const effect of effects) {
            if (effect.type === 'lead') {
              expect(leading ?? effect.token).toBe(effect.token);
              expect(effect.validForMs).toBeGreaterThan(0);
              leading = effect.token;
            }
            if (effect.type === 'step-down') leading = null;
            if (effect.type === 'follow' || effect.type === 'campaign') expect(leading).toBeNull();
          }
        });
      }),
      often,
    );
  });

  it('it releases nothing that it leads with', () => {
    fc.assert(
      fc.property(inputs, clock, (script, rules) => {
        play(script, rules, (_before, after, effects) => {
          const released = effects.flatMap((effect) =>
            effect.type === 'send' && effect.message.type === 'release' ? [effect.message.token] : [],
          );
          if (after.phase === 'leading') expect(released).toEqual([]);
        });
      }),
      often,
    );
  });
});

describe('the decoders', () => {
  it('give back what was encoded', () => {
    fc.assert(
      fc.property(reply, (of) => {
        const message = of(initialState('n1', { ...defaultSettings, store: traits }, 'p'));
        expect(decodeMessage(JSON.parse(JSON.stringify(message)))).toEqual(message);
      }),
    );
  });

  it('give back every request', () => {
    fc.assert(
      fc.property(inputs, clock, (script, rules) => {
        play(script, rules, (_before, _after, effects) => {
          for (const effect of effects) {
            if (effect.type !== 'send') continue;
            expect(decodeMessage(JSON.parse(JSON.stringify(effect.message)))).toEqual(effect.message);
          }
        });
      }),
      often,
    );
  });

  it('refuse everything else with MalformedError', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const decode of [decodeMessage, decodeDurable]) {
          try {
            decode(value);
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedError);
          }
        }
      }),
    );
  });

  it('refuse tokens and times that would be misread', () => {
    const acquired = { type: 'acquired', id: 1, holder: 'n1#p', token: '1', validForMs: 1, sentMs: 1 };
    expect(decodeMessage(acquired)).toEqual(acquired);
    for (const wrong of [{ token: '01' }, { token: '-1' }, { token: '1.5' }, { validForMs: Number.NaN }]) {
      expect(() => decodeMessage({ ...acquired, ...wrong })).toThrow(MalformedError);
    }
    expect(() => decodeMessage({ type: 'failed', id: 1, reason: 'bored', detail: '' })).toThrow(
      MalformedError,
    );
    expect(() => decodeDurable({})).toThrow(MalformedError);
    expect(decodeDurable(null)).toBeNull();
  });
});

describe('the settings', () => {
  it('must leave most of the lease to lead in', () => {
    for (const wrong of [
      { ttlMs: 150, marginMs: 100 },
      { driftBound: 0.3 },
      { driftBound: -0.1 },
      { ttlMs: 99, marginMs: 0 },
      { ttlMs: Number.POSITIVE_INFINITY },
      { renewAfter: 0.8 },
      { renewAfter: 0 },
      { name: '' },
      { retryMs: [0, 0] as const },
      { retryMs: [9, 1] as const },
      { requestTimeoutMs: 0 },
    ]) {
      expect(() => lease(traits, wrong), JSON.stringify(wrong)).toThrow(InvalidOptionError);
    }
  });

  it('are accepted when they do, and the store says what is promised', () => {
    const { algorithm, variant, guarantees } = lease(traits);
    expect({ algorithm, variant }).toEqual({ algorithm: 'lease', variant: 'test' });
    expect(guarantees).toMatchObject({ ...traits.guarantees, leased: true, orderedSuccession: false });
    expect(guarantees.assumptions).toContain('the store is there');
    const weak = { ...traits, guarantees: { ...traits.guarantees, atMostOneLeader: false } };
    expect(lease(weak).guarantees.atMostOneLeader).toBe(false);
  });

  it('leave a guard that covers a slow clock here and a fast one there', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 0.1, noNaN: true }),
        fc.integer({ min: 1000, max: 60_000 }),
        (driftBound, ttlMs) => {
          const ours = ttlMs - guardMs({ driftBound, marginMs: 0 }, ttlMs);
          // In real time: a slow clock measures less than passes, a fast one more.
          expect(ours / (1 - driftBound)).toBeLessThanOrEqual(ttlMs / (1 + driftBound) + 1e-6);
        },
      ),
    );
  });
});
