import { type AnyProtocol, parseSchedule, run, type Schedule, Simulation } from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import {
  type ProcessState,
  type SharedZooKeeperProtocol,
  type SharedZooKeeperSettings,
  sharedInvariants,
  sharedZooKeeper,
} from '../../src/index.js';
import { type SimulatedZooKeeperState, simulatedZooKeeper } from '../../src/simulated.js';

const quick: Partial<SharedZooKeeperSettings> = {
  sessionTimeoutMs: 1000,
  requestTimeoutMs: 300,
  retryMs: [20, 60],
  marginMs: 0,
  auditMs: 600,
};
const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 20000\n';
const elections = ['a', 'b', 'c'];
const seeds = Array.from({ length: 3 }, (_, seed) => seed);

const broken = (protocol: SharedZooKeeperProtocol, schedule: Schedule) =>
  run(protocol as AnyProtocol<ProcessState>, schedule, {
    ...{ invariants: sharedInvariants, promised: protocol.guarantees, settles: true },
    services: [{ id: 'zookeeper', machine: simulatedZooKeeper() }],
  }).violation;

describe.each(elections)('given three elections over one session, of which %s is spoken for', (spokenFor) => {
  const stories: Record<string, string> = {
    'each settles on one leader': '',
    'each replaces a leader whose process dies': 'at 3000 crash leader',
    'they survive the death of all processes but one':
      'at 3000 crash leader\nat 6000 crash leader\nat 9000 crash leader\nat 12000 crash leader',
    'they settle after a process returns': 'at 3000 crash leader until 9000',
    'they settle after a long pause': 'at 3000 pause leader until 9000',
    'they replace leaders that are cut off from ZooKeeper':
      'at 3000 isolate-from-coordinator leader until 9000',
    'they settle although messages are lost': 'at 500 loss 0.2 until 8000',
    'they settle although messages come twice and out of order':
      'at 0 duplicate 0.3 until 5000\nat 0 reorder until 5000',
    'they settle when ZooKeeper is gone for a while': 'at 3000 coordinator-crash until 8000',
    'they settle when one of them resigns and campaigns again': 'at 3000 graceful leader until 6000',
    'they settle when clocks run at different speeds': 'at 0 clock-drift n1 1.01\nat 0 clock-drift n2 0.99',
  };
  for (const [name, faults] of Object.entries(stories)) {
    it(name, () => {
      const protocol = sharedZooKeeper({ ...quick, elections, spokenFor });
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
  readonly server: () => SimulatedZooKeeperState;
  /** How often the processes have asked for each kind of thing. */
  readonly asked: ReadonlyMap<string, number>;
}

const tickMs = 2000;

/** Processes with many elections, and what they ask of ZooKeeper. */
function observe(names: readonly string[], nodes: readonly string[]): Observed {
  const asked = new Map<string, number>();
  const machine = simulatedZooKeeper({ tickMs });
  let state = machine.initialState('zookeeper', []);
  const counting: typeof machine = {
    ...machine,
    step(before, input, nowMs) {
      if (input.type === 'received') asked.set(input.message.type, (asked.get(input.message.type) ?? 0) + 1);
      const transition = machine.step(before, input, nowMs);
      [state] = transition;
      return transition;
    },
  };
  const protocol = sharedZooKeeper({
    ...{ sessionTimeoutMs: 6000, elections: names, requestsAtOnce: 64, auditMs: 30_000 },
  });
  const simulation = new Simulation<ProcessState>({
    protocol: protocol as AnyProtocol<ProcessState>,
    nodes,
    services: [{ id: 'zookeeper', machine: counting }],
    seed: 1,
  });
  return { simulation, server: () => state, asked };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);

const leadersOf = ({ nodes }: Simulation<ProcessState>, election: string): string[] =>
  nodes.flatMap(({ id, state, running }) => (running && state.elections[election]?.leading ? [id] : []));

const notLedOnce = (simulation: Simulation<ProcessState>, names: readonly string[]): string[] =>
  names.filter((name) => leadersOf(simulation, name).length !== 1);

describe('given three processes with 60 elections each', () => {
  const names = numbered(60);
  const nodes = ['n1', 'n2', 'n3'];

  it('then each has one session, and one proof for all', () => {
    const { simulation, server, asked } = observe(names, nodes);
    simulation.runUntil(10_000);
    expect(notLedOnce(simulation, names)).toEqual([]);
    expect(server().sessions).toHaveLength(3);
    const counted = () => [asked.get('prove') ?? 0, asked.get('ping') ?? 0] as const;
    const before = counted();
    simulation.runUntil(40_000);
    const [proofs, looks] = counted().map((count, index) => count - before[index]!);
    // A proof every 0.26 of the session, 30,000 / 1,560 for each of three processes, and some until they ask together.
    expect(proofs).toBeLessThanOrEqual(70);
    // Each election is looked after once in the half minute.
    expect(looks).toBeGreaterThanOrEqual(3 * names.length);
    expect(looks).toBeLessThanOrEqual(3 * names.length * 1.5);
  });

  it('then the death of one process frees all of its elections, and touches no other', () => {
    const { simulation } = observe(names, nodes);
    simulation.runUntil(10_000);
    const led = names.map((name) => [name, leadersOf(simulation, name)[0]] as const);
    const [victim] = nodes.toSorted(
      (left, right) =>
        led.filter(([, id]) => id === right).length - led.filter(([, id]) => id === left).length,
    );
    simulation.inject({ type: 'crash', node: victim! });
    const kept = led.filter(([, id]) => id !== victim);
    simulation.runUntil(10_000 + 6000 + 2 * tickMs);
    for (const [name, id] of kept) expect(leadersOf(simulation, name), name).toEqual([id]);
    expect(notLedOnce(simulation, names)).toEqual([]);
  });

  it('then one that resigns deletes its own znode alone, and the session lives on', () => {
    const { simulation, server } = observe(numbered(10), ['n1']);
    simulation.runUntil(5000);
    const { tree, sessions } = server();
    simulation.inject({ type: 'graceful', node: 'n1' });
    simulation.runUntil(5200);
    expect(Object.keys(tree).filter((path) => server().tree[path] === undefined)).toEqual([
      expect.stringMatching(/^\/hustings\/p0\//),
    ]);
    expect(server().sessions.map(({ id }) => id)).toEqual(sessions.map(({ id }) => id));
    expect(notLedOnce(simulation, numbered(10).slice(1))).toEqual([]);
  });
});
