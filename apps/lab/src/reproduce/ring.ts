import type { NodeId } from '@hustings/elector';
import { changRoberts, type RingSettings, type RingState, ring } from '@hustings/ring';
import { type AnyProtocol, Random, Simulation } from '@hustings/simulator';
import { MessageCounter } from './message-counter.js';
import { type Cell, exact, type Table } from './table.js';

/** Nobody grows impatient: what is counted is one election, not a second one. */
const patient: Partial<RingSettings> = { heartbeatMs: 50, leaderTimeoutMs: [1e9, 1e9], maxDelayMs: 50 };
const network = { latencyMs: [1, 1], closesLinksOnCrash: false } as const;
const settleMs = 500;
/** Enough for an election and its announcement to go round nine nodes. */
const twiceRoundMs = 40;

interface Counts {
  readonly election: number;
  readonly coordinator: number;
}

export const listCollectingMessages: Table = {
  name: 'ring-messages',
  describes:
    'list-collecting ring of n nodes, whole, one node starts: ELECTION n and COORDINATOR n, whoever starts; all start at once and all elections run: n² each. Acknowledgements are not counted.',
  measure: () => [...[3, 5, 9].flatMap(measureListCollecting), ...[3, 5, 9].flatMap(measureTextbook)],
};

export const changRobertsMessages: Table = {
  name: 'chang-roberts-messages',
  describes:
    'Chang–Roberts ring of n nodes, all start at once: ELECTION on average n·Hₙ, at best 2n−1, at worst n(n+1)/2; COORDINATOR n. Acknowledgements are not counted.',
  measure: () => [...[3, 5, 9].flatMap(measureExtremes), measureEveryRing(5), measureRandomRings(9)],
};

/** The former leader has resigned and only passes messages on; the node after it in the ring starts. */
export function countSingleInitiator(
  order: readonly NodeId[],
  variation: (settings: Partial<RingSettings>) => AnyProtocol<RingState> = ring,
): Counts {
  const counter = new MessageCounter();
  const simulation = new Simulation({
    protocol: variation({ ...patient, order }),
    nodes: order,
    seed: 1,
    network,
    observers: [counter],
  });
  simulation.runUntil(settleMs);
  counter.reset();
  simulation.inject({ type: 'graceful', node: 'leader' });
  simulation.runUntil(2 * settleMs);
  return { election: counter.of('election'), coordinator: counter.of('coordinator') };
}

/** Every node of a new ring starts an election before it hears of another. */
export function countAllInitiators(
  order: readonly NodeId[],
  variation: (settings: Partial<RingSettings>) => AnyProtocol<RingState> = changRoberts,
): Counts {
  const counter = new MessageCounter();
  const simulation = new Simulation({
    protocol: variation({ ...patient, order }),
    nodes: order,
    seed: 1,
    network,
    observers: [counter],
  });
  simulation.runUntil(twiceRoundMs);
  return { election: counter.of('election'), coordinator: counter.of('coordinator') };
}

function measureListCollecting(size: number): Cell[] {
  const nodes = ranked(size);
  // The strongest leads and resigns. Whoever stands after it in the ring starts, so each takes that place once.
  const counts = nodes.slice(0, -1).map((starter) => {
    const others = nodes.filter((node) => node !== starter && node !== nodes.at(-1));
    return countSingleInitiator([nodes.at(-1)!, starter, ...others]);
  });
  return counts.flatMap(({ election, coordinator }, index) => {
    const name = `n=${size}, rank ${index + 1} starts`;
    return [
      exact(`${name}: ELECTION`, size, election),
      exact(`${name}: COORDINATOR`, size, coordinator),
      exact(`${name}: total`, 2 * size, election + coordinator),
    ];
  });
}

/** By the textbook's rule every election runs to its end: 2n for each of n. */
function measureTextbook(size: number): Cell[] {
  const { election, coordinator } = countAllInitiators(ranked(size), (settings) =>
    ring({ ...settings, allElectionsRun: true }),
  );
  const name = `n=${size}, all start`;
  return [
    exact(`${name}: ELECTION`, size * size, election),
    exact(`${name}: COORDINATOR`, size * size, coordinator),
  ];
}

function measureExtremes(size: number): Cell[] {
  // Each id is swallowed by the next in a rising ring, and goes on to the strongest in a falling one.
  const best = countAllInitiators(ranked(size));
  const worst = countAllInitiators(ranked(size).reverse());
  return [
    exact(`n=${size} best: ELECTION`, 2 * size - 1, best.election),
    exact(`n=${size} worst: ELECTION`, (size * (size + 1)) / 2, worst.election),
    exact(`n=${size} best: COORDINATOR`, size, best.coordinator),
    exact(`n=${size} worst: COORDINATOR`, size, worst.coordinator),
  ];
}

/** There are few enough rings of this size to take all: the mean is exact, but for the arithmetic. */
function measureEveryRing(size: number): Cell {
  const [first, ...rest] = ranked(size);
  const counts = permutations(rest).map((order) => countAllInitiators([first!, ...order]).election);
  return {
    cell: `n=${size} mean of every ring: ELECTION`,
    published: meanOf(size),
    ours: mean(counts),
    tolerance: 1e-9,
  };
}

const randomRings = 4000;
/** A correct mean strays further than this once in 15,000 samples; with a fixed seed, never or always. */
const standardErrors = 4;

function measureRandomRings(size: number): Cell {
  const random = new Random(1979);
  const counts = Array.from(
    { length: randomRings },
    () => countAllInitiators(shuffled(ranked(size), random)).election,
  );
  const average = mean(counts);
  const variance = mean(counts.map((count) => (count - average) ** 2));
  return {
    cell: `n=${size} mean of ${randomRings} random rings: ELECTION`,
    published: meanOf(size),
    ours: average,
    tolerance: standardErrors * Math.sqrt(variance / randomRings),
  };
}

/** n·Hₙ. */
const meanOf = (size: number): number => ranked(size).reduce((sum, _, index) => sum + size / (index + 1), 0);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const ranked = (size: number): NodeId[] => Array.from({ length: size }, (_, index) => `n${index + 1}`);

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]),
  );
}

/** Fisher and Yates: every order is equally likely. */
function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const chosen = random.integer(0, last);
    [order[last], order[chosen]] = [order[chosen]!, order[last]!];
  }
  return order;
}
