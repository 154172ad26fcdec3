import type { AnyProtocol, Simulation } from '@hustings/simulator';
import { describeSessionStories, observeSessions } from '@hustings/testkit/sessions';
import { describe, expect, it } from 'vitest';
import {
  type ProcessState,
  type SharedZooKeeperSettings,
  sharedInvariants,
  sharedZooKeeper,
} from '../../src/index.js';
import { simulatedZooKeeper } from '../../src/simulated.js';

const quick: Partial<SharedZooKeeperSettings> = {
  sessionTimeoutMs: 1000,
  requestTimeoutMs: 300,
  retryMs: [20, 60],
  marginMs: 0,
  auditMs: 600,
};
describeSessionStories({
  server: 'ZooKeeper',
  service: () => ({ id: 'zookeeper', machine: simulatedZooKeeper() }),
  invariants: sharedInvariants,
  protocolOf: (elections, spokenFor) =>
    sharedZooKeeper({ ...quick, elections, spokenFor }) as AnyProtocol<ProcessState>,
});

const tickMs = 2000;

function observe(elections: readonly string[], nodes: readonly string[]) {
  const protocol = sharedZooKeeper({
    ...{ sessionTimeoutMs: 6000, elections, requestsAtOnce: 64, auditMs: 30_000 },
  });
  return observeSessions(
    protocol as AnyProtocol<ProcessState>,
    nodes,
    'zookeeper',
    simulatedZooKeeper({ tickMs }),
  );
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
