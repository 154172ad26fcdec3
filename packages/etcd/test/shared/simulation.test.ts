import { type AnyProtocol, parseSchedule, run, type Schedule, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { type ProcessState, type SharedEtcdProtocol, sharedEtcd, sharedInvariants } from '../../src/index.js';
import { type SimulatedEtcdState, simulatedEtcd } from '../../src/simulated.js';

const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 20000\n';
const elections = ['a', 'b', 'c'];
const seeds = Array.from({ length: 3 }, (_, seed) => seed);

const broken = (protocol: SharedEtcdProtocol, schedule: Schedule) =>
  run(protocol as AnyProtocol<ProcessState>, schedule, {
    ...{ invariants: sharedInvariants, promised: protocol.guarantees, settles: true },
    services: [{ id: 'etcd', machine: simulatedEtcd() }],
  }).violation;

describe.each(elections)('given three elections over one session, of which %s is spoken for', (spokenFor) => {
  const stories: Record<string, string> = {
    'each settles on one leader': '',
    'each replaces a leader whose process dies': 'at 3000 crash leader',
    'they survive the death of all processes but one':
      'at 3000 crash leader\nat 6000 crash leader\nat 9000 crash leader\nat 12000 crash leader',
    'they settle after a process returns': 'at 3000 crash leader until 9000',
    'they settle after a long pause': 'at 3000 pause leader until 9000',
    'they replace leaders that are cut off from etcd': 'at 3000 isolate-from-coordinator leader until 9000',
    'they settle although messages are lost': 'at 500 loss 0.2 until 8000',
    'they settle although messages come twice and out of order':
      'at 0 duplicate 0.3 until 5000\nat 0 reorder until 5000',
    'they settle when etcd is gone for a while': 'at 3000 coordinator-crash until 8000',
    'they settle when one of them resigns and campaigns again': 'at 3000 graceful leader until 6000',
    'they settle when clocks run at different speeds': 'at 0 clock-drift n1 1.01\nat 0 clock-drift n2 0.99',
  };
  for (const [name, faults] of Object.entries(stories)) {
    it(name, () => {
      const protocol = sharedEtcd({ ttlSeconds: 2, elections, spokenFor, auditMs: 1200 });
      for (const seed of seeds) {
        expect(
          broken(protocol, parseSchedule(`${everyone}seed ${seed}\n${faults}`)),
          `seed ${seed}`,
        ).toBeNull();
      }
    });
  }
});

interface Observed {
  readonly simulation: Simulation<ProcessState>;
  readonly server: () => SimulatedEtcdState;
  /** How often the processes have asked for each kind of thing. */
  readonly asked: ReadonlyMap<string, number>;
}

/** Processes with many elections, and what they ask of etcd. */
function observe(names: readonly string[], nodes: readonly string[]): Observed {
  const asked = new Map<string, number>();
  const machine = simulatedEtcd();
  let state = machine.initialState('etcd', []);
  const counting: typeof machine = {
    ...machine,
    step(before, input, nowMs) {
      if (input.type === 'received') asked.set(input.message.type, (asked.get(input.message.type) ?? 0) + 1);
      const transition = machine.step(before, input, nowMs);
      [state] = transition;
      return transition;
    },
  };
  const protocol = sharedEtcd({ ttlSeconds: 5, elections: names, keysPerLease: 250, writesAtOnce: 64 });
  const simulation = new Simulation<ProcessState>({
    protocol: protocol as AnyProtocol<ProcessState>,
    nodes,
    services: [{ id: 'etcd', machine: counting }],
    seed: 1,
  });
  return { simulation, server: () => state, asked };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);

const leadersOf = ({ nodes }: Simulation<ProcessState>, election: string): string[] =>
  nodes.flatMap(({ id, state, running }) =>
    running && state.elections[election]?.phase === 'leading' ? [id] : [],
  );

describe('given three processes with 100 elections each', () => {
  const names = numbered(100);

  it('then each has few leases, one watch, and one renewal for all of a lease', () => {
    const { simulation, server, asked } = observe(names, ['n1', 'n2', 'n3']);
    simulation.runUntil(5000);
    expect(names.filter((name) => leadersOf(simulation, name).length !== 1)).toEqual([]);
    expect(server().leases).toHaveLength(3);
    expect(server().watches).toHaveLength(3);
    const before = asked.get('keep-alive') ?? 0;
    const written = asked.get('txn') ?? 0;
    simulation.runUntil(15_000);
    // Three leases, each renewed every third of five seconds, for ten seconds.
    expect((asked.get('keep-alive') ?? 0) - before).toBeLessThanOrEqual(21);
    expect(asked.get('txn')).toBe(written);
  });

  it('then the death of one process frees all of its elections, and touches no other', () => {
    const { simulation } = observe(names, ['n1', 'n2', 'n3']);
    simulation.runUntil(5000);
    const led = names.map((name) => [name, leadersOf(simulation, name)[0]] as const);
    const [victim] = ['n1', 'n2', 'n3'].toSorted(
      (left, right) =>
        led.filter(([, id]) => id === right).length - led.filter(([, id]) => id === left).length,
    );
    simulation.inject({ type: 'crash', node: victim! });
    const kept = led.filter(([, id]) => id !== victim);
    simulation.runUntil(5000 + 5500);
    for (const [name, id] of kept) expect(leadersOf(simulation, name), name).toEqual([id]);
    expect(names.filter((name) => leadersOf(simulation, name).length !== 1)).toEqual([]);
  });

  it('then one that resigns frees only its own key', () => {
    const { simulation, server } = observe(numbered(10), ['n1']);
    simulation.runUntil(5000);
    const { keys, leases } = server();
    simulation.inject({ type: 'graceful', node: 'n1' });
    simulation.runUntil(5200);
    expect(
      keys.filter(({ key }) => !server().keys.some((each) => each.key === key)).map(({ key }) => key),
    ).toEqual([expect.stringMatching(/^hustings\/p0\//)]);
    expect(server().leases.map(({ id }) => id)).toEqual(leases.map(({ id }) => id));
    expect(
      numbered(10)
        .slice(1)
        .filter((name) => leadersOf(simulation, name).length !== 1),
    ).toEqual([]);
  });
});
