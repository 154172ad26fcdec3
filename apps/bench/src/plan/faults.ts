import type { NodeId } from '@hustings/elector';
import { type FaultKind, faultTypes, type Random } from '@hustings/simulator';

/** About a coordinator: they say nothing about an algorithm that has none. */
export const coordinatorFaults = [
  'isolate-from-coordinator',
  'coordinator-member-crash',
  'coordinator-crash',
] as const;

type CoordinatorFault = (typeof coordinatorFaults)[number];

/** One member of the coordinator's cluster dies, its leader where there are several. */
export interface MemberCrash {
  readonly type: 'coordinator-member-crash';
}

/** The leader resigns in favour of another. */
export interface Transfer {
  readonly type: 'transfer';
  readonly node: NodeId;
  readonly to: NodeId;
}

/** They belong to a search: none of them by itself asks for another leader. */
const unmeasuredFaults = ['stall', 'unhealthy', 'observe'] as const;

type UnmeasuredFault = (typeof unmeasuredFaults)[number];

/** What a search and a benchmark draw from; the others are for hands. */
type DrawnFault = Extract<FaultKind, { type: (typeof faultTypes)[number] }>;

export type PlannedFault = Exclude<DrawnFault, { type: UnmeasuredFault }> | Transfer | MemberCrash;

export type FaultName = PlannedFault['type'];

export const faultNames: readonly FaultName[] = [
  ...faultTypes.filter((type) => !isCoordinatorFault(type)).filter((type) => !isUnmeasured(type)),
  'transfer',
  ...coordinatorFaults,
];

export const defaultFaults: readonly FaultName[] = ['crash', 'pause', 'isolate', 'split', 'graceful'];

function isUnmeasured(name: string): name is UnmeasuredFault {
  return (unmeasuredFaults as readonly string[]).includes(name);
}

export function isCoordinatorFault(name: string): name is CoordinatorFault {
  return (coordinatorFaults as readonly string[]).includes(name);
}

export function isFaultName(name: string): name is FaultName {
  return (faultNames as readonly string[]).includes(name);
}

/** One fault as the benchmark strikes with it, in either mode. */
export interface FaultPlan {
  readonly kind: PlannedFault;
  /** Who can be expected to notice, to take over and to agree. */
  readonly healthy: readonly NodeId[];
  /** False where the old leader may rightly stay in office: then staying resolves the trial, too. */
  readonly demandsSuccessor: boolean;
  /** False where nothing comes back: a crashed process stays dead, and a leader that resigned stays out. */
  readonly heals: boolean;
}

/** How hard the faults of degree strike. */
export const severity = {
  lossProbability: 0.3,
  duplicateProbability: 0.3,
  /** As a share of the detection time: late, but not so late that the leader seems dead. */
  slowLinkShare: 0.1,
  /** The leader's clock runs at half speed: its heartbeats come half as often, and a lease lasts twice as long. */
  clockRate: 0.5,
} as const;

export interface FaultTarget {
  readonly leader: NodeId;
  readonly nodes: readonly NodeId[];
  readonly detectionMs: number;
  /** Chooses who shares the leader's side of a split. */
  readonly random: Random;
}

export function planFault(name: FaultName, { leader, nodes, detectionMs, random }: FaultTarget): FaultPlan {
  const others = nodes.filter((node) => node !== leader);
  const strike = (kind: PlannedFault, healthy: readonly NodeId[]): FaultPlan => ({
    kind,
    healthy,
    demandsSuccessor: true,
    heals: true,
  });
  const hinder = (kind: PlannedFault, healthy = nodes): FaultPlan => ({
    ...strike(kind, healthy),
    demandsSuccessor: false,
  });
  switch (name) {
    case 'crash':
      return { ...strike({ type: 'crash', node: leader }, others), heals: false };
    case 'restart':
      return { ...strike({ type: 'restart', node: leader }, nodes), heals: false };
    case 'pause':
      return strike({ type: 'pause', node: leader }, others);
    case 'isolate':
      return strike({ type: 'isolate', node: leader }, others);
    case 'split': {
      const minority = [leader, ...draw(others, Math.floor((nodes.length - 1) / 2) - 1, random)];
      return strike(
        { type: 'split', side: minority },
        nodes.filter((node) => !minority.includes(node)),
      );
    }
    case 'graceful':
      return { ...strike({ type: 'graceful', node: leader }, others), heals: false };
    case 'transfer': {
      const [to] = draw(others, 1, random);
      return { ...strike({ type: 'transfer', node: leader, to: to! }, others), heals: false };
    }
    case 'one-way':
      return hinder({ type: 'one-way', node: leader }, others);
    case 'loss':
      return hinder({ type: 'loss', probability: severity.lossProbability });
    case 'duplicate':
      return hinder({ type: 'duplicate', probability: severity.duplicateProbability });
    case 'reorder':
      return hinder({ type: 'reorder' });
    case 'slow-link':
      return hinder({ type: 'slow-link', node: leader, extraMs: severity.slowLinkShare * detectionMs });
    case 'clock-drift':
      return hinder({ type: 'clock-drift', node: leader, rate: severity.clockRate });
    case 'isolate-from-coordinator':
      return strike({ type: 'isolate-from-coordinator', node: leader }, others);
    case 'coordinator-member-crash':
      return hinder({ type: 'coordinator-member-crash' });
    case 'coordinator-crash':
      return hinder({ type: 'coordinator-crash' });
  }
}

function draw(nodes: readonly NodeId[], count: number, random: Random): NodeId[] {
  const rest = [...nodes];
  return Array.from({ length: count }, () => rest.splice(random.integer(0, rest.length - 1), 1)[0]!);
}
