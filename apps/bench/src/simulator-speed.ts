#!/usr/bin/env node
/** How fast the simulator is, beside the least that any simulator must do: push and pop events. */

import { parseArgs } from 'node:util';
import { EventQueue, Simulation } from '@hustings/simulator';
import { algorithmNames, configure, open } from './algorithms.js';
import { defaultBudgetMs } from './settings.js';
import { nodeIds } from './simulated/trial.js';

/** The best of several rounds: whatever else the machine does can only slow a round down. */
const rounds = 5;
const roundMs = 400;

const queuedEvents = 1000;
const clusterSize = 5;
const largeClusterSize = 1000;

interface Speeds {
  readonly bareHeapEventsPerSecond: number;
  readonly eventsPerSecond: Readonly<Record<string, number>>;
  /** Runs of `search` and states of `explore`: measured once those tools exist. */
  readonly searchRunsPerSecond: Readonly<Record<string, number>>;
  readonly exploreStatesPerSecond: Readonly<Record<string, number>>;
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
    const { protocol, detectionMs } = configure(opened, variant, 'matched', defaultBudgetMs);
    const simulation = new Simulation({ protocol, nodes: nodeIds(clusterSize), seed: 1 });
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

function startLargeCluster(algorithm: string): LargeCluster {
  return open(algorithm)((opened) => {
    const { variant } = opened.variants[0]!;
    const { protocol, detectionMs } = configure(opened, variant, 'matched', defaultBudgetMs);
    const ids = nodeIds(largeClusterSize);
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

function byAlgorithm(measure: (algorithm: string) => number): Record<string, number> {
  return Object.fromEntries(algorithmNames.map((algorithm) => [algorithm, measure(algorithm)]));
}

function readFlags(): { readonly json: boolean } {
  try {
    const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
    return { json: values.json };
  } catch (error) {
    process.stderr.write(`${(error as Error).message.split('. ')[0]}; the only flag is --json.\n`);
    process.exit(2);
  }
}

const { json } = readFlags();
const speeds: Speeds = {
  bareHeapEventsPerSecond: bareHeapEventsPerSecond(),
  eventsPerSecond: byAlgorithm(eventsPerSecond),
  searchRunsPerSecond: {},
  exploreStatesPerSecond: {},
};

if (json) {
  process.stdout.write(`${JSON.stringify(speeds, null, 2)}\n`);
} else {
  const millions = (value: number) => `${(value / 1e6).toFixed(2)} M`.padStart(9);
  const lines = [
    `bare heap, ${queuedEvents} queued  ${millions(speeds.bareHeapEventsPerSecond)} events/s`,
    ...Object.entries(speeds.eventsPerSecond).map(
      ([name, value]) =>
        `${`${name}, ${clusterSize} nodes`.padEnd(22)}  ${millions(value)} protocol steps/s, one core`,
    ),
    ...algorithmNames.map((algorithm) => {
      const { converged, wallMs, simulatedMs, events } = startLargeCluster(algorithm);
      const outcome = converged ? `agree after ${simulatedMs.toFixed(0)} simulated ms` : 'did not agree';
      return `${`${algorithm}, ${largeClusterSize} nodes`.padEnd(22)}  ${outcome}: ${millions(events).trim()} steps in ${(wallMs / 1000).toFixed(2)} s`;
    }),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
