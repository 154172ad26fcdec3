import { InvalidOptionError } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import {
  type LeaseEffect,
  type LeaseInput,
  type LeaseReply,
  type LeaseState,
  type LeaseView,
  lease,
  type StoreTraits,
  step,
} from '../src/index.js';

const traits: StoreTraits = {
  ...{ name: 'test', clock: 'store', expiryFactor: 1, minTtlMs: 1, granularityMs: 1, survives: 'disk' },
  releasedBy: 'anybody',
  guarantees: { atMostOneLeader: true, monotonicTokens: true, toleratesPartition: true },
  assumptions: [],
};

const held: LeaseView = { holder: 'n2#first', token: '7', expiresInMs: 4000, version: null };

/** A node that is fed inputs by hand. */
class Hand {
  state: LeaseState;
  effects: readonly LeaseEffect[] = [];

  constructor(deathCertificates = true) {
    this.state = lease(traits, { name: 'e', deathCertificates }).initialState('n1', ['n2'], 'p');
    this.give({ type: 'started' });
  }

  give(...inputs: readonly LeaseInput[]): this {
    for (const input of inputs) [this.state, this.effects] = step(this.state, input, 1);
    return this;
  }

  hear(message: LeaseReply): this {
    return this.give({ type: 'received', from: 'store', message });
  }

  /** Asks for the lease, and is told who has it. */
  waits(view: LeaseView = held): this {
    this.give({ type: 'campaign-requested' });
    return this.hear({ type: 'held', id: this.state.request ?? -1, ...view });
  }

  died(incarnation: string): this {
    return this.give({ type: 'peer-gone', peer: 'n2', incarnation });
  }

  sent(type: string): unknown[] {
    return this.effects.flatMap((effect) =>
      effect.type === 'send' && effect.message.type === type ? [effect.message] : [],
    );
  }
}

describe('given a candidate that waits for a lease', () => {
  it('releases it when the process that has it is certified dead, naming holder and token', () => {
    expect(new Hand().waits().died('first').sent('release')).toEqual([
      { type: 'release', id: expect.any(Number), name: 'e', holder: 'n2#first', token: '7' },
    ]);
  });

  it('asks for it when that is acknowledged, and does not lead before it has it', () => {
    const hand = new Hand().waits().died('first');
    expect([hand.state.phase, hand.sent('acquire')]).toEqual(['waiting', []]);
    hand.hear({ type: 'released', id: hand.state.eviction ?? -1 });
    expect(hand.sent('acquire')).toMatchObject([{ holder: 'n1#p' }]);
    expect(hand.state.phase).toBe('acquiring');
  });

  it.each<[string, LeaseInput]>([
    ['another process of that node', { type: 'peer-gone', peer: 'n2', incarnation: 'second' }],
    ['a process of another node', { type: 'peer-gone', peer: 'n3', incarnation: 'first' }],
    ['a closed connection', { type: 'link-down', peer: 'n2' }],
  ])('releases nothing on account of %s', (_, input) => {
    expect(new Hand().waits().give(input).sent('release')).toEqual([]);
  });

  it('releases it again when the next look still shows it', () => {
    const hand = new Hand().waits().died('first').give({ type: 'timer-fired', timer: 'look' });
    hand.hear({ type: 'found', id: hand.state.look ?? -1, lease: held });
    expect(hand.sent('release')).toHaveLength(1);
  });

  it('looks again soon, since a release may be lost', () => {
    expect(new Hand().waits().died('first').effects).toContainEqual(
      expect.objectContaining({ type: 'set-timer', timer: 'look', delayMs: [1000, 1000] }),
    );
  });

  it('releases the lease of one whose death it knew before it knew the lease', () => {
    const hand = new Hand().died('first');
    expect(hand.sent('release')).toEqual([]);
    expect(hand.waits().sent('release')).toHaveLength(1);
  });

  it('releases nothing whose token it does not know', () => {
    expect(
      new Hand()
        .waits({ ...held, token: null })
        .died('first')
        .sent('release'),
    ).toEqual([]);
  });
});

describe('given a node that does not stand', () => {
  it('releases the lease of the dead all the same', () => {
    const hand = new Hand();
    hand.hear({ type: 'found', id: hand.state.look ?? -1, lease: held });
    expect(hand.died('first').sent('release')).toHaveLength(1);
  });
});

describe('without death certificates', () => {
  it('nothing is remembered of one, and nothing released', () => {
    const hand = new Hand(false).waits().died('first');
    expect([hand.state.gone, hand.effects]).toEqual([[], []]);
  });

  it('nobody need assume anything about addresses', () => {
    const [without, withThem] = [false, true].map((deathCertificates) =>
      lease(traits, { deathCertificates }).guarantees.assumptions.join(';'),
    );
    expect(without).not.toContain('listener');
    expect(withThem).toContain('nodes are dialled at the address and port of their own listener');
  });
});

describe('a store whose leases only their holders can release', () => {
  it('is refused', () => {
    const { releasedBy: _, ...others } = traits;
    for (const store of [others, { ...traits, releasedBy: 'holder' as const }]) {
      expect(() => lease(store, { deathCertificates: true })).toThrow(InvalidOptionError);
      expect(lease(store).deathCertificates).toBe(false);
    }
  });
});
