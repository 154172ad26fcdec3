import type { NodeId } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { explore, type FaultKind, Simulation } from '../src/index.js';
import { ping, type Script, scripted, tick } from './counter-protocol.js';

const silent: Script = () => [];

function simulate(script: Script = silent, deathCertificates = true, seed = 1) {
  const protocol = { ...scripted(script), deathCertificates };
  return new Simulation({ protocol, nodes: ['n1', 'n2', 'n3'], seed, network: { latencyMs: [10, 10] } });
}

const heard = (simulation: ReturnType<typeof simulate>, id: NodeId, ...types: string[]) =>
  simulation.node(id).state.inputs.filter(({ type }) => types.includes(type));

describe('a crash', () => {
  it('is certified to the others, under the name by which they were linked, after the link is down', () => {
    const simulation = simulate();
    simulation.plan({ type: 'crash', node: 'n1', atMs: 100 });
    simulation.runUntil(2000);
    expect(heard(simulation, 'n2', 'link-up', 'link-down', 'peer-gone')).toEqual([
      { type: 'link-up', peer: 'n1', incarnation: 'n1.0' },
      { type: 'link-up', peer: 'n3', incarnation: 'n3.0' },
      { type: 'link-down', peer: 'n1' },
      { type: 'peer-gone', peer: 'n1', incarnation: 'n1.0' },
    ]);
  });

  it('of each life is certified once, however soon the next begins', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = simulate(silent, true, seed);
      for (const atMs of [100, 150, 600]) simulation.plan({ type: 'restart', node: 'n1', atMs });
      simulation.runUntil(4000);
      const names = heard(simulation, 'n3', 'peer-gone').map(
        (input) => 'incarnation' in input && input.incarnation,
      );
      expect(names.toSorted()).toEqual(['n1.0', 'n1.1', 'n1.2']);
    }
  });

  it('behind a cut is certified when the cut has healed', () => {
    const simulation = simulate();
    simulation.plan({ type: 'isolate', node: 'n1', atMs: 100, healAtMs: 3000 });
    simulation.plan({ type: 'crash', node: 'n1', atMs: 200 });
    simulation.runUntil(2999);
    expect(heard(simulation, 'n2', 'peer-gone')).toEqual([]);
    simulation.runUntil(5000);
    expect(heard(simulation, 'n2', 'peer-gone')).toHaveLength(1);
  });

  it('is certified to nobody who has no use for it', () => {
    const simulation = simulate(silent, false);
    simulation.plan({ type: 'crash', node: 'n1', atMs: 100 });
    simulation.runUntil(2000);
    expect(heard(simulation, 'n2', 'link-up', 'peer-gone')).toEqual([]);
  });
});

describe('what is no crash', () => {
  const faults: readonly FaultKind[] = [
    { type: 'pause', node: 'n1' },
    { type: 'isolate', node: 'n1' },
    { type: 'cut', node: 'n1', peer: 'n2' },
    { type: 'one-way', node: 'n1' },
    { type: 'split', side: ['n1'] },
  ];

  it.each(faults)('is never certified: $type', (fault) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = simulate(silent, true, seed);
      simulation.plan({ ...fault, atMs: 100, healAtMs: 6000 });
      simulation.runUntil(9000);
      for (const { id } of simulation.nodes) expect(heard(simulation, id, 'peer-gone')).toEqual([]);
    }
  });

  it('may close a connection all the same, which opens again when it is over', () => {
    const simulation = simulate();
    simulation.plan({ type: 'isolate', node: 'n1', atMs: 100, healAtMs: 6000 });
    simulation.runUntil(9000);
    expect(heard(simulation, 'n2', 'link-up', 'link-down').slice(2)).toEqual([
      { type: 'link-down', peer: 'n1' },
      { type: 'link-up', peer: 'n1', incarnation: 'n1.0' },
    ]);
  });
});

describe('a life that is certified to have ended', () => {
  it('is not heard any more, however late what it sent arrives', () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const simulation = simulate(
        (id, input) =>
          id === 'n1' && ['started', 'timer-fired'].includes(input.type) ? [ping('n2'), tick(5)] : [],
        true,
        seed,
      );
      simulation.plan({ type: 'reorder', atMs: 0 });
      simulation.plan({ type: 'slow-link', node: 'n1', extraMs: 50, atMs: 50, healAtMs: 95 });
      simulation.plan({ type: 'crash', node: 'n1', atMs: 100 });
      simulation.runUntil(3000);
      const { inputs } = simulation.node('n2').state;
      const certified = inputs.findIndex(({ type }) => type === 'peer-gone');
      expect(certified).toBeGreaterThan(0);
      expect(inputs.slice(certified).filter(({ type }) => type === 'received')).toEqual([]);
    }
  });
});

describe('an exploration', () => {
  it('certifies crashes, in every order with what else there is to hear', () => {
    const seen = new Set<string>();
    const protocol = {
      ...scripted((_id, input) => {
        seen.add(input.type === 'peer-gone' ? `${input.peer} ${input.incarnation}` : input.type);
        return [];
      }),
      deathCertificates: true,
    };
    const { endedBy } = explore({ protocol, nodes: ['n1', 'n2'], depth: 7, maxCrashes: 2, maxLosses: 0 });
    expect(endedBy).not.toBe('violation');
    expect([...seen]).toEqual(
      expect.arrayContaining(['link-up', 'link-down', 'n1 n1.0', 'n1 n1.1', 'n2 n2.0']),
    );
  });

  it('refuses to let messages overtake the news of who sent them', () => {
    const protocol = { ...scripted(silent), deathCertificates: true };
    expect(() => explore({ protocol, nodes: ['n1', 'n2'], reorders: true })).toThrow('death certificates');
  });
});
