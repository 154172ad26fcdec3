#!/usr/bin/env node
/** How fast the simulator and its tools are, beside the least that any simulator must do: push and pop events. */

import { algorithmNames, configure, defaultBudgetMs, open, selfSufficientNames } from '@hustings/catalogue';
import { columnsOf, runTool, tool, wrapped } from '@hustings/command';
import { EventQueue, nodeNames, Simulation } from '@hustings/simulator';
import { measureExplore } from './explore/speed.js';
import { measureSearch } from './search/measure.js';

/** The best of several rounds: whatever else the machine does can only slow a round down. */
const rounds = 5;
const roundMs = 400;

const queuedEvents = 1000;
const clusterSize = 5;

/** Far more nodes than anybody runs: what grows faster than the messages shows here first. */
const largeClusters: readonly (readonly [algorithm: string, nodes: number])[] = [
  ['bully', 1000],
  ['raft', 501],
  ['raft', 2001],
  ['ring', 10_000],
];

interface Speeds {
  readonly bareHeapEventsPerSecond: number;
  readonly eventsPerSecond: Readonly<Record<string, number>>;
  /** Runs of `search` on one core, every check made. */
  readonly searchRunsPerSecond: Readonly<Record<string, number>>;
  /** The same runs with no check at all. */
  readonly searchRunsPerSecondUnchecked: Readonly<Record<string, number>>;
  /** How many times slower such a run is when its trace is kept, and when all that a playground shows is. */
  readonly tracedTimesSlower: Readonly<Record<string, number>>;
  readonly recordedTimesSlower: Readonly<Record<string, number>>;
  /** States of `explore`, every check made. */
  readonly exploreStatesPerSecond: Readonly<Record<string, number>>;
  readonly exploreStatesPerSecondUnchecked: Readonly<Record<string, number>>;
}

/** `work` does a slice of the work and returns how many events that was. The first round warms up. */
function bestPerSecond(work: () => number): number {
  let best = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const startedAtMs = performance.now();
    let events = 0;
    let elapsedMs = 0;
    while (elapsedMs < roundMs) {
      events += work();
      elapsedMs = performance.now() - startedAtMs;
    }
    if (round > 0) best = Math.max(best, (events * 1000) / elapsedMs);
  }
  return Math.round(best);
}

function bareHeapEventsPerSecond(): number {
  const queue = new EventQueue();
  let sequence = 0;
  // Delays that look random but cost nothing to draw: the heap alone is to be measured.
  const schedule = (nowMs: number) => {
    sequence += 1;
    queue.push({ atMs: nowMs + 1 + ((sequence * 7919) % 1009), sequence });
  };
  for (let index = 0; index < queuedEvents; index += 1) schedule(0);
  return bestPerSecond(() => {
    for (let index = 0; index < 10_000; index += 1) schedule(queue.pop()!.atMs);
    return 10_000;
  });
}

/** A cluster that has a leader and lives on: heartbeats sent, received and waited for. */
function eventsPerSecond(algorithm: string): number {
  return open(algorithm)((opened) => {
    const variant = opened.variants[0]!.variant;
    const { protocol, services, detectionMs } = configure(opened, variant, 'matched', defaultBudgetMs);
    const simulation = new Simulation({ protocol, services, nodes: nodeNames(clusterSize), seed: 1 });
    return bestPerSecond(() => {
      const before = simulation.steps;
      simulation.runUntil(simulation.nowMs + 100 * detectionMs);
      return simulation.steps - before;
    });
  });
}

interface LargeCluster {
  readonly converged: boolean;
  readonly wallMs: number;
  readonly simulatedMs: number;
  readonly events: number;
}

function startLargeCluster(algorithm: string, size: number): LargeCluster {
  return open(algorithm)((opened) => {
    const { variant } = opened.variants[0]!;
    const { protocol, detectionMs } = configure(opened, variant, 'matched', defaultBudgetMs);
    const ids = nodeNames(size);
    const startedAtMs = performance.now();
    const simulation = new Simulation({ protocol, nodes: ids, seed: 1 });
    // Asked after each event, so it looks at one node in most cases: the first that disagrees.
    let undecided = 0;
    const agreed = () => {
      const leader = simulation.nodes[0]!.belief.leaderId;
      while (undecided < ids.length) {
        const { belief } = simulation.nodes[undecided]!;
        if (leader === null || belief.leaderId !== leader) return false;
        undecided += 1;
      }
      undecided = 0;
      return simulation.nodes.every(({ belief }) => belief.leaderId === leader);
    };
    const converged = simulation.runUntilTrue(agreed, 20 * detectionMs);
    const wallMs = performance.now() - startedAtMs;
    return { converged, wallMs, simulatedMs: simulation.nowMs, events: simulation.steps };
  });
}

function byAlgorithm<Measured>(
  measure: (algorithm: string) => Measured,
  names = algorithmNames,
): [name: string, measured: Measured][] {
  return names.map((algorithm) => [algorithm, measure(algorithm)]);
}

function column<Measured>(
  entries: readonly [name: string, measured: Measured][],
  pick: (measured: Measured) => number,
): Record<string, number> {
  return Object.fromEntries(entries.map(([name, measured]) => [name, pick(measured)]));
}

function measureSpeeds(): Speeds {
  const bareHeap = bareHeapEventsPerSecond();
  const events = byAlgorithm(eventsPerSecond);
  const search = byAlgorithm((algorithm) => measureSearch(algorithm));
  const explore = byAlgorithm((algorithm) => measureExplore(algorithm), selfSufficientNames);
  return {
    bareHeapEventsPerSecond: bareHeap,
    eventsPerSecond: column(events, (rate) => rate),
    searchRunsPerSecond: column(search, (rate) => rate.runsPerSecond),
    searchRunsPerSecondUnchecked: column(search, (rate) => rate.runsPerSecondUnwatched),
    tracedTimesSlower: column(search, (rate) => ratio(rate.runsPerSecond, rate.runsPerSecondTraced)),
    recordedTimesSlower: column(search, (rate) => ratio(rate.runsPerSecond, rate.runsPerSecondRecorded)),
    exploreStatesPerSecond: column(explore, (rate) => Math.round(rate.statesPerSecond)),
    exploreStatesPerSecondUnchecked: column(explore, (rate) => Math.round(rate.statesPerSecondUnchecked)),
  };
}

const ratio = (fast: number, slow: number): number => Math.round((100 * fast) / slow) / 100;

const millions = (value: number): string => `${(value / 1e6).toFixed(2)} M`;
const whole = (value: number): string => value.toLocaleString('en-GB');

function line(subject: string, value: string, unit: string): string {
  return `${subject.padEnd(24)}${value.padStart(10)} ${unit}`;
}

function describeLargeCluster(algorithm: string, size: number): string {
  const { converged, wallMs, simulatedMs, events } = startLargeCluster(algorithm, size);
  const outcome = converged ? `agree after ${simulatedMs.toFixed(0)} simulated ms` : 'did not agree';
  return `${`${algorithm}, ${whole(size)} nodes`.padEnd(24)} ${outcome}: ${millions(events)} steps in ${(wallMs / 1000).toFixed(2)} s`;
}

function describe(speeds: Speeds): string[] {
  const { eventsPerSecond, searchRunsPerSecond, exploreStatesPerSecond } = speeds;
  return [
    line(`bare heap, ${queuedEvents} queued`, millions(speeds.bareHeapEventsPerSecond), 'events/s'),
    ...Object.entries(eventsPerSecond).map(([name, rate]) =>
      line(`${name}, ${clusterSize} nodes`, millions(rate), 'protocol steps/s, one core'),
    ),
    ...Object.entries(searchRunsPerSecond).map(([name, rate]) => {
      const unchecked = whole(speeds.searchRunsPerSecondUnchecked[name]!);
      return line(`${name}, search`, whole(rate), `runs/s, one core (${unchecked} without checks)`);
    }),
    ...Object.entries(speeds.recordedTimesSlower).map(([name, recorded]) => {
      const traced = speeds.tracedTimesSlower[name]!.toFixed(2);
      return line(`${name}, recorded`, recorded.toFixed(2), `times slower than a search (${traced} a trace)`);
    }),
    ...Object.entries(exploreStatesPerSecond).map(([name, rate]) => {
      const unchecked = whole(speeds.exploreStatesPerSecondUnchecked[name]!);
      return line(`${name}, explore`, whole(rate), `states/s (${unchecked} without checks)`);
    }),
    ...largeClusters.map(([algorithm, size]) => describeLargeCluster(algorithm, size)),
  ];
}

const command = tool('bench:simulator', 'Measures how fast the simulator and its tools are on one core.');

await runTool<{ readonly json: boolean }>(command, ({ json }) => {
  const speeds = measureSpeeds();
  process.stdout.write(
    json
      ? `${JSON.stringify(speeds, null, 2)}\n`
      : `${wrapped(describe(speeds).join('\n'), columnsOf(process.stdout))}\n`,
  );
});
