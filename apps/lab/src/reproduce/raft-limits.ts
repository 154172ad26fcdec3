/** What each preset of timings bears: not published by others, but documented by us, in the README of Raft. */

import type { NodeId } from '@hustings/elector';
import { type RaftState, raft } from '@hustings/raft';
import { type Observer, Simulation, type SimulationOptions } from '@hustings/simulator';
import { raftTimings } from 'hustings/raft';
import { mean } from './statistics.js';
import type { Cell, Table } from './table.js';

type Preset = keyof typeof raftTimings;
type Hardship = Pick<SimulationOptions<RaftState>, 'network'> & { readonly pauseMs?: number };

const trials = 10;
const minuteMs = 60_000;
const nodes: readonly NodeId[] = ['n1', 'n2', 'n3', 'n4', 'n5'];

export const raftLimits: Table = {
  name: 'raft-limits',
  describes:
    'README of Raft: % of a minute in which somebody leads, and how many terms it takes, 5 nodes, mean of 10 trials; pauses are of the leader, one every five seconds.',
  measure: () => [
    ...measure('fast', '46 ms one way', oneWay(46), borne),
    ...measure('fast', '50 ms one way', oneWay(50), { share: 7.8, terms: 126, tolerance: 5 }),
    ...measure('fast', 'a pause of 90 ms', { pauseMs: 90 }, borne),
    ...measure('fast', '5 % lost', lost(0.05), borne),
    ...measure('lan', '430 ms one way', oneWay(430), borne),
    ...measure('lan', 'a pause of 870 ms', { pauseMs: 870 }, borne),
    ...measure('lan', '40 % lost', lost(0.4), borne),
    ...measure('wan', '2150 ms one way', oneWay(2150), borne),
    ...measure('wan', 'a pause of 4390 ms', { pauseMs: 4390 }, borne),
    ...measure('wan', '40 % lost', lost(0.4), borne),
  ],
};

interface Documented {
  readonly share: number;
  readonly terms: number;
  readonly tolerance: number;
}

const borne: Documented = { share: 100, terms: 1, tolerance: 0.05 };

const oneWay = (ms: number): Hardship => ({ network: { latencyMs: [ms, ms] } });
const lost = (lossProbability: number): Hardship => ({ network: { lossProbability } });

function measure(preset: Preset, what: string, hardship: Hardship, documented: Documented): Cell[] {
  const minutes = Array.from({ length: trials }, (_, seed) => minuteOf(preset, hardship, seed));
  const cell = (figure: string, published: number, ours: number): Cell => ({
    ...{ cell: `${preset}, ${what}: ${figure}`, published, ours, tolerance: documented.tolerance },
  });
  return [
    cell(
      '% in office',
      documented.share,
      mean(minutes.map(({ inOfficeMs }) => (100 * inOfficeMs) / minuteMs)),
    ),
    cell('terms', documented.terms, mean(minutes.map(({ terms }) => terms))),
  ];
}

/** The first minute after somebody was elected. */
function minuteOf(preset: Preset, { pauseMs, ...conditions }: Hardship, seed: number) {
  const clock = new OfficeClock();
  const simulation = new Simulation<RaftState>({
    protocol: raft(raftTimings[preset]),
    ...{ nodes, seed, observers: [clock] },
    ...conditions,
  });
  clock.attach(simulation);
  simulation.runUntilTrue(() => simulation.leader !== null, minuteMs);
  const sinceMs = simulation.nowMs;
  const term = Number(simulation.leader?.leadership?.token ?? 0);
  clock.reset();
  for (let atMs = sinceMs + 5000; pauseMs !== undefined && atMs < sinceMs + minuteMs; atMs += 5000) {
    simulation.plan({ type: 'pause', node: 'leader', atMs, healAtMs: atMs + pauseMs });
  }
  simulation.runUntil(sinceMs + minuteMs);
  const latest = Math.max(...simulation.nodes.map(({ state }) => state.currentTerm));
  return { inOfficeMs: clock.inOfficeMs, terms: latest - term + 1 };
}

/** How long anybody has led. Who is paused leads on, if its lease lasts. */
class OfficeClock implements Observer<RaftState> {
  #world: Simulation<RaftState> | null = null;
  #sinceMs = 0;
  #isHeld = false;
  #heldMs = 0;

  attach(world: Simulation<RaftState>): void {
    this.#world = world;
  }

  reset(): void {
    this.changed();
    this.#heldMs = 0;
  }

  get inOfficeMs(): number {
    this.changed();
    return this.#heldMs;
  }

  changed(): void {
    const { nowMs, nodes: all } = this.#world!;
    if (this.#isHeld) this.#heldMs += nowMs - this.#sinceMs;
    this.#sinceMs = nowMs;
    this.#isHeld = all.some(({ leading }) => leading);
  }
}
