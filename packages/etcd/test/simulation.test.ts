import type { Guarantees } from '@hustings/elector';
import {
  type AnyProtocol,
  atMostOneLeader,
  parseSchedule,
  run,
  type Schedule,
  Simulation,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type EtcdProtocol, type EtcdState, etcd, invariants } from '../src/index.js';
import { simulatedEtcd } from '../src/simulated.js';

const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 20000\n';

interface Held {
  readonly expiryCheckMs?: number;
  readonly settles?: boolean;
}

/** Holds a run to all that is promised. */
function broken(
  protocol: EtcdProtocol,
  schedule: Schedule,
  { expiryCheckMs = 500, settles = true }: Held = {},
) {
  return run(protocol as AnyProtocol<EtcdState>, schedule, {
    ...{ invariants, promised: protocol.guarantees, settles },
    services: [{ id: 'etcd', machine: simulatedEtcd({ expiryCheckMs }) }],
  }).violation;
}

function play(faults: string, seed: number, succession: 'queue' | 'race') {
  const schedule = parseSchedule(`${everyone}seed ${seed}\n${faults}`);
  return broken(etcd({ ttlSeconds: 2, succession }), schedule);
}

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
      for (const seed of seeds) expect(play(faults, seed, succession), `seed ${seed}`).toBeNull();
    });
  }
});

describe('etcd with heirs, with a simulated server', () => {
  const heirWaitMs = 500;
  const protocol = etcd({ ttlSeconds: 5, heirWaitMs });
  const start = (seed: number) => {
    const simulation = new Simulation<EtcdState>({
      protocol: protocol as AnyProtocol<EtcdState>,
      nodes: ['n1', 'n2', 'n3', 'n4', 'n5'],
      services: [{ id: 'etcd', machine: simulatedEtcd() }],
      seed,
      network: { latencyMs: [1, 5] },
    });
    simulation.runUntil(4000);
    return { simulation, leader: simulation.leader! };
  };

  it.each(['pause', 'isolate', 'crash'] as const)(
    'replaces a leader after a %s when the heir has waited',
    (type) => {
      for (const seed of seeds) {
        const { simulation, leader } = start(seed);
        simulation.inject({ type, node: leader.id });
        const isReplaced = () => simulation.nodes.some((node) => node !== leader && node.leading);
        expect(simulation.runUntilTrue(isReplaced, 4000 + heirWaitMs + 50), `seed ${seed}`).toBe(true);
        expect(leader.running && leader.leading).toBe(false);
      }
    },
  );

  it('replaces one silent leader after the other, each by the next in line', () => {
    const { simulation } = start(1);
    for (const untilMs of [5000, 6000, 7000, 8000]) {
      const former = simulation.leader!;
      simulation.inject({ type: 'isolate', node: former.id });
      simulation.runUntil(untilMs);
      expect(simulation.leader?.leadership?.token).toBeGreaterThan(former.office.tenure?.token ?? 0n);
    }
  });

  it('keeps a leader that loses its heir, or all its peers', () => {
    for (const seed of seeds) {
      const { simulation, leader } = start(seed);
      const token = leader.leadership?.token;
      const heir = leader.state.offer?.heir.node;
      const lost = simulation.nodes.filter(({ id }) => id !== leader.id && (seed % 2 === 0 || id === heir));
      expect(heir).toBeDefined();
      for (const { id } of lost) simulation.inject({ type: 'cut', node: leader.id, peer: id });
      simulation.runUntil(20_000);
      expect({ seed, token: simulation.leader?.leadership?.token }).toEqual({ seed, token });
    }
  });

  const stories: Record<string, string> = {
    'when nothing goes wrong': '',
    'when messages are lost': 'at 500 loss 0.3 until 8000',
    'when messages come twice and out of order': 'at 0 duplicate 0.3 until 9000\nat 0 reorder until 9000',
    'when etcd is gone for a while': 'at 2000 coordinator-crash until 5000',
    'when the heir dies': 'at 2000 crash follower-1 until 9000',
    'when clocks run at different speeds':
      'at 0 clock-drift n1 1.01\nat 0 clock-drift n2 0.99\nat 3000 isolate leader until 6000',
  };
  it.each(Object.entries(stories))('settles on one leader %s', (_, faults) => {
    for (const seed of seeds) {
      const schedule = parseSchedule(`${everyone}seed ${seed}\n${faults}`);
      expect(broken(protocol, schedule), `seed ${seed}`).toBeNull();
    }
  });
});

describe('given nodes that are named like what every object has', () => {
  it('then they lead and follow like others', () => {
    for (const seed of seeds) {
      const schedule = {
        ...parseSchedule(`${everyone}seed ${seed}\nat 2000 crash leader until 9000`),
        nodes: ['constructor', '__proto__', 'toString'],
      };
      expect(broken(etcd({ ttlSeconds: 2 }), schedule), `seed ${seed}`).toBeNull();
    }
  });
});

describe('given a leader whose answers take long, and which is then cut off', () => {
  const playAll = (protocol: EtcdProtocol): readonly (string | undefined)[] =>
    Array.from({ length: 40 }, (_, seed) => {
      const schedule = parseSchedule(
        `nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 9000
         at 3000 slow-link leader 150 until 9000\nat ${4000 + 20 * seed} isolate leader until 9000`,
      );
      return broken(protocol, schedule, { expiryCheckMs: 5, settles: false })?.property;
    });

  it('then it stops in time', () => {
    expect(new Set(playAll(etcd({ ttlSeconds: 1, marginMs: 0 })))).toEqual(new Set([undefined]));
  });

  it('then one that counted its lease from the answer, not from the request, would not', () => {
    const protocol = etcd({ ttlSeconds: 1, marginMs: 0 });
    const countsFromAnswer: EtcdProtocol = {
      ...protocol,
      step(state, input, nowMs) {
        const isLease = input.type === 'received' && input.message.type === 'kept-alive';
        const late = isLease ? { ...input, message: { ...input.message, sentMs: nowMs } } : input;
        return protocol.step(state, late, nowMs);
      },
    };
    expect(playAll(countsFromAnswer)).toContain(atMostOneLeader);
  });
});

describe('given clocks beyond the declared bound', () => {
  const schedules = seeds.map((seed) =>
    parseSchedule(`nodes n1 n2 n3\nseed ${seed}\nlatency 1 3\nrun 9000
      at 0 clock-drift n1 0.5\nat 0 clock-drift n2 0.5\nat 0 clock-drift n3 0.5\nat 0 clock-drift coordinator 1.5
      at ${3000 + 20 * seed} isolate-from-coordinator leader until 9000`),
  );
  const protocol = etcd({ ttlSeconds: 1, marginMs: 0 });
  const properties = (unpromised: Partial<Guarantees>): readonly (string | undefined)[] => {
    const promising = { ...protocol, guarantees: { ...protocol.guarantees, ...unpromised } };
    const held = { expiryCheckMs: 5, settles: false };
    return schedules.map((schedule) => broken(promising, schedule, held)?.property);
  };

  it('then two nodes may lead at once', () => {
    expect(properties({})).toContain(atMostOneLeader);
  });

  it('then the later of them still has the higher token, if neither stops before it leads', () => {
    expect(new Set(properties({ atMostOneLeader: false }))).toEqual(new Set([undefined]));
  });
});
