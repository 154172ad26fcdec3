import { InvalidOptionError } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { type LeaseInput, type LeaseView, lease } from '../src/index.js';
import { Hand, traits, view } from './hand.js';

const held: LeaseView = view({ holder: 'n2#first' });

/** A node that is fed deaths, too. */
class Witness extends Hand {
  constructor(deathCertificates = true) {
    super({ deathCertificates });
  }

  /** Asks for the lease, and is told who has it. */
  waits(lease: LeaseView = held): this {
    return this.stands().held(lease);
  }

  died(incarnation: string): this {
    return this.give({ type: 'peer-gone', peer: 'n2', incarnation });
  }
}

describe('given a candidate that waits for a lease', () => {
  it('releases it when the process that has it is certified dead, naming holder and token', () => {
    expect(new Witness().waits().died('first').sent('release')).toEqual([
      { type: 'release', id: expect.any(Number), name: 'e', holder: 'n2#first', token: '7' },
    ]);
  });

  it('asks for it when that is acknowledged, and does not lead before it has it', () => {
    const witness = new Witness().waits().died('first');
    expect([witness.state.phase, witness.sent('acquire')]).toEqual(['waiting', []]);
    witness.hear({ type: 'released', id: witness.state.eviction ?? -1 });
    expect(witness.sent('acquire')).toMatchObject([{ holder: 'n1#p' }]);
    expect(witness.state.phase).toBe('acquiring');
  });

  it.each<[string, LeaseInput]>([
    ['another process of that node', { type: 'peer-gone', peer: 'n2', incarnation: 'second' }],
    ['a process of another node', { type: 'peer-gone', peer: 'n3', incarnation: 'first' }],
    ['a closed connection', { type: 'link-down', peer: 'n2' }],
  ])('releases nothing on account of %s', (_, input) => {
    expect(new Witness().waits().give(input).sent('release')).toEqual([]);
  });

  it('releases it again when the next look still shows it', () => {
    const witness = new Witness().waits().died('first').give({ type: 'timer-fired', timer: 'look' });
    witness.hear({ type: 'found', id: witness.state.look ?? -1, lease: held });
    expect(witness.sent('release')).toHaveLength(1);
  });

  it('looks again soon, since a release may be lost', () => {
    expect(new Witness().waits().died('first').effects).toContainEqual(
      expect.objectContaining({ type: 'set-timer', timer: 'look', delayMs: [1000, 1000] }),
    );
  });

  it('releases the lease of one whose death it knew before it knew the lease', () => {
    const witness = new Witness().died('first');
    expect(witness.sent('release')).toEqual([]);
    expect(witness.waits().sent('release')).toHaveLength(1);
  });

  it('releases nothing whose token it does not know', () => {
    expect(
      new Witness()
        .waits({ ...held, token: null })
        .died('first')
        .sent('release'),
    ).toEqual([]);
  });
});

describe('given a node that does not stand', () => {
  it('releases the lease of the dead all the same', () => {
    const witness = new Witness();
    witness.hear({ type: 'found', id: witness.state.look ?? -1, lease: held });
    expect(witness.died('first').sent('release')).toHaveLength(1);
  });
});

describe('without death certificates', () => {
  it('nothing is remembered of one, and nothing released', () => {
    const witness = new Witness(false).waits().died('first');
    expect([witness.state.gone, witness.effects]).toEqual([[], []]);
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
