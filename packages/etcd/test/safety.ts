/** One random run of the etcd elector on a simulated etcd, and all that can be asked of it. */

import { FencedStore, type NodeId } from '@hustings/elector';
import type { DelayRangeMs } from '@hustings/elector/protocol';
import {
  type AnyProtocol,
  defaultSwarm,
  drawSchedule,
  type Fault,
  Oracle,
  Random,
  type Schedule,
  type SimulatedNode,
  Simulation,
} from '@hustings/simulator';
import { type EtcdProtocol, type EtcdSettings, type EtcdState, etcd, invariants } from '../src/index.js';
import { type SimulatedEtcdSettings, simulatedEtcd } from '../src/simulated.js';

export interface SafetyOptions {
  /** Whether every clock, etcd's included, keeps to the drift that the settings allow. */
  readonly clocks: 'within the bound' | 'beyond it';
}

export interface SafetyResult {
  readonly schedule: Schedule;
  readonly steps: number;
  readonly leaders: number;
  /** A broken invariant, a token that did not grow, or a cluster that did not settle. */
  readonly violation: string | null;
  /** Each time that a node began to lead while another one that ran still did, or with a token below another's. */
  readonly overlaps: readonly string[];
  /** Writes that were tried after a newer leader had begun, and how many of those a fenced store took. */
  readonly staleWrites: number;
  readonly staleWritesAccepted: number;
}

const ttlSeconds = 1;
const timing = { detectionMs: 1700, maxDelayMs: 60, settleMs: 15_000 };
const writeEveryMs = 50;

export function settingsOf(seed: number): Partial<EtcdSettings> {
  return {
    ttlSeconds,
    requestTimeoutMs: 500,
    succession: seed % 3 === 0 ? 'race' : 'queue',
    marginMs: 0,
  };
}

export function runSeed(seed: number, { clocks }: SafetyOptions): SafetyResult {
  const drawn = drawSchedule(seed, defaultSwarm, {
    timing,
    targetedTransfer: false,
    leased: clocks === 'within the bound',
    hasCoordinator: true,
  });
  const schedule = clocks === 'within the bound' ? { ...drawn, faults: drawn.faults.map(tame) } : drawn;
  const random = new Random(seed);
  const leaderFailsEveryMs: DelayRangeMs | null = random.chance(0.3) ? [3000, 9000] : null;
  const drift = clocks === 'within the bound' ? 0.01 : 0.5;
  return runSchedule(etcd(settingsOf(seed)), schedule, {
    server: {
      leaderFailsEveryMs,
      electionMs: [200, 1200],
      historyLength: random.chance(0.3) ? 5 : 1000,
      // The slack of a real server hides what is too late by less; a strict one does not.
      expiryCheckMs: random.chance(0.5) ? 500 : 5,
    },
    serverClockRate: 1 + random.between(-drift, drift),
    observations: drawObservations(schedule, random),
    // A leader of etcd that keeps failing leaves no time to settle in.
    settles: leaderFailsEveryMs === null,
  });
}

/** Somebody begins to observe a node, or stops. */
export interface Observation {
  readonly atMs: number;
  readonly node: NodeId;
  readonly observed: boolean;
}

/** In half of the runs nobody observes; in the others, some nodes are observed now and then. */
function drawObservations({ nodes, durationMs }: Schedule, random: Random): Observation[] {
  if (random.chance(0.5)) return [];
  return nodes
    .filter(() => random.chance(0.5))
    .flatMap((node) =>
      [true, false, true].map((observed) => ({ atMs: random.between(0, durationMs), node, observed })),
    );
}

export interface ScheduleOptions {
  readonly server?: Partial<SimulatedEtcdSettings>;
  readonly serverClockRate?: number;
  readonly observations?: readonly Observation[];
  /** Whether all must be well in the end. Default true. */
  readonly settles?: boolean;
}

export function runSchedule(
  protocol: EtcdProtocol,
  schedule: Schedule,
  { server = {}, serverClockRate = 1, observations = [], settles = true }: ScheduleOptions = {},
): SafetyResult {
  const watcher = new Watcher();
  const oracle = new Oracle<EtcdState>(invariants);
  const simulation = new Simulation<EtcdState>({
    ...schedule,
    protocol: protocol as AnyProtocol<EtcdState>,
    services: [{ id: 'etcd', machine: simulatedEtcd(server) }],
    observers: [watcher, oracle],
  });
  oracle.attach(simulation);
  watcher.attach(simulation);
  simulation.services[0]?.setClockRate(serverClockRate, 0);
  for (const fault of schedule.faults) simulation.plan(fault);
  for (const { atMs, node, observed } of observations) {
    simulation.at(atMs, () => simulation.give(node, { type: 'observation-changed', observed }));
  }
  for (let atMs = writeEveryMs; atMs < schedule.durationMs; atMs += writeEveryMs) {
    simulation.at(atMs, () => watcher.write());
  }
  const isBroken = () => oracle.violation !== null || watcher.violation !== null;
  const broken = simulation.runUntilTrue(isBroken, schedule.durationMs);
  if (!broken && settles) oracle.checkEventually();
  const found = oracle.violation;
  return {
    schedule,
    steps: simulation.steps,
    leaders: watcher.leaders,
    violation:
      watcher.violation ?? (found === null ? null : `${found.property}: ${found.detail} at ${found.atMs}`),
    overlaps: watcher.overlaps,
    staleWrites: watcher.staleWrites,
    staleWritesAccepted: watcher.staleWritesAccepted,
  };
}

/** Clocks that are wrong by one per cent instead of by half. */
function tame(fault: Fault): Fault {
  if (fault.type !== 'clock-drift') return fault;
  return { ...fault, rate: Math.min(1.01, Math.max(0.99, fault.rate)) };
}

/**
 * Sees what an application would: a Leadership ends when its lease runs out, and when its holder asks to resign,
 * which the runtime does before the protocol hears of it.
 */
class Watcher {
  readonly overlaps: string[] = [];
  leaders = 0;
  staleWrites = 0;
  staleWritesAccepted = 0;
  violation: string | null = null;
  readonly #store = new FencedStore<number>();
  #simulation: Simulation<EtcdState> | null = null;
  #highest = 0n;
  readonly #leading = new Map<SimulatedNode<EtcdState>, bigint>();

  attach(simulation: Simulation<EtcdState>): void {
    this.#simulation = simulation;
  }

  changed(node: SimulatedNode<EtcdState>): void {
    const token = this.#tokenOf(node);
    if (token === null || this.#leading.get(node) === token) return;
    this.#leading.set(node, token);
    if (token > this.#highest) this.#begin(node, token);
    else this.overlaps.push(`${node.id} began to lead with token ${token} after ${this.#highest}`);
  }

  /** Every leader writes. */
  write(): void {
    for (const node of this.#simulation?.nodes ?? []) this.#writeAs(node);
  }

  #begin(node: SimulatedNode<EtcdState>, token: bigint): void {
    this.leaders += 1;
    this.#highest = token;
    const { nodes = [], nowMs = 0 } = this.#simulation ?? {};
    for (const other of nodes) {
      if (other !== node && this.#tokenOf(other) !== null) {
        this.overlaps.push(`${node.id} began to lead beside ${other.id} at ${nowMs.toFixed(1)}`);
      }
    }
    this.#writeAs(node);
  }

  #writeAs(node: SimulatedNode<EtcdState>): void {
    const token = this.#tokenOf(node);
    if (token === null) return;
    const isStale = token < this.#highest;
    if (isStale) this.staleWrites += 1;
    try {
      this.#store.write({ token, holder: `${node.id}#${node.incarnation}` }, 'key', 1);
      if (isStale) this.staleWritesAccepted += 1;
    } catch {
      if (!isStale) this.violation = `the newest leader, ${node.id} with token ${token}, was turned away`;
    }
  }

  #tokenOf(node: SimulatedNode<EtcdState>): bigint | null {
    const { leadership, state } = node;
    if (!node.running || leadership === null || state.phase !== 'leading') return null;
    const isOver = node.localMs(this.#simulation?.nowMs ?? 0) >= leadership.deadlineMs;
    return isOver ? null : leadership.token;
  }
}
