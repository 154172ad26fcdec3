import type { NodeId } from '@hustings/elector';
import { describe, expect, it } from 'vitest';
import { type FaultKind, type NetworkModel, type Observer, type Service, Simulation } from '../src/index.js';
import { type Heard, type PingEffect, ping, type Script, scripted, tick } from './counter-protocol.js';

const calm: Partial<NetworkModel> = { latencyMs: [10, 10] };

function simulate(
  script: Script,
  options: {
    nodes?: NodeId[];
    network?: Partial<NetworkModel>;
    seed?: number;
    observers?: readonly Observer<Heard>[];
  } = {},
) {
  const { nodes = ['n1', 'n2', 'n3'], network = calm, seed = 1, observers = [] } = options;
  return new Simulation({ protocol: scripted(script), nodes, seed, network, observers });
}

/** n1 sends a numbered ping to n2 every 10 ms. */
const pinging = (): Script => {
  let count = 0;
  return (id, input) => {
    if (id !== 'n1' || (input.type !== 'started' && input.type !== 'timer-fired')) return [];
    count += 1;
    return [ping('n2', count), tick(10)];
  };
};

const pings = (simulation: ReturnType<typeof simulate>, id: NodeId): number[] =>
  simulation
    .node(id)
    .state.inputs.flatMap((input) => (input.type === 'received' ? [input.message.count] : []));

const times = (simulation: ReturnType<typeof simulate>, id: NodeId, type: string): number =>
  simulation.node(id).state.inputs.filter((input) => input.type === type).length;

describe('a run of other conditions', () => {
  const nodes = ['n1', 'n2', 'n3'];
  const sends: Script = (id, input) =>
    id === 'n1' && input.type === 'started' ? [ping('n2', 1), ping('n3', 2)] : [];

  it('takes as long for a message as it is told, link by link, and nothing of the usual latency', () => {
    const drawn: string[] = [];
    const simulation = new Simulation({
      protocol: scripted(sends),
      nodes,
      seed: 1,
      network: calm,
      drawLatencyMs: (from, to) => {
        drawn.push(`${from}-${to}`);
        return to === 'n2' ? 3 : 40;
      },
    });
    simulation.runUntil(3);
    expect([pings(simulation, 'n2'), pings(simulation, 'n3')]).toEqual([[1], []]);
    simulation.runUntil(40);
    expect(pings(simulation, 'n3')).toEqual([2]);
    expect(drawn).toEqual(['n1-n2', 'n1-n3']);
  });

  it('draws from the one source of chance: the same seed, the same latencies', () => {
    const arrivals = (seed: number): number[] => {
      const drawn: number[] = [];
      const simulation = new Simulation({
        protocol: scripted(pinging()),
        ...{ nodes, seed, network: { reorders: true } },
        drawLatencyMs: (_from, _to, random) => {
          const latencyMs = -5 * Math.log(1 - random.fraction());
          drawn.push(latencyMs);
          return latencyMs;
        },
      });
      simulation.runUntil(100);
      return drawn;
    };
    expect(arrivals(1)).toEqual(arrivals(1));
    expect(arrivals(1)).not.toEqual(arrivals(2));
  });

  it('replaces what it was told by what a fault says, and adds what a slow link adds', () => {
    const simulation = new Simulation({
      protocol: scripted(sends),
      ...{ nodes, seed: 1, network: calm, drawLatencyMs: () => 3 },
    });
    simulation.inject({ type: 'latency', latencyMs: [20, 20] });
    simulation.inject({ type: 'slow-link', node: 'n3', extraMs: 5 });
    simulation.runUntil(20);
    expect([pings(simulation, 'n2'), pings(simulation, 'n3')]).toEqual([[1], []]);
    simulation.runUntil(25);
    expect(pings(simulation, 'n3')).toEqual([2]);
  });

  it('fires timers late by as much as it draws, and never early', () => {
    const fired = (timerLatenessMs?: readonly [number, number]): number => {
      const simulation = new Simulation({
        protocol: scripted((id, input) => (id === 'n1' && input.type === 'started' ? [tick(50)] : [])),
        ...{ nodes, seed: 1, ...(timerLatenessMs && { timerLatenessMs }) },
      });
      simulation.runUntilTrue(() => times(simulation, 'n1', 'timer-fired') === 1, 1000);
      return simulation.nowMs;
    };
    expect(fired()).toBe(50);
    expect(fired([2, 2])).toBe(52);
    expect(fired([0, 2])).toBeGreaterThan(50);
    expect(fired([0, 2])).toBeLessThan(52);
  });

  it('starts whoever has something on its disk as after a restart, and the others anew', () => {
    const simulation = new Simulation({
      protocol: scripted(() => []),
      ...{ nodes, seed: 1, saved: { n2: 7 } },
    });
    simulation.runUntil(1);
    const [first] = simulation.node('n2').state.inputs;
    expect(first).toEqual({ type: 'restarted', durable: 7 });
    expect(simulation.node('n1').state.inputs[0]).toEqual({ type: 'started' });
    expect(simulation.node('n2').durable).toBe(7);
  });

  it('names a node that it does not have', () => {
    const options = { protocol: scripted(() => []), nodes, seed: 1, saved: { n9: null } };
    expect(() => new Simulation(options)).toThrow('n9');
  });
});

describe('the virtual clock', () => {
  it('delivers a message one latency after it was sent', () => {
    const simulation = simulate((id, input) => (id === 'n1' && input.type === 'started' ? [ping('n2')] : []));
    simulation.runUntil(9);
    expect(pings(simulation, 'n2')).toEqual([]);
    simulation.runUntil(10);
    expect(pings(simulation, 'n2')).toEqual([1]);
    expect(simulation.nowMs).toBe(10);
  });

  it('fires a timer once, when it was last set for, and not when it was set for before', () => {
    const simulation = simulate((id, input) => {
      if (id !== 'n1') return [];
      return input.type === 'started' ? [tick(50)] : input.type === 'campaign-requested' ? [tick(80)] : [];
    });
    simulation.runUntil(79);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(0);
    simulation.runUntil(200);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(1);
  });

  it('fires a timer that is set again for an earlier moment at that moment, and once', () => {
    const simulation = simulate((id, input) => {
      if (id !== 'n1') return [];
      return input.type === 'started' ? [tick(80)] : input.type === 'campaign-requested' ? [tick(30)] : [];
    });
    simulation.runUntil(30);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(1);
    simulation.runUntil(200);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(1);
  });

  it('never fires a timer that was cancelled', () => {
    const simulation = simulate((_, input) =>
      input.type === 'started' ? [tick(50), { type: 'cancel-timer', timer: 'tick' }] : [],
    );
    simulation.runUntil(200);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(0);
  });

  it('gives each step the time of the node, which drifts', () => {
    const readings: number[] = [];
    const simulation = simulate((id, input, nowMs) => {
      if (id !== 'n1') return [];
      if (input.type === 'timer-fired') readings.push(nowMs);
      return input.type === 'started' || input.type === 'timer-fired' ? [tick(100)] : [];
    });
    simulation.inject({ type: 'clock-drift', node: 'n1', rate: 2 });
    simulation.runUntil(100);
    expect(readings).toEqual([100, 200]);
  });
});

describe('the network', () => {
  const sendMany: Script = (id, input) =>
    id === 'n1' && input.type === 'started'
      ? Array.from({ length: 200 }, (_, index) => ping('n2', index))
      : [];

  it('keeps the order of a link', () => {
    const simulation = simulate(sendMany, { network: { latencyMs: [1, 50] } });
    simulation.runUntil(100);
    expect(pings(simulation, 'n2')).toEqual(Array.from({ length: 200 }, (_, index) => index));
  });

  it('lets messages overtake each other when told to reorder', () => {
    const simulation = simulate(sendMany, { network: { latencyMs: [1, 50], reorders: true } });
    simulation.runUntil(100);
    const order = pings(simulation, 'n2');
    expect(order).toHaveLength(200);
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
  });

  it('loses about as many as it is told to', () => {
    const simulation = simulate(sendMany, { network: { ...calm, lossProbability: 0.5 } });
    simulation.runUntil(100);
    expect(pings(simulation, 'n2').length).toBeGreaterThan(60);
    expect(pings(simulation, 'n2').length).toBeLessThan(140);
  });

  it('delivers twice what it duplicates', () => {
    const simulation = simulate(sendMany, { network: { ...calm, duplicateProbability: 1 } });
    simulation.runUntil(100);
    expect(pings(simulation, 'n2')).toHaveLength(400);
  });
});

describe('a fault', () => {
  /** What reaches n2 of n1's pings, one every 10 ms, when the fault holds from 95 to 195 ms. */
  const received = (kind: FaultKind): number[] => {
    const simulation = simulate(pinging());
    simulation.plan({ ...kind, atMs: 95, healAtMs: 195 });
    simulation.runUntil(395);
    return pings(simulation, 'n2');
  };
  const all = Array.from({ length: 39 }, (_, index) => index + 1);
  // The tenth ping is on its way when a link is cut, and lost with those that are sent while it is.
  const withoutThoseOfTheFault = all.filter((count) => count < 10 || count > 20);

  it('isolate cuts a node off both ways, and heals', () => {
    expect(received({ type: 'isolate', node: 'n1' })).toEqual(withoutThoseOfTheFault);
    expect(received({ type: 'isolate', node: 'n2' })).toEqual(withoutThoseOfTheFault);
  });

  it('isolate leaves the others alone', () => {
    expect(received({ type: 'isolate', node: 'n3' })).toEqual(all);
  });

  it('split cuts the sides off from each other, and leaves each whole', () => {
    expect(received({ type: 'split', side: ['n1'] })).toEqual(withoutThoseOfTheFault);
    expect(received({ type: 'split', side: ['n1', 'n2'] })).toEqual(all);
  });

  it('one-way lets a node send but not hear', () => {
    expect(received({ type: 'one-way', node: 'n1' })).toEqual(all);
    expect(received({ type: 'one-way', node: 'n2' })).toEqual(withoutThoseOfTheFault);
  });

  it('pause makes messages queue up, none lost', () => {
    expect(received({ type: 'pause', node: 'n2' })).toEqual(all);
  });

  it('pause makes timers late, and each fires once', () => {
    const simulation = simulate((_, input) => (input.type === 'started' ? [tick(100)] : []));
    simulation.plan({ type: 'pause', node: 'n1', atMs: 50, healAtMs: 300 });
    simulation.runUntil(299);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(0);
    simulation.runUntil(400);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(1);
  });

  it('slow-link delays what passes the node', () => {
    const late = received({ type: 'slow-link', node: 'n2', extraMs: 1000 });
    expect(late).toEqual(all.filter((count) => count < 11));
  });
});

describe('a crash', () => {
  const saving: Script = (_, input): readonly PingEffect[] =>
    input.type === 'started' ? [{ type: 'save', durable: 42 }, tick(100)] : [];

  it('loses volatile state and timers, and keeps what was saved', () => {
    const simulation = simulate(saving);
    simulation.plan({ type: 'crash', node: 'n1', atMs: 50, healAtMs: 60 });
    simulation.runUntil(500);
    expect(simulation.node('n1').state.inputs[0]).toEqual({ type: 'restarted', durable: 42 });
    expect(times(simulation, 'n1', 'timer-fired')).toBe(0);
  });

  it('starts a node anew that had saved nothing', () => {
    const simulation = simulate(() => []);
    simulation.plan({ type: 'crash', node: 'n1', atMs: 50, healAtMs: 60 });
    simulation.runUntil(500);
    expect(simulation.node('n1').state.inputs[0]).toEqual({ type: 'started' });
  });

  it('loses what was on its way to the node', () => {
    const simulation = simulate((id, input) => (id === 'n1' && input.type === 'started' ? [ping('n2')] : []));
    simulation.plan({ type: 'restart', node: 'n2', atMs: 5 });
    simulation.runUntil(500);
    expect(pings(simulation, 'n2')).toEqual([]);
  });

  it('shows the peers a closed connection one latency later', () => {
    const simulation = simulate(() => []);
    simulation.plan({ type: 'crash', node: 'n1', atMs: 50 });
    simulation.runUntil(60);
    expect(simulation.node('n2').state.inputs.at(-1)).toEqual({ type: 'link-down', peer: 'n1' });
  });

  it('shows them nothing when the machine vanishes', () => {
    const simulation = simulate(() => [], { network: { ...calm, closesLinksOnCrash: false } });
    simulation.plan({ type: 'crash', node: 'n1', atMs: 50 });
    simulation.runUntil(500);
    expect(times(simulation, 'n2', 'link-down')).toBe(0);
  });
});

describe('a save that takes time', () => {
  /** n1 saves the time at which it started, tells n2, and tells n2 again of every ping that it hears. */
  const saving: Script = (id, input, nowMs) => {
    if (id === 'n2' && input.type === 'started') return [ping('n1', 7)];
    if (id !== 'n1') return [];
    if (input.type === 'started') return [ping('n2', 1), { type: 'save', durable: 42 }, ping('n2', 2)];
    return input.type === 'received' ? [ping('n2', nowMs)] : [];
  };
  const simulateSaving = () =>
    new Simulation({
      protocol: scripted(saving),
      nodes: ['n1', 'n2'],
      seed: 1,
      network: calm,
      saveMs: [30, 30],
    });

  it('holds up what comes after it in its step, and nothing that comes before', () => {
    const simulation = simulateSaving();
    simulation.runUntil(39);
    expect(pings(simulation, 'n2')).toEqual([1]);
    simulation.runUntil(40);
    // And then what reached the node meanwhile, which answers with the time at which it heard of it.
    expect(pings(simulation, 'n2')).toEqual([1, 2, 30]);
  });

  it('holds up every later input of its node, in a pause too, and loses none', () => {
    const simulation = simulateSaving();
    simulation.runUntil(5);
    const resume = simulation.inject({ type: 'pause', node: 'n1' });
    simulation.runUntil(60);
    expect(simulation.node('n1').state.inputs.map(({ type }) => type)).toEqual(['started']);
    resume();
    simulation.runUntil(70);
    expect(simulation.node('n1').durable).toBe(42);
    // The step that was under way came to its end before the ping of n2 was heard.
    expect(pings(simulation, 'n2')).toEqual([1, 2, 60]);
  });

  it('leaves no trace of its step in the node that crashes before it is done', () => {
    const simulation = simulateSaving();
    simulation.runUntil(29);
    expect(simulation.node('n1').state.inputs).not.toEqual([]);
    simulation.inject({ type: 'crash', node: 'n1' });
    expect(simulation.node('n1').state.inputs).toEqual([]);
  });

  it('has saved nothing when the node crashes before it is done', () => {
    const simulation = simulateSaving();
    simulation.runUntil(29);
    simulation.inject({ type: 'crash', node: 'n1' });
    simulation.runUntil(100);
    expect(simulation.node('n1').hasSaved).toBe(false);
    expect(pings(simulation, 'n2')).toEqual([1]);
  });

  it('holds up a coordinator for a time of its own', () => {
    const server = scripted((_, input) =>
      input.type === 'received' ? [{ type: 'save', durable: 1 }, ping(input.from, 9)] : [],
    );
    const simulation = new Simulation({
      protocol: scripted((_, input) => (input.type === 'started' ? [ping('server')] : [])),
      services: [{ id: 'server', machine: server, saveMs: [5, 5] }],
      ...{ nodes: ['n1'], seed: 1, network: calm },
    });
    simulation.runUntil(24);
    expect(pings(simulation, 'n1')).toEqual([]);
    simulation.runUntil(25);
    expect(pings(simulation, 'n1')).toEqual([9]);
  });
});

describe('a lease', () => {
  const leading: Script = (id, input) =>
    id === 'n1' && input.type === 'campaign-requested' ? [{ type: 'lead', token: 1n, validForMs: 100 }] : [];

  it('ends by itself, and the protocol is told', () => {
    const simulation = simulate(leading);
    simulation.runUntil(99);
    expect(simulation.node('n1').leading).toBe(true);
    simulation.runUntil(100);
    expect(simulation.node('n1').leading).toBe(false);
    expect(times(simulation, 'n1', 'lease-expired')).toBe(1);
  });

  it('lasts longer when it is extended', () => {
    const simulation = simulate((id, input) => [
      ...leading(id, input, 0),
      ...(id === 'n1' && input.type === 'timer-fired'
        ? [{ type: 'lead', token: 1n, validForMs: 150 } as const]
        : [tick(50)]),
    ]);
    simulation.runUntil(150);
    expect(simulation.node('n1').leading).toBe(true);
    simulation.runUntil(200);
    expect(simulation.node('n1').leading).toBe(false);
  });

  it('is over before anything else is heard after a pause that outlasted it', () => {
    const simulation = simulate((id, input, nowMs) =>
      id === 'n2' && input.type === 'started' ? [ping('n1')] : leading(id, input, nowMs),
    );
    simulation.plan({ type: 'pause', node: 'n1', atMs: 5, healAtMs: 500 });
    simulation.runUntil(600);
    const { inputs } = simulation.node('n1').state;
    expect(inputs.slice(2).map((input) => input.type)).toEqual(['lease-expired', 'received']);
  });
});

describe('a coordinator on the network', () => {
  const answering = scripted((_, input) =>
    input.type === 'received' ? [ping(input.from, input.message.count + 1)] : [],
  );
  const asking: Script = (id, input) => (id === 'n1' && input.type === 'started' ? [ping('clerk')] : []);
  const open = () =>
    new Simulation({
      protocol: scripted(asking),
      nodes: ['n1', 'n2'],
      services: [{ id: 'clerk', machine: answering }],
      seed: 1,
      network: calm,
    });

  it('answers, and is not asked to campaign', () => {
    const simulation = open();
    simulation.runUntil(100);
    expect(pings(simulation, 'n1')).toEqual([2]);
    expect(times(simulation, 'clerk', 'campaign-requested')).toBe(0);
    expect(simulation.nodes.map((node) => node.id)).toEqual(['n1', 'n2']);
  });

  it('is out of reach of a node that is cut off from it', () => {
    const simulation = open();
    simulation.plan({ type: 'isolate-from-coordinator', node: 'n1', atMs: 0 });
    simulation.runUntil(100);
    expect(pings(simulation, 'n1')).toEqual([]);
  });

  it('is struck as a whole by faults of any process', () => {
    const simulation = open();
    simulation.plan({ type: 'pause', node: 'coordinator', atMs: 5, healAtMs: 50 });
    simulation.plan({ type: 'clock-drift', node: 'coordinator', rate: 2, atMs: 0 });
    simulation.runUntil(49);
    expect(pings(simulation, 'n1')).toEqual([]);
    simulation.runUntil(100);
    expect(pings(simulation, 'n1')).toEqual([2]);
    expect(simulation.node('clerk').localMs(100)).toBe(200);
  });

  it('is asked to let the leader of its members fail, if it has members', () => {
    const ask = (services: readonly Service[]): number => {
      const simulation = new Simulation({ protocol: scripted(() => []), nodes: ['n1'], services, seed: 1 });
      simulation.plan({ type: 'coordinator-member-crash', atMs: 5 });
      simulation.runUntil(100);
      return times(simulation, 'clerk', 'requested');
    };
    expect(ask([{ id: 'clerk', machine: answering, failLeader: 'fail' }])).toBe(1);
    expect(ask([{ id: 'clerk', machine: answering }])).toBe(0);
  });

  it('says nothing while it is down', () => {
    const simulation = open();
    simulation.plan({ type: 'coordinator-crash', atMs: 5, healAtMs: 50 });
    simulation.runUntil(100);
    expect(pings(simulation, 'n1')).toEqual([]);
  });
});

describe('connections', () => {
  const linkNews = (simulation: ReturnType<typeof simulate>, id: NodeId): string[] =>
    simulation
      .node(id)
      .state.inputs.flatMap((input) =>
        input.type === 'link-up' || input.type === 'link-down' ? [input.type] : [],
      );

  it('close before they open again, however the delays fall', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const simulation = simulate(() => [], { seed, network: { latencyMs: [1, 40] } });
      simulation.plan({ type: 'restart', node: 'n2', atMs: 100 });
      simulation.runUntil(500);
      expect(linkNews(simulation, 'n1')).toEqual(['link-down', 'link-up']);
    }
  });

  it('are heard of when the network heals, if the peer died and came back meanwhile', () => {
    const simulation = simulate(() => []);
    simulation.plan({ type: 'isolate', node: 'n2', atMs: 50, healAtMs: 300 });
    simulation.plan({ type: 'crash', node: 'n2', atMs: 100, healAtMs: 200 });
    simulation.runUntil(299);
    expect(linkNews(simulation, 'n1')).toEqual([]);
    simulation.runUntil(500);
    expect(linkNews(simulation, 'n1')).toEqual(['link-down', 'link-up']);
    expect(linkNews(simulation, 'n2')).toEqual(['link-up', 'link-up']);
  });

  it('are not heard of again when nobody died', () => {
    const simulation = simulate(() => []);
    simulation.plan({ type: 'isolate', node: 'n2', atMs: 50, healAtMs: 300 });
    simulation.runUntil(500);
    expect(linkNews(simulation, 'n1')).toEqual([]);
  });
});

describe('a lease on a clock that drifts', () => {
  const leading: Script = (id, input) =>
    id === 'n1' && input.type === 'campaign-requested' ? [{ type: 'lead', token: 1n, validForMs: 100 }] : [];

  it('ends later when the clock slows down, and by itself', () => {
    const simulation = simulate(leading);
    simulation.plan({ type: 'clock-drift', node: 'n1', rate: 0.5, atMs: 50 });
    simulation.runUntil(149);
    expect(simulation.node('n1').leading).toBe(true);
    simulation.runUntil(150.1);
    expect(simulation.node('n1').leading).toBe(false);
  });

  it('ends sooner when the clock hurries', () => {
    const simulation = simulate(leading);
    simulation.plan({ type: 'clock-drift', node: 'n1', rate: 2, atMs: 50 });
    simulation.runUntil(75.1);
    expect(simulation.node('n1').leading).toBe(false);
  });
});

describe('a timer that the end of a lease cancels', () => {
  it('does not fire at the same moment', () => {
    const simulation = simulate((id, input) => {
      if (id !== 'n1') return [];
      if (input.type === 'campaign-requested')
        return [tick(100), { type: 'lead', token: 1n, validForMs: 100 }];
      return input.type === 'lease-expired' ? [{ type: 'cancel-timer', timer: 'tick' }] : [];
    });
    simulation.runUntil(300);
    expect(times(simulation, 'n1', 'lease-expired')).toBe(1);
    expect(times(simulation, 'n1', 'timer-fired')).toBe(0);
  });
});

describe('a leader that is asked to resign', () => {
  it('leads no longer, even before its protocol has stepped down', () => {
    const stubborn: Script = (id, input) =>
      id === 'n1' && (input.type === 'campaign-requested' || input.type === 'resign-requested')
        ? [{ type: 'lead', token: 1n, validForMs: 1000 }]
        : [];
    const simulation = simulate(stubborn);
    simulation.plan({ type: 'graceful', node: 'n1', atMs: 50 });
    simulation.runUntil(100);
    expect(simulation.node('n1').leading).toBe(false);
    expect(simulation.node('n1').belief.role).toBe('follower');
  });
});

describe('a process that restarts', () => {
  it('has a clock of its own, which the seed decides', () => {
    const clockAfterRestart = (seed: number): number => {
      const readings: number[] = [];
      const simulation = simulate(
        (id, _, nowMs) => {
          if (id === 'n1') readings.push(nowMs);
          return [];
        },
        { seed },
      );
      simulation.plan({ type: 'restart', node: 'n1', atMs: 500 });
      simulation.runUntil(600);
      return readings.at(-1)!;
    };
    const readings = [1, 2, 3, 4, 5].map(clockAfterRestart);
    expect(new Set(readings).size).toBe(5);
    expect(readings).toEqual([1, 2, 3, 4, 5].map(clockAfterRestart));
  });

  const greeting: Script = (id, input) => {
    if (id !== 'n1') return [];
    return input.type === 'timer-fired' ? [ping('n2', 7)] : input.type === 'started' ? [tick(5)] : [];
  };
  const late = (network: Partial<NetworkModel>) => {
    const simulation = simulate(greeting, { network: { ...calm, ...network } });
    simulation.plan({ type: 'stall', node: 'n1', peer: 'n2', atMs: 0, healAtMs: 300 });
    simulation.plan({ type: 'restart', node: 'n1', atMs: 100 });
    return simulation;
  };

  it('is heard at once, and what its former process said is not heard after it', () => {
    const simulation = late({});
    simulation.runUntil(200);
    expect(pings(simulation, 'n2')).toEqual([7]);
    simulation.runUntil(400);
    expect(pings(simulation, 'n2')).toEqual([7]);
  });

  it('may be followed by the words of its former process where nobody tells the two apart', () => {
    const simulation = late({ tellsLivesApart: false });
    simulation.runUntil(400);
    expect(pings(simulation, 'n2')).toEqual([7, 7]);
  });
});

describe('a connection that stalls', () => {
  it('delivers what was sent over it when that heals, and in order', () => {
    const simulation = simulate((id, input) => {
      if (id !== 'n1') return [];
      return input.type === 'timer-fired' ? [ping('n2', 1), ping('n2', 2)] : [tick(5)];
    });
    simulation.plan({ type: 'stall', node: 'n2', peer: 'n1', atMs: 0, healAtMs: 300 });
    simulation.runUntil(300);
    expect(pings(simulation, 'n2')).toEqual([]);
    simulation.runUntil(400);
    expect(pings(simulation, 'n2')).toEqual([1, 2]);
  });

  it('does not hold up what others say', () => {
    const simulation = simulate((id, input) =>
      id === 'n3' && input.type === 'campaign-requested' ? [ping('n2', 3)] : [],
    );
    simulation.plan({ type: 'stall', node: 'n2', peer: 'n1', atMs: 0 });
    simulation.runUntil(100);
    expect(pings(simulation, 'n2')).toEqual([3]);
  });
});

describe('an application', () => {
  it('tells its protocol that it is unfit to lead, and fit again', () => {
    const simulation = simulate(() => []);
    simulation.plan({ type: 'unhealthy', node: 'n1', atMs: 10, healAtMs: 20 });
    simulation.runUntil(30);
    const { inputs } = simulation.node('n1').state;
    expect(inputs.filter(({ type }) => type === 'health-changed')).toEqual([
      { type: 'health-changed', healthy: false },
      { type: 'health-changed', healthy: true },
    ]);
  });

  it('is asked again, and not at once, when its protocol would not stand', () => {
    const refusing: Script = (id, input) =>
      id === 'n1' && input.type === 'campaign-requested' ? [{ type: 'step-down', reason: 'unhealthy' }] : [];
    const simulation = simulate(refusing);
    simulation.runUntil(250);
    expect(times(simulation, 'n1', 'campaign-requested')).toBe(3);
  });
});

describe('an effect that a protocol may not have', () => {
  const violationsOf = (script: Script): string[] => {
    const violations: string[] = [];
    const observer = { violated: (_: unknown, what: string) => violations.push(what) };
    const simulation = simulate(script, { observers: [observer] });
    simulation.runUntil(100);
    expect(simulation.node('n1').status).toBe(violations.length > 0 ? 'crashed' : 'running');
    return violations;
  };
  const lead = (token: bigint) => ({ type: 'lead', token }) as const;
  const when =
    (type: string, ...effects: readonly PingEffect[]): Script =>
    (id, input) =>
      id === 'n1' && input.type === type ? effects : [];

  it.each([
    ['leading unasked', when('started', lead(1n)), "'lead' although the application did not campaign"],
    [
      'leading with another token',
      when('campaign-requested', lead(1n), lead(2n)),
      "'lead' with token 2 while leading with 1",
    ],
    [
      'following while leading',
      when('campaign-requested', lead(1n), { type: 'follow', leaderId: 'n2', token: 1n }),
      "'follow' while leading",
    ],
    [
      'campaigning while leading',
      when('campaign-requested', lead(1n), { type: 'campaign' }),
      "'campaign' while leading",
    ],
  ])('ends its node: %s', (_, script, what) => {
    expect(violationsOf(script)).toEqual([what]);
  });

  it('is not leading when asked to, and following after stepping down', () => {
    const script: Script = (id, input) => {
      if (id !== 'n1') return [];
      if (input.type === 'campaign-requested') return [lead(1n), tick(50)];
      return input.type === 'timer-fired'
        ? [
            { type: 'step-down', reason: 'deposed' },
            { type: 'follow', leaderId: 'n2', token: 2n },
          ]
        : [];
    };
    expect(violationsOf(script)).toEqual([]);
  });
});
