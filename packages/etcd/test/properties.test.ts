import { InvalidOptionError } from '@hustings/elector';
import { describeDecoders, describeProtocol, randomWalk } from '@hustings/testkit/properties';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultSettings,
  type EtcdInput,
  type EtcdReply,
  type EtcdState,
  type EtcdTimer,
  etcd,
  guardMs,
  type HeirMessage,
  initialState,
  invariants,
} from '../src/index.js';

const timers: readonly EtcdTimer[] = [
  'request',
  'look',
  'keep-alive',
  'audit',
  'proclaim',
  'offer',
  'inherit',
];
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

const candidacy = fc.record({ key: fc.constantFrom('e/7', 'e/3'), revision: digits });
/** Of the present leadership or candidacy, or of another. */
const heirMessage: fc.Arbitrary<(state: EtcdState) => HeirMessage> = fc
  .tuple(
    fc.oneof(
      fc.record({ type: fc.constant('in-office' as const) }),
      fc.record({ type: fc.constant('volunteer' as const), leader: candidacy, heir: candidacy }),
      fc.record({
        ...{ type: fc.constant('offer' as const), id: small, leader: candidacy, modRevision: digits },
        ...{ heir: candidacy, waitMs: fc.constantFrom(200, 500) },
      }),
      fc.record({ type: fc.constant('promise' as const), id: small, leader: candidacy }),
    ),
    fc.boolean(),
  )
  .map(([message, isMeant]) => ({ session, ownRevision, offer }) => {
    const own = { key: session?.key ?? 'e/7', revision: ownRevision ?? '5' };
    if (!isMeant || message.type === 'in-office') return message;
    if (message.type === 'offer') return { ...message, heir: own };
    if (message.type === 'volunteer') return { ...message, leader: own };
    return { ...message, leader: own, id: offer?.heartbeats.at(-1)?.id ?? message.id };
  });

const input: fc.Arbitrary<(state: EtcdState) => EtcdInput> = fc.oneof(
  {
    weight: 5,
    arbitrary: reply.map(
      (of) => (state: EtcdState) => ({ type: 'received', from: 'etcd', message: of(state) }) as const,
    ),
  },
  {
    weight: 2,
    arbitrary: heirMessage.map(
      (of) => (state: EtcdState) => ({ type: 'received', from: 'n2', message: of(state) }) as const,
    ),
  },
  fc
    .constantFrom<EtcdInput>(
      { type: 'campaign-requested' },
      { type: 'resign-requested' },
      { type: 'health-changed', healthy: true },
      { type: 'health-changed', healthy: false },
      { type: 'observation-changed', observed: true },
      { type: 'observation-changed', observed: false },
      { type: 'link-up', peer: 'etcd' },
      { type: 'link-down', peer: 'etcd' },
      { type: 'link-up', peer: 'n2' },
      { type: 'link-down', peer: 'n2' },
      { type: 'requested', request: { type: 'proclaim', value: 'value' } },
      { type: 'requested', request: { type: 'accept-lower-tokens' } },
      ...timers.map((timer) => ({ type: 'timer-fired', timer }) as const),
    )
    .map((constant) => () => constant),
);

const variants = [{}, { succession: 'race' }, { heirWaitMs: 500 }] as const;
const protocols = variants.map((settings) => etcd({ name: 'e', ttlSeconds: 3, ...settings }));
const walk = randomWalk({ protocols, id: 'n1', peers: ['n2', 'n3'], input, walks: 200 });

describeProtocol({ name: 'an etcd elector', invariants, timers, walk });
describeDecoders(
  etcd(),
  fc.oneof(
    reply.map((of) => of(initialState('n1'))),
    heirMessage.map((of) => of(initialState('n1'))),
  ),
);

describe('the settings', () => {
  it('must leave most of the lease to lead in', () => {
    expect(() => etcd({ ttlSeconds: 1, marginMs: 600 })).toThrow(InvalidOptionError);
    expect(() => etcd({ driftBound: 0.3 })).toThrow(InvalidOptionError);
    expect(() => etcd({ ttlSeconds: 0 })).toThrow(InvalidOptionError);
    expect(() => etcd({ ttlSeconds: 1.5 })).toThrow(InvalidOptionError);
    expect(() => etcd({ renewAfter: 0.8 })).toThrow(InvalidOptionError);
    expect(() => etcd({ name: '' })).toThrow(InvalidOptionError);
    expect(() => etcd({ retryMs: [0, 0] })).toThrow(InvalidOptionError);
    expect(() => initialState('two\nlines')).toThrow(InvalidOptionError);
  });

  it('must be text that etcd can keep: half a character would come back as another', () => {
    expect(() => initialState('n\ud800')).toThrow(InvalidOptionError);
    expect(() => etcd({ name: 'jobs\udfff' })).toThrow(InvalidOptionError);
    expect(initialState('n😀').id).toBe('n😀');
  });

  it('are accepted when they do', () => {
    expect(etcd().algorithm).toBe('etcd');
    expect(etcd({ succession: 'race' })).toMatchObject({
      variant: 'race',
      guarantees: { orderedSuccession: false },
    });
  });

  it('leave a guard that covers a slow clock here and a fast one there', () => {
    const drift = fc.double({ min: 0, max: 0.1, noNaN: true });
    const property = fc.property(drift, fc.integer({ min: 1000, max: 60_000 }), (driftBound, ttlMs) => {
      const ours = ttlMs - guardMs({ ...defaultSettings, driftBound, marginMs: 0 }, ttlMs);
      // In real time: a slow clock measures less than passes, a fast one more.
      expect(ours / (1 - driftBound)).toBeLessThanOrEqual(ttlMs / (1 + driftBound) + 1e-6);
    });
    fc.assert(property);
  });
});
