import { atMostOneLeader, parseSchedule, run, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { changRoberts, invariants, type RingProtocol, ring } from '../src/index.js';

const protocols: [string, RingProtocol][] = [
  ['list-collecting', ring()],
  ['list-collecting out of order', ring({ order: ['n3', 'n1', 'n5', 'n2', 'n4'] })],
  ['list-collecting textbook', ring({ allElectionsRun: true })],
  ['Chang–Roberts', changRoberts()],
  ['Chang–Roberts out of order', changRoberts({ order: ['n3', 'n1', 'n5', 'n2', 'n4'] })],
];

const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 6000\n';

function play(protocol: RingProtocol, faults: string, seed: number, promised = {}) {
  const schedule = parseSchedule(`${everyone}seed ${seed}\n${faults}`);
  return run(protocol, schedule, { invariants, promised, settles: true }).violation;
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed);

describe.each(protocols)('a whole %s ring', (_name, protocol) => {
  // Nothing here breaks an assumption, so two leaders at once, or a token that does not grow, would be a flaw.
  const stories: Record<string, string> = {
    'elects one leader although everyone calls an election at once': '',
    'replaces a leader that dies': 'at 1000 crash leader',
    'replaces a leader whose death closes no connection': 'silent-crashes\nat 1000 crash leader',
    'lets a leader back in, which follows': 'at 1000 crash leader until 2000',
    'lets a leader back in that was gone for a moment': 'at 1000 restart leader',
    'passes over a neighbour that is dead': 'silent-crashes\nat 900 crash n2\nat 1000 crash leader',
    'survives the death of a second node in the middle of the election':
      'at 1000 crash leader\nat 1012 crash n3',
    // n4 has the message and waits for n5, which is dead, to acknowledge it.
    'replaces a message that was lost with the node that carried it':
      'silent-crashes\nat 1000 crash n5\nat 1260 crash n4 until 2500',
    'passes over a neighbour that is paused, and lets it back in':
      'at 1000 crash leader\nat 1005 pause n2 until 2000',
    'survives the death of all but one':
      'at 900 crash n5\nat 1100 crash n4\nat 1300 crash n3\nat 1500 crash n2',
    'elects another when a leader resigns, and has it follow': 'at 1000 graceful leader until 2500',
  };
  for (const [name, faults] of Object.entries(stories)) {
    it(name, () => {
      for (const seed of seeds) {
        expect(play(protocol, faults, seed, { atMostOneLeader: true, monotonicTokens: true })).toBeNull();
      }
    });
  }
});

describe.each(protocols)('a %s ring whose assumptions fail for a while', (_name, protocol) => {
  const stories: Record<string, string> = {
    'settles after a long pause of its leader': 'at 1000 pause leader until 3000',
    'settles although messages are lost': 'at 0 loss 0.05 until 3000\nat 1000 crash leader',
    'settles although many messages are lost': 'at 500 loss 0.3 until 3000',
    'settles although messages come twice and out of order':
      'at 0 duplicate 0.3 until 3000\nat 0 reorder until 3000\nat 1000 crash leader',
    'settles after a node was slower than it may be':
      'at 0 slow-link n2 150 until 3000\nat 1000 crash leader until 2000',
    'settles after a node could not hear': 'at 1000 one-way n3 until 3000',
  };
  for (const [name, faults] of Object.entries(stories)) {
    it(name, () => {
      for (const seed of seeds) expect(play(protocol, faults, seed)).toBeNull();
    });
  }
});

describe.each(protocols)('a %s ring in a network that splits', (_name, protocol) => {
  const split = 'at 1000 split n1 n2 until 3000';

  it('elects two leaders', () => {
    expect(play(protocol, split, 1, { atMostOneLeader: true })?.property).toBe(atMostOneLeader);
  });

  it('has one leader again after the network has healed', () => {
    for (const seed of seeds) expect(play(protocol, split, seed)).toBeNull();
  });
});

describe.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('a ring of %i', (size) => {
  const nodes = Array.from({ length: size }, (_, index) => `n${index + 1}`);

  it('elects the strongest, and the strongest of the rest after it', () => {
    for (const protocol of [ring(), changRoberts()]) {
      const simulation = new Simulation({ protocol, nodes, seed: size });
      simulation.runUntil(500);
      expect(simulation.leader?.id).toBe(`n${size}`);
      simulation.inject({ type: 'crash', node: 'leader' });
      simulation.runUntil(1000);
      expect(simulation.leader?.id).toBe(size === 1 ? undefined : `n${size - 1}`);
    }
  });
});

describe('a ring of a hundred', () => {
  it('settles', () => {
    const nodes = Array.from({ length: 100 }, (_, index) => `n${index + 1}`);
    const simulation = new Simulation({ protocol: ring(), nodes, seed: 1 });
    simulation.runUntil(1000);
    expect(new Set(simulation.nodes.map((node) => node.belief.leaderId))).toEqual(new Set(['n100']));
  });
});
