/**
 * Random schedules, in the manner of swarm testing (Groce et al., "Swarm Testing", ISSTA 2012): each seed first
 * draws which kinds of fault exist at all. A run with two kinds goes deeper into what those two do to one
 * another than a run with a little of everything.
 */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs } from '@hustings/elector/protocol';
import { type Fault, type FaultKind, faultTypes, type Target } from './faults.js';
import { defaultNetwork, type NetworkModel } from './network.js';
import { deriveSeed, Random } from './random.js';
import type { Schedule } from './schedule.js';

export type FaultType = FaultKind['type'];

/** What a search draws from. A few words of it are part of every token. */
export interface Swarm {
  /** The smallest and the largest cluster. */
  readonly nodes: readonly [min: number, max: number];
  readonly faults: readonly FaultType[];
}

export const defaultSwarm: Swarm = { nodes: [3, 7], faults: faultTypes };

/** What an algorithm's settings say about time. */
export interface Timing {
  /** The longest that a silent leader goes unnoticed. */
  readonly detectionMs: number;
  /** The longest that a message may take by the algorithm's assumptions. */
  readonly maxDelayMs: number;
  /** How long after the last fault has healed what should come true may take. */
  readonly settleMs: number;
}

export interface SwarmSubject {
  readonly timing: Timing;
  /** Whether a leader that resigns may name its successor. */
  readonly targetedTransfer: boolean;
  /** Leases rest on the clocks: then no clock is more than slightly off, as such algorithms assume. */
  readonly leased: boolean;
  /** Without one, there are no faults of one. */
  readonly hasCoordinator: boolean;
}

/** A clock that is off by no more than this keeps every algorithm's assumptions, and need not heal. */
const slightDrift = 0.01;

/** The same arguments, the same schedule. */
export function drawSchedule(seed: number, swarm: Swarm, subject: SwarmSubject): Schedule {
  const { timing, hasCoordinator } = subject;
  // A stream of its own: how the schedule came about does not disturb the draws of the run.
  const random = new Random(deriveSeed(seed, 'schedule'));
  const nodes = nodeNames(random.integer(...swarm.nodes));
  const possible = swarm.faults.filter((type) => hasCoordinator || !isOfCoordinator(type));
  const kinds = drawKinds(possible, random);
  const count = kinds.length === 0 ? 0 : random.integer(1, 5);
  const single = Array.from({ length: count }, () => {
    const kind = drawKind(random.pick(kinds), nodes, subject, random);
    return drawTime(kind, timing, random);
  });
  const network = drawNetwork(subject, random);
  const unwindMs = random.chance(0.25) ? inTenths(random.between(0, timing.detectionMs)) : 0;
  const saveMs = random.chance(0.25) ? { saveMs: drawSaveMs(timing, random) } : {};
  const ambushes = random.chance(0.25) ? ambush(nodes, timing, random) : [];
  const allowed = ambushes.every(({ type }) => swarm.faults.includes(type)) ? ambushes : [];
  const faults = [...single, ...allowed].sort((a, b) => a.atMs - b.atMs);
  return { nodes, seed, network, unwindMs, ...saveMs, faults, durationMs: settledMs(faults, timing) };
}

/**
 * Late words: a leader dies while one of its connections stalls, and comes back. It may lead again, by succession or by
 * election, when the other end hears, and answers, what its former process had said; and then it is cut off.
 */
function ambush(nodes: readonly NodeId[], { detectionMs }: Timing, random: Random): Fault[] {
  const soon = (afterMs: number, ...share: [number, number]): number =>
    inTenths(afterMs + random.between(...share) * detectionMs);
  const atMs = soon(0, 1, 4);
  const diesAtMs = soon(atMs, 0, 0.5);
  const resignsAtMs = soon(diesAtMs, 1, 2);
  const healAtMs = soon(resignsAtMs, 0.1, 2);
  const cutAtMs = soon(healAtMs, 0, 0.5);
  return [
    { type: 'stall', node: 'leader', peer: random.pick(nodes), atMs, healAtMs },
    { type: 'restart', node: 'leader', atMs: diesAtMs },
    { type: 'graceful', node: 'leader', atMs: resignsAtMs, healAtMs: soon(resignsAtMs, 0.1, 0.5) },
    { type: 'isolate', node: 'leader', atMs: cutAtMs, healAtMs: soon(cutAtMs, 2, 4) },
  ];
}

/** Slow, but no slower than a message may be. */
function drawSaveMs({ maxDelayMs }: Timing, random: Random): DelayRangeMs {
  const slowestMs = inTenths(random.between(0.01, 0.5) * maxDelayMs);
  return [inTenths(random.fraction() * slowestMs), slowestMs];
}

export function nodeNames(count: number): NodeId[] {
  return Array.from({ length: count }, (_, index) => `n${index + 1}`);
}

/** When a run of these faults may be asked whether all has come true; `Infinity` when one of them never heals. */
export function settledMs(faults: readonly Fault[], { settleMs }: Timing): number {
  return Math.ceil(Math.max(0, ...faults.map(endMs)) + settleMs);
}

function endMs(fault: Fault): number {
  const isOver = fault.type === 'restart' || (fault.type === 'clock-drift' && isSlight(fault.rate));
  return isOver ? fault.atMs : (fault.healAtMs ?? Number.POSITIVE_INFINITY);
}

// A little room for rates that were rounded.
const isSlight = (rate: number): boolean => Math.abs(rate - 1) <= slightDrift + 1e-9;

const isOfCoordinator = (type: FaultType): boolean =>
  type === 'isolate-from-coordinator' || type === 'coordinator-crash';

function drawKinds(faults: readonly FaultType[], random: Random): FaultType[] {
  if (faults.length === 0) return [];
  const kinds = faults.filter(() => random.chance(0.5));
  return kinds.length === 0 ? [random.pick(faults)] : kinds;
}

/**
 * While nothing is wrong, messages keep to the algorithm's bound, with a tenth to spare: a clock that runs one
 * per cent fast must not make a message late. Loss and reordering are faults, and heal.
 */
function drawNetwork({ timing, hasCoordinator }: SwarmSubject, random: Random): NetworkModel {
  const slowestMs = inTenths(random.between(0.01, 0.9) * timing.maxDelayMs);
  const fastestMs = inTenths(random.fraction() * slowestMs);
  const closesLinksOnCrash = random.chance(0.5);
  // Among peers, a protocol has to be safe without the driver's help. A coordinator is asked through a gateway, which
  // dies with its process.
  const tellsLivesApart = hasCoordinator || random.chance(0.75);
  return { ...defaultNetwork, latencyMs: [fastestMs, slowestMs], closesLinksOnCrash, tellsLivesApart };
}

/** But for the clocks of leases, no assumption bounds how hard a fault strikes: only what comes after it heals. */
function drawKind(
  type: FaultType,
  nodes: readonly NodeId[],
  { timing, targetedTransfer, leased }: SwarmSubject,
  random: Random,
): FaultKind {
  const node: Target = random.chance(0.5) ? 'leader' : random.pick(nodes);
  switch (type) {
    case 'split':
      return { type, side: drawSide(nodes, random) };
    case 'loss':
    case 'duplicate':
      return { type, probability: inHundredths(random.between(0.05, 0.9)) };
    case 'reorder':
    case 'coordinator-crash':
      return { type };
    case 'stall':
      return { type, node, peer: random.pick(nodes) };
    case 'slow-link':
      return { type, node, extraMs: inTenths(random.between(0, timing.detectionMs)) };
    case 'clock-drift':
      return { type, node, rate: drawRate(leased, random) };
    case 'graceful':
      return targetedTransfer && random.chance(0.5) ? { type, node, to: random.pick(nodes) } : { type, node };
    default:
      return { type, node };
  }
}

function drawSide(nodes: readonly NodeId[], random: Random): NodeId[] {
  const size = random.integer(1, Math.max(1, nodes.length - 1));
  const rest = [...nodes];
  const side = new Set(
    Array.from({ length: size }, () => rest.splice(random.integer(0, rest.length - 1), 1)[0]!),
  );
  return nodes.filter((node) => side.has(node));
}

function drawRate(leased: boolean, random: Random): number {
  return leased || random.chance(0.5)
    ? Math.round(random.between(1 - slightDrift, 1 + slightDrift) * 1000) / 1000
    : inHundredths(random.between(0.5, 2));
}

function drawTime(kind: FaultKind, { detectionMs }: Timing, random: Random): Fault {
  const atMs = inTenths(random.between(0, 7 * detectionMs));
  // Up to thrice the time in which silence is noticed: some are over before anybody notices, some are not.
  const healAtMs = inTenths(atMs + random.between(0, 3 * detectionMs));
  const lasts = kind.type === 'restart' || (kind.type === 'clock-drift' && isSlight(kind.rate));
  return lasts ? { ...kind, atMs } : { ...kind, atMs, healAtMs };
}

// Short numbers keep schedules readable, and tenths are finer than any latency that is drawn.
const inTenths = (value: number): number => Math.round(value * 10) / 10;
const inHundredths = (value: number): number => Math.round(value * 100) / 100;
