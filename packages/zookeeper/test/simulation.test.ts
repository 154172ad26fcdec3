import type { NodeId } from '@hustings/elector';
import {
  type AnyProtocol,
  atMostOneLeader,
  type FaultKind,
  parseSchedule,
  run,
  type Schedule,
  Simulation,
} from '@hustings/simulator';
import { describe, expect, it } from 'vitest';
import { invariants, type ZooKeeperSettings, type ZooKeeperState, zookeeper } from '../src/index.js';
import { simulatedZooKeeper } from '../src/simulated.js';

/** Small, so that a run of a few virtual seconds sees many sessions come and go. No margin: events are exact. */
const quick: Partial<ZooKeeperSettings> = {
  sessionTimeoutMs: 1000,
  requestTimeoutMs: 300,
  retryMs: [20, 60],
  marginMs: 0,
};

interface Held {
  readonly settings?: Partial<ZooKeeperSettings>;
  readonly tickMs?: number;
  readonly settles?: boolean;
}

/** Holds a run to all that is promised. */
function broken(schedule: Schedule, { settings = {}, tickMs = 200, settles = true }: Held = {}) {
  const protocol = zookeeper({ ...quick, ...settings });
  return run(protocol as AnyProtocol<ZooKeeperState>, schedule, {
    ...{ invariants, promised: protocol.guarantees, settles },
    services: [{ id: 'zookeeper', machine: simulatedZooKeeper({ tickMs }) }],
  }).violation;
}

const everyone = 'nodes n1 n2 n3 n4 n5\nlatency 1 20\nrun 20000\n';
const seeds = Array.from({ length: 30 }, (_, seed) => seed);

describe.each(['queue', 'herd'] as const)('ZooKeeper, as a %s, with a simulated ensemble', (succession) => {
  const stories: Record<string, string> = {
    'settles on one leader': '',
    'replaces a leader that dies': 'at 2000 crash leader',
    'survives the death of all but one':
      'at 2000 crash leader\nat 5000 crash leader\nat 8000 crash leader\nat 11000 crash leader',
    'goes on when a candidate in the middle dies': 'at 2000 crash n3',
    'settles after a long pause of its leader': 'at 2000 pause leader until 8000',
    'replaces a leader that is cut off from ZooKeeper': 'at 2000 isolate-from-coordinator leader until 9000',
    'settles although messages are lost': 'at 500 loss 0.2 until 8000',
    'settles although messages come twice and out of order':
      'at 0 duplicate 0.3 until 5000\nat 0 reorder until 5000',
    'settles when ZooKeeper is gone for a while': 'at 2000 coordinator-crash until 7000',
    'settles when a leader resigns and campaigns again': 'at 2000 graceful leader until 5000',
    'settles when clocks run at different speeds': 'at 0 clock-drift n1 1.01\nat 0 clock-drift n2 0.99',
  };
  for (const [name, faults] of Object.entries(stories)) {
    it(name, () => {
      for (const seed of seeds) {
        const schedule = parseSchedule(`${everyone}seed ${seed}\n${faults}`);
        expect(broken(schedule, { settings: { succession } }), `seed ${seed}`).toBeNull();
      }
    });
  }
});

describe('ZooKeeper with clocks beyond the declared bound', () => {
  it('elects two leaders when a clock runs at half speed, for which it promises nothing', () => {
    const faults =
      'at 0 clock-drift leader 0.5\nat 1000 clock-drift leader 0.5\nat 2000 isolate-from-coordinator leader';
    const properties = seeds.map((seed) => {
      const schedule = parseSchedule(`${everyone}seed ${seed}\n${faults}`);
      return broken(schedule, { tickMs: 50, settles: false })?.property;
    });
    expect(properties).toContain(atMostOneLeader);
  });
});

describe('a leader whose link is bad', () => {
  const sessionTimeoutMs = 2000;

  /** Whether it leads still, half a minute after this began, at any moment between two pings. */
  function staysInOffice(fault: (leader: NodeId) => FaultKind, seed: number, forMs = 30_000): boolean {
    const simulation = new Simulation({
      protocol: zookeeper({ sessionTimeoutMs }) as AnyProtocol<unknown>,
      services: [{ id: 'zookeeper', machine: simulatedZooKeeper() }],
      nodes: ['n1', 'n2', 'n3'],
      seed,
    });
    simulation.runUntil(5000 + (seed / seeds.length) * sessionTimeoutMs);
    const { id } = simulation.leader!;
    const heal = simulation.inject(fault(id));
    simulation.at(simulation.nowMs + forMs, heal);
    return !simulation.runUntilTrue(() => simulation.leader?.id !== id, simulation.nowMs + 30_000);
  }
  const slow = (roundTripMs: number) => (node: NodeId) =>
    ({ type: 'slow-link', node, extraMs: roundTripMs / 2 }) as const;
  const cut = (node: NodeId) => ({ type: 'isolate-from-coordinator', node }) as const;

  it('stays in office while a round trip takes no more than a seventh of the session timeout', () => {
    expect(seeds.filter((seed) => !staysInOffice(slow(sessionTimeoutMs / 7), seed))).toEqual([]);
  });

  it('cannot prove its session in time if it takes a fifth', () => {
    expect(seeds.filter((seed) => staysInOffice(slow(sessionTimeoutMs / 5), seed))).toEqual([]);
  });

  it('stays in office if the link carries nothing for a seventh of the session timeout', () => {
    expect(seeds.filter((seed) => !staysInOffice(cut, seed, sessionTimeoutMs / 7))).toEqual([]);
  });
});

describe('given nodes that are named like what every object has', () => {
  it('then they lead and follow like others', () => {
    for (const seed of seeds) {
      const schedule = {
        ...parseSchedule(`${everyone}seed ${seed}\nat 2000 crash leader until 9000`),
        nodes: ['constructor', '__proto__', 'toString'],
      };
      expect(broken(schedule), `seed ${seed}`).toBeNull();
    }
  });
});
