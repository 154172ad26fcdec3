import type { AnyProtocol, Simulation } from '@hustings/simulator';
import { describeSessionStories, observeSessions } from '@hustings/testkit/sessions';
import { describe, expect, it } from 'vitest';
import { type ProcessState, sharedEtcd, sharedInvariants } from '../../src/index.js';
import { simulatedEtcd } from '../../src/simulated.js';

describeSessionStories({
  server: 'etcd',
  service: () => ({ id: 'etcd', machine: simulatedEtcd() }),
  invariants: sharedInvariants,
  protocolOf: (elections, spokenFor) =>
    sharedEtcd({ ttlSeconds: 2, elections, spokenFor, auditMs: 1200 }) as AnyProtocol<ProcessState>,
});

function observe(elections: readonly string[], nodes: readonly string[]) {
  const protocol = sharedEtcd({ ttlSeconds: 5, elections, keysPerLease: 250, writesAtOnce: 64 });
  return observeSessions(protocol as AnyProtocol<ProcessState>, nodes, 'etcd', simulatedEtcd());
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
