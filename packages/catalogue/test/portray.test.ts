import { nodeNames, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { algorithmNames, configure, defaultBudgetMs, open, type Trait, variantsOf } from '../src/index.js';

/** Three nodes, a while after one of them has begun to lead. */
function portraitsOf(algorithm: string, variant: string) {
  return open(algorithm)((opened) => {
    const { protocol, services } = configure(opened, variant, 'matched', defaultBudgetMs);
    const simulation = new Simulation({ protocol, services, nodes: nodeNames(3), seed: 1 });
    simulation.runUntilTrue(() => simulation.leader !== null, 60_000);
    simulation.runUntil(simulation.nowMs + 2000);
    const portraits = simulation.nodes.map((node) => ({
      id: node.id,
      traits: opened.portray(node.state, node.localMs(simulation.nowMs)),
    }));
    return { leader: simulation.leader!, portraits, leased: protocol.guarantees.leased };
  });
}

const traitOf = (traits: readonly Trait[], name: string): string | null =>
  traits.find((trait) => trait.name === name)?.value ?? null;

const electors = algorithmNames.flatMap((name) => variantsOf(name).map((variant) => ({ name, variant })));

describe.each(electors)('the portrait of $name ($variant)', ({ name, variant }) => {
  const { leader, portraits, leased } = portraitsOf(name, variant);

  it('says of the leader that it leads, and of nobody else', () => {
    const leaders = portraits.filter(({ traits }) => traitOf(traits, 'role') === 'leader');
    expect(leaders.map(({ id }) => id)).toEqual([leader.id]);
  });

  it('names the leader to everyone who knows it', () => {
    for (const { id, traits } of portraits.filter(({ id }) => id !== leader.id)) {
      expect(traitOf(traits, 'role'), id).toContain(leader.id);
    }
  });

  it('has the number that orders leaderships', () => {
    const { traits } = portraits.find(({ id }) => id === leader.id)!;
    const number = traitOf(traits, 'token') ?? traitOf(traits, 'term') ?? traitOf(traits, 'epoch');
    expect(number).toBe(`${leader.leadership?.token}`);
  });

  it('has the time left of a lease, where there is one', () => {
    const { traits } = portraits.find(({ id }) => id === leader.id)!;
    const left = traitOf(traits, 'lease') ?? traitOf(traits, 'session');
    if (leased) expect(left).toMatch(/^\d+ ms left$/);
    else expect(left).toBeNull();
  });

  it('is short enough to stand beside a node', () => {
    for (const { traits } of portraits) {
      expect(traits.length).toBeLessThanOrEqual(6);
      for (const { name, value } of traits) expect(`${name} ${value}`.length).toBeLessThanOrEqual(40);
    }
  });
});

describe('a node of which there is more to say', () => {
  const roleAtStart = (algorithm: string) =>
    open(algorithm)((opened) => {
      const { protocol } = configure(opened, 'default', 'matched', defaultBudgetMs);
      return opened.portray(protocol.initialState('n1', ['n2', 'n3'], 'n1.0'), 0);
    });

  it.each(algorithmNames)('of %s says that it does not stand before it is asked to', (algorithm) => {
    expect(traitOf(roleAtStart(algorithm), 'absence')).toBe('does not stand');
  });

  it.each(algorithmNames)('of %s leads nobody, and follows nobody', (algorithm) => {
    expect(traitOf(roleAtStart(algorithm), 'role')).toMatch(/nobody|listens/);
  });
});
