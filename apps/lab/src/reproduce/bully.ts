import { type BullyState, bully } from '@hustings/bully';
import { type AnyProtocol, Simulation } from '@hustings/simulator';
import { MessageCounter } from './message-counter.js';
import { type Cell, exact, type Table } from './table.js';

const sizes = [3, 5, 9];
const maxDelayMs = 10;
const settleMs = 500;

/** Nobody but the node that is told to notices anything by itself. */
export const patientBully = bully({ heartbeatMs: 50, leaderTimeoutMs: [1e9, 1e9], maxDelayMs });

/** The published counts of an election that the node of rank `k` of `n` calls, m = n − k. */
export const published = {
  election: (m: number): number => (m * (m + 1)) / 2,
  answer: (m: number): number => (m * (m - 1)) / 2,
  coordinator: (n: number): number => n - 2,
  total: (n: number, m: number): number => m * m + n - 2,
  worst: (n: number): number => n * n - n - 1,
  best: (n: number): number => n - 1,
};

export const bullyMessages: Table = {
  name: 'bully-messages',
  describes:
    'messages of one election; the highest of n nodes is dead and the node of rank k alone notices, m = n − k. The probe of the dead node counts.',
  measure: () => sizes.flatMap((size) => measureSize(size)),
};

interface Counts {
  readonly election: number;
  readonly answer: number;
  readonly coordinator: number;
}

/** What the election that the node of this rank calls costs, the weakest being of rank 1. */
export function countElection(
  size: number,
  rank: number,
  variation: AnyProtocol<BullyState> = patientBully,
): Counts {
  const nodes = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  const counter = new MessageCounter();
  const simulation = new Simulation({
    protocol: variation,
    nodes,
    seed: 1,
    network: { latencyMs: [1, 1], closesLinksOnCrash: false },
    observers: [counter],
  });
  const highest = nodes.at(-1)!;
  simulation.give(highest, { type: 'timer-fired', timer: 'leader' });
  simulation.runUntil(settleMs);
  simulation.inject({ type: 'crash', node: highest });
  // Its last heartbeats arrive first.
  simulation.runUntil(settleMs + maxDelayMs);
  counter.reset();
  simulation.give(nodes[rank - 1]!, { type: 'timer-fired', timer: 'leader' });
  simulation.runUntil(2 * settleMs);
  return {
    election: counter.of('election'),
    answer: counter.of('answer'),
    coordinator: counter.of('coordinator'),
  };
}

function measureSize(size: number): Cell[] {
  const totals: number[] = [];
  const cells = Array.from({ length: size - 1 }, (_, index) => index + 1).flatMap((rank) => {
    const stronger = size - rank;
    const { election, answer, coordinator } = countElection(size, rank);
    const total = election + answer + coordinator;
    totals.push(total);
    const name = `n=${size} k=${rank}`;
    return [
      exact(`${name} ELECTION`, published.election(stronger), election),
      exact(`${name} ANSWER`, published.answer(stronger), answer),
      exact(`${name} COORDINATOR`, published.coordinator(size), coordinator),
      exact(`${name} total`, published.total(size, stronger), total),
    ];
  });
  return [
    ...cells,
    exact(`n=${size} worst`, published.worst(size), Math.max(...totals)),
    exact(`n=${size} best`, published.best(size), Math.min(...totals)),
  ];
}
