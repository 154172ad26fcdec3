import { atMostOneLeader, parseSchedule, run, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { bully, invariants } from '../src/index.js';

const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 6000\n';

function play(faults: string, seed: number, promised = {}) {
  const schedule = parseSchedule(`${everyone}seed ${seed}\n${faults}`);
  return run(bully(), schedule, { invariants, promised, settles: true }).violation;
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed);

describe('bully in a whole network', () => {
  const stories: Record<string, string> = {
    'settles on the strongest node': '',
    'replaces a leader that dies': 'at 1000 crash leader',
    'lets a leader that comes back take over': 'at 1000 crash leader until 2000',
    'elects again after everyone has died and come back': [1, 2, 3, 4, 5]
      .map((node) => `at 1000 crash n${node} until 1${node}00`)
      .join('\n'),
    'survives the death of all but one':
      'at 900 crash n5\nat 1100 crash n4\nat 1300 crash n3\nat 1500 crash n2',
    'settles after a long pause of its leader': 'at 1000 pause leader until 3000',
    'settles although messages are lost': 'at 500 loss 0.2 until 3000',
    'settles although messages come twice and out of order':
      'at 0 duplicate 0.3 until 3000\nat 0 reorder until 3000',
    'settles when a leader resigns and campaigns again': 'at 1000 graceful leader until 2500',
  };
  for (const [name, faults] of Object.entries(stories)) {
    it(name, () => {
      for (const seed of seeds) expect(play(faults, seed)).toBeNull();
    });
  }
});

describe('bully in a network that splits', () => {
  it('elects two leaders', () => {
    const split = 'at 1000 split n1 n2 until 3000';
    expect(play(split, 1, { atMostOneLeader: true })?.property).toBe(atMostOneLeader);
  });

  it('has one leader again after the network has healed', () => {
    for (const seed of seeds) expect(play('at 1000 split n1 n2 until 3000', seed)).toBeNull();
  });
});

describe('a cluster of a thousand', () => {
  it('settles', () => {
    const nodes = Array.from({ length: 1000 }, (_, index) => `n${index + 1}`);
    const simulation = new Simulation({ protocol: bully(), nodes, seed: 1 });
    simulation.runUntil(1500);
    expect(new Set(simulation.nodes.map((node) => node.belief.leaderId))).toEqual(new Set(['n1000']));
  });
});
