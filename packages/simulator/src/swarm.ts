/**
 * Random schedules, in the manner of swarm testing (Groce et al., "Swarm Testing", ISSTA 2012): each seed first
 * draws which kinds of fault exist at all. A run with two kinds goes deeper into what those two do to one
 * another than a run with a little of everything.
 */

import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs } from '@hustings/elector/protocol';
import { type Fault, type FaultKind, faultsOfAnyProcess, faultTypes, type Target } from './faults.js';
import { defaultNetwork, type NetworkModel } from './network.js';
import { deriveSeed, Random } from './random.js';
import type { DrawnWorkload, Schedule } from './schedule.js';

export type FaultType = (typeof faultTypes)[number];

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
  /** How far from real time the clocks may run for good: 0.01, unless the algorithm bears more. */
  readonly maxDriftRate?: number;
}

export interface SwarmSubject {
  readonly timing: Timing;
  /** Whether a leader that resigns may name its successor. */
  readonly targetedTransfer: boolean;
  /** Leases rest on the clocks: then no clock is more than slightly off, as such algorithms assume. */
  readonly leased: boolean;
  /** Without one, there are no faults of one. */
  readonly hasCoordinator: boolean;
  /** The kinds of what applications can ask. */
  readonly workload?: readonly string[];
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
  const allowed = ambushes.every((fault) => isDrawnFrom(swarm, fault)) ? ambushes : [];
  const hard = subject.leased ? drawHardships(seed, { nodes, kinds, swarm, subject }) : [];
  const faults = [...single, ...allowed, ...hard].sort((a, b) => a.atMs - b.atMs);
  const workload = drawWorkload(seed, faults, subject);
  const draft = { nodes, seed, network, unwindMs, ...saveMs, faults, ...workload };
  return { ...draft, durationMs: settledMs(draft, timing) };
}

const isDrawnFrom = ({ faults }: Swarm, { type }: FaultKind): boolean =>
  (faults as readonly string[]).includes(type);

/** In a third of the runs, some of the kinds. */
function drawWorkload(
  seed: number,
  faults: readonly Fault[],
  { workload = [], timing }: SwarmSubject,
): { workload?: DrawnWorkload } {
  const random = new Random(deriveSeed(seed, 'workload'));
  if (workload.length === 0 || random.chance(2 / 3)) return {};
  const kinds = workload.filter(() => random.chance(0.5));
  const untilMs = Math.ceil(Math.max(timing.detectionMs, ...faults.map((fault) => endMs(fault, timing))));
  return kinds.length === 0 ? {} : { workload: { untilMs, kinds } };
}

interface Field {
  readonly nodes: readonly NodeId[];
  /** The kinds of fault that this run has. */
  readonly kinds: readonly FaultType[];
  readonly swarm: Swarm;
  readonly subject: SwarmSubject;
}

/**
 * What an algorithm must bear that promises one leader at a time: clocks at either end of their bound, or beyond it;
 * many faults within a moment; a node that comes back at the worst time; and a slow network. A stream of their own.
 */
function drawHardships(seed: number, field: Field): Fault[] {
  const random = new Random(deriveSeed(seed, 'hardships'));
  const { nodes, swarm, subject } = field;
  const faults = [
    ...(random.chance(0.5) ? drawClocks(nodes, subject, random) : []),
    ...(random.chance(0.25) ? drawBurst(field, random) : []),
    ...(random.chance(0.25) ? drawReturn(nodes, subject.timing, random) : []),
    ...(random.chance(0.1) ? drawSlowness(nodes, subject.timing, random) : []),
  ];
  return faults.filter((fault) => isDrawnFrom(swarm, fault));
}

/** From the beginning, and where they keep to the bound, to the end. */
function drawClocks(nodes: readonly NodeId[], subject: SwarmSubject, random: Random): Fault[] {
  const { timing, hasCoordinator } = subject;
  const { maxDriftRate = slightDrift, detectionMs } = timing;
  const isBeyond = random.chance(0.2);
  const clocks: readonly Target[] = hasCoordinator ? [...nodes, 'coordinator'] : nodes;
  return clocks
    .filter(() => random.chance(0.5))
    .map((node): Fault => {
      const type = 'clock-drift';
      if (!isBeyond) return { type, node, rate: random.pick([1 - maxDriftRate, 1 + maxDriftRate]), atMs: 0 };
      const rate = inHundredths(random.between(0.5, 1.5));
      return { type, node, rate, atMs: 0, healAtMs: inTenths(random.between(1, 7) * detectionMs) };
    });
}

function drawBurst({ nodes, kinds, subject }: Field, random: Random): Fault[] {
  const { detectionMs } = subject.timing;
  const atMs = random.between(0, 7 * detectionMs);
  const count = kinds.length === 0 ? 0 : random.integer(2, 8);
  return Array.from({ length: count }, () => {
    const fault = drawTime(drawKind(random.pick(kinds), nodes, subject, random), subject.timing, random);
    const lastsMs = random.between(0, random.pick([0.02, 0.2, 2])) * detectionMs;
    const soonMs = inTenths(atMs + random.between(0, 0.2 * detectionMs));
    return fault.healAtMs === undefined
      ? { ...fault, atMs: soonMs }
      : { ...fault, atMs: soonMs, healAtMs: inTenths(soonMs + lastsMs) };
  });
}

/** A network on which elections hardly end. */
function drawSlowness(nodes: readonly NodeId[], { detectionMs }: Timing, random: Random): Fault[] {
  const extraMs = inTenths(random.between(0, 0.3 * detectionMs));
  const healAtMs = inTenths(random.between(1, 7) * detectionMs);
  return nodes.map((node) => ({ type: 'slow-link', node, extraMs, atMs: 0, healAtMs }));
}

/**
 * A node that has long heard nobody comes back just when others restart and the leader, with a lease that still runs,
 * is cut off.
 */
function drawReturn(nodes: readonly NodeId[], { detectionMs }: Timing, random: Random): Fault[] {
  const near = (momentMs: number, share: number): number =>
    inTenths(Math.max(0, momentMs + random.between(-share, share) * detectionMs));
  const stranger = random.pick(nodes);
  const atMs = inTenths(random.between(0, 5 * detectionMs));
  const returnsAtMs = inTenths(atMs + random.between(0.5, 2) * detectionMs);
  const others = nodes.filter((node) => node !== stranger && random.chance(0.5));
  return [
    { type: 'isolate', node: stranger, atMs, healAtMs: returnsAtMs },
    {
      type: 'isolate',
      node: 'leader',
      atMs: near(returnsAtMs - 0.01 * detectionMs, 0.01),
      healAtMs: inTenths(returnsAtMs + 0.7 * detectionMs),
    },
    ...others.map((node): Fault => ({ type: 'restart', node, atMs: near(returnsAtMs, 0.03) })),
  ];
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
export function settledMs(
  { faults, workload }: Pick<Schedule, 'faults' | 'workload'>,
  timing: Timing,
): number {
  const endsMs = faults.map((fault) => endMs(fault, timing));
  return Math.ceil(Math.max(0, workload?.untilMs ?? 0, ...endsMs) + timing.settleMs);
}

function endMs(fault: Fault, timing: Timing): number {
  return isOverAtOnce(fault, timing) ? fault.atMs : (fault.healAtMs ?? Number.POSITIVE_INFINITY);
}

/** Or too slight to matter. */
function isOverAtOnce(kind: FaultKind, timing: Timing): boolean {
  return (
    kind.type === 'restart' ||
    kind.type === 'drop' ||
    kind.type === 'fire' ||
    kind.type === 'coordinator-member-crash' ||
    (kind.type === 'clock-drift' && isSlight(kind.rate, timing))
  );
}

// A little room for rates that were rounded.
const isSlight = (rate: number, { maxDriftRate = slightDrift }: Timing): boolean =>
  Math.abs(rate - 1) <= maxDriftRate + 1e-9;

/** Whether no clock is ever further off than the algorithm bears. */
export function keepsClocks({ faults }: Schedule, timing: Timing): boolean {
  return faults.every((fault) => fault.type !== 'clock-drift' || isSlight(fault.rate, timing));
}

const isOfCoordinator = (type: FaultType): boolean =>
  type === 'isolate-from-coordinator' || type === 'coordinator-crash' || type === 'coordinator-member-crash';

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
  { timing, targetedTransfer, leased, hasCoordinator }: SwarmSubject,
  random: Random,
): FaultKind {
  const isOnCoordinator = hasCoordinator && faultsOfAnyProcess.has(type) && random.chance(0.2);
  const candidate: Target = random.chance(0.5) ? 'leader' : random.pick(nodes);
  const node = isOnCoordinator ? 'coordinator' : candidate;
  switch (type) {
    case 'split':
      return { type, side: drawSide(nodes, random) };
    case 'loss':
    case 'duplicate':
      return { type, probability: inHundredths(random.between(0.05, 0.9)) };
    case 'reorder':
    case 'coordinator-crash':
    case 'coordinator-member-crash':
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

function drawTime(kind: FaultKind, timing: Timing, random: Random): Fault {
  const { detectionMs } = timing;
  const atMs = inTenths(random.between(0, 7 * detectionMs));
  // Up to thrice the time in which silence is noticed: some are over before anybody notices, some are not.
  const healAtMs = inTenths(atMs + random.between(0, 3 * detectionMs));
  return isOverAtOnce(kind, timing) ? { ...kind, atMs } : { ...kind, atMs, healAtMs };
}

// Short numbers keep schedules readable, and tenths are finer than any latency that is drawn.
const inTenths = (value: number): number => Math.round(value * 10) / 10;
const inHundredths = (value: number): number => Math.round(value * 100) / 100;
