import { type AnyProtocol, parseSchedule, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type EtcdProtocol, type EtcdState, etcd } from '../src/index.js';
import { simulatedEtcd } from '../src/simulated.js';
import { runSchedule } from './safety.js';

const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 20000\n';

function play(faults: string, seed: number, succession: 'queue' | 'race') {
  const protocol = etcd({ ttlSeconds: 2, succession });
  const schedule = parseSchedule(`${everyone}seed ${seed}\n${faults}`);
  const { violation, overlaps, staleWritesAccepted } = runSchedule(protocol, schedule);
  return { seed, violation, overlaps, staleWritesAccepted };
}

const allIsWell = { violation: null, overlaps: [], staleWritesAccepted: 0 };

const seeds = Array.from({ length: 30 }, (_, seed) => seed);

describe('given two elections of which one is named below the other', () => {
  it.each(['queue', 'race'] as const)(
    'when the other is a %s, then each has its own leader',
    (succession) => {
      const [jobs, billing] = [etcd({ name: 'jobs' }), etcd({ name: 'jobs/billing', succession })];
      const protocol: EtcdProtocol = {
        ...jobs,
        initialState: (id, peers) => (id.startsWith('b') ? billing : jobs).initialState(id, peers),
      };
      for (const seed of seeds) {
        const simulation = new Simulation<EtcdState>({
          protocol: protocol as AnyProtocol<EtcdState>,
          nodes: ['b1', 'j1', 'b2', 'j2'],
          services: [{ id: 'etcd', machine: simulatedEtcd() }],
          seed,
        });
        const leaders = (): string =>
          simulation.nodes
            .flatMap(({ leading, id }) => (leading ? [id[0]] : []))
            .sort()
            .join(' ');
        simulation.runUntil(5000);
        expect({ seed, leaders: leaders() }).toEqual({ seed, leaders: 'b j' });
        for (const { id } of simulation.nodes.filter(({ leading }) => leading))
          simulation.inject({ type: 'crash', node: id });
        simulation.runUntil(15_000);
        expect({ seed, leaders: leaders() }).toEqual({ seed, leaders: 'b j' });
      }
    },
  );
});

describe.each(['queue', 'race'] as const)('etcd, by %s, with a simulated server', (succession) => {
  const stories: Record<string, string> = {
    'settles on one leader': '',
    'replaces a leader that dies': 'at 2000 crash leader',
    'survives the death of all but one':
      'at 2000 crash leader\nat 6000 crash leader\nat 10000 crash leader\nat 14000 crash leader',
    'settles after a long pause of its leader': 'at 2000 pause leader until 8000',
    'replaces a leader that is cut off from etcd': 'at 2000 isolate-from-coordinator leader until 9000',
    'settles although messages are lost': 'at 500 loss 0.2 until 8000',
    'settles although messages come twice and out of order':
      'at 0 duplicate 0.3 until 5000\nat 0 reorder until 5000',
    'settles when etcd is gone for a while': 'at 2000 coordinator-crash until 7000',
    'settles when a leader resigns and campaigns again': 'at 2000 graceful leader until 5000',
    'settles when clocks run at different speeds': 'at 0 clock-drift n1 1.01\nat 0 clock-drift n2 0.99',
  };
  for (const [name, faults] of Object.entries(stories)) {
    it(name, () => {
      for (const seed of seeds) expect(play(faults, seed, succession)).toEqual({ seed, ...allIsWell });
    });
  }
});

describe('given nodes that are named like what every object has', () => {
  it('then they lead and follow like others', () => {
    for (const seed of seeds) {
      const schedule = {
        ...parseSchedule(`${everyone}seed ${seed}\nat 2000 crash leader until 9000`),
        nodes: ['constructor', '__proto__', 'toString'],
      };
      const { violation, overlaps } = runSchedule(etcd({ ttlSeconds: 2 }), schedule);
      expect({ seed, violation, overlaps }).toEqual({ seed, violation: null, overlaps: [] });
    }
  });
});
