import type { NodeId } from '@hustings/elector';
import { deriveSeed, Random } from '@hustings/simulator';
import type { FaultRule } from '@hustings/transport';
import { type FaultPlan, type PlannedFault, planFault } from '../../plan/faults.js';
import { coordinatorOf, parametersOf } from '../../plan/rows.js';
import { network, timingOf } from '../../plan/settings.js';
import type { TrialName } from '../../plan/trial-name.js';
import { Observation, type Sighting, type TrialOutcome } from '../observation.js';
import { nodeIds } from '../simulated/trial.js';
import { Cluster } from './cluster.js';
import type { Coordinator } from './coordinators.js';
import { monotonicMs, type PeerSettings } from './messages.js';
import type { Processes } from './processes.js';

export interface LiveOutcome extends TrialOutcome {
  readonly sightings: number;
  /** Between the nodes and the coordinator's servers; null where there are none, or it did not come so far. */
  readonly wire: { readonly failover: number | null; readonly steadyPerSecond: number | null };
}

/** The same course as a simulated trial, in real time. Throws when the signal aborts. */
export async function runTrial(
  processes: Processes,
  name: TrialName,
  signal: AbortSignal,
  coordinator: Coordinator | null,
  peer: PeerSettings | null,
): Promise<LiveOutcome> {
  const ids = nodeIds(name.nodes);
  // Sightings arrive in almost the right order: good enough to steer by, not to measure with.
  const steering = new Observation(ids);
  const see = (sighting: Sighting) => steering.record(sighting);
  const cluster = new Cluster(processes, name, ids, signal, see, coordinator, peer);
  try {
    await cluster.start();
    const course = await followCourse(cluster, steering, name, ids);
    const outcome = measure(ids, cluster.sightings, course.marks);
    return {
      ...outcome,
      sightings: cluster.sightings.length,
      wire:
        coordinator === null
          ? { failover: null, steadyPerSecond: null }
          : countWire(cluster.wireAtMs, course, outcome),
    };
  } finally {
    await cluster.stop();
  }
}

/** What the benchmark itself did and when, to be told to the observation between the sightings. */
interface Mark {
  readonly atMs: number;
  tell(observation: Observation): void;
}

/** What was done, and the two times between which nothing was; null if it did not come so far. */
interface Course {
  readonly marks: readonly Mark[];
  readonly quietSinceMs: number | null;
  readonly struckAtMs: number | null;
}

function countWire(
  wireAtMs: readonly number[],
  { quietSinceMs, struckAtMs }: Course,
  { failoverMs }: TrialOutcome,
): LiveOutcome['wire'] {
  if (quietSinceMs === null || struckAtMs === null) return { failover: null, steadyPerSecond: null };
  const between = (fromMs: number, toMs: number) =>
    wireAtMs.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
  return {
    failover: failoverMs === null ? null : between(struckAtMs, struckAtMs + failoverMs),
    steadyPerSecond: (between(quietSinceMs, struckAtMs) * 1000) / (struckAtMs - quietSinceMs),
  };
}

async function followCourse(
  cluster: Cluster,
  steering: Observation,
  name: TrialName,
  ids: readonly NodeId[],
): Promise<Course> {
  const { detectionMs: configuredMs } = parametersOf(name, name.profile, name.budgetMs);
  const detectionMs = Number(configuredMs);
  const timing = timingOf(ids.length);
  const random = new Random(deriveSeed(name.seed, 'arrangement'));
  const after = (share: number) => monotonicMs() + share * detectionMs;
  const marks: Mark[] = [];
  const mark = (atMs: number, tell: Mark['tell']) => {
    marks.push({ atMs, tell });
    tell(steering);
  };
  const settled = () => steering.settledLeader !== null;

  const nothing: Course = { marks, quietSinceMs: null, struckAtMs: null };
  if (!(await cluster.until(settled, after(timing.start)))) return nothing;
  await cluster.pauseUntil(after(timing.calm));
  const quietSinceMs = monotonicMs();
  mark(quietSinceMs, (observation) => observation.quietBegins(quietSinceMs));
  await cluster.pauseUntil(after(random.between(...timing.quiet)));
  const leader = steering.settledLeader;
  if (leader === null) return nothing;

  const plan = planFault(name.fault, { leader, nodes: ids, detectionMs, random });
  const { struckAtMs, heal } = await strike(
    cluster,
    plan,
    leader,
    ids,
    coordinatorOf(name.algorithm) !== null,
  );
  mark(struckAtMs, (observation) => observation.faultStrikes(struckAtMs, leader, plan));
  const limit = plan.demandsSuccessor ? timing.limit : timing.watch;
  await cluster.until(() => steering.converged, struckAtMs + limit * detectionMs);
  mark(monotonicMs(), (observation) => observation.limitReached());
  await cluster.pauseUntil(after(random.between(...timing.hold)));
  const course: Course = { marks, quietSinceMs, struckAtMs };
  if (!plan.heals) return course;

  await heal();
  const [leastMs, mostMs] = timing.aftermath.map(after);
  await cluster.pauseUntil(leastMs!);
  await cluster.until(settled, mostMs!);
  return course;
}

/** Everything again, in the order in which it happened. */
function measure(
  ids: readonly NodeId[],
  sightings: readonly Sighting[],
  marks: readonly Mark[],
): TrialOutcome {
  const observation = new Observation(ids);
  const recorded: Mark[] = sightings.map((sighting) => ({
    atMs: sighting.atMs,
    tell: () => observation.record(sighting),
  }));
  // Marks first: at equal times, what the benchmark did was the cause.
  const entries = [...marks, ...recorded].sort((a, b) => a.atMs - b.atMs);
  for (const { tell } of entries) tell(observation);
  return observation.finish(monotonicMs());
}

interface Strike {
  readonly struckAtMs: number;
  heal(): Promise<void>;
}

const nothingToHeal = async () => {};

async function strike(
  cluster: Cluster,
  { kind }: FaultPlan,
  leader: NodeId,
  ids: readonly NodeId[],
  hasCoordinator: boolean,
): Promise<Strike> {
  const separate = (side: readonly NodeId[]): Strike => ({
    struckAtMs: cluster.separate(side, true),
    heal: async () => void cluster.separate(side, false),
  });
  switch (kind.type) {
    case 'crash':
      return { struckAtMs: cluster.crash(leader), heal: nothingToHeal };
    case 'restart':
      return { struckAtMs: await cluster.restart(leader), heal: nothingToHeal };
    case 'graceful':
      return { struckAtMs: await cluster.resign(leader), heal: nothingToHeal };
    case 'transfer':
      return { struckAtMs: await cluster.resign(leader, kind.to), heal: nothingToHeal };
    case 'pause':
      return {
        struckAtMs: cluster.freeze(leader, true),
        heal: async () => void cluster.freeze(leader, false),
      };
    case 'isolate-from-coordinator':
      return separate([leader]);
    case 'coordinator-member-crash':
    case 'coordinator-crash':
      return {
        struckAtMs: await cluster.crashCoordinator(kind.type === 'coordinator-crash'),
        heal: () => cluster.restoreCoordinator(),
      };
    default: {
      // Nodes with a coordinator talk to nobody else: to cut them off from it is to cut them off.
      if (hasCoordinator && kind.type === 'isolate') return separate([leader]);
      if (hasCoordinator && kind.type === 'split') return separate(kind.side as readonly NodeId[]);
      const rules = rulesFor(kind, leader, ids, hasCoordinator);
      const none = new Map([...rules.keys()].map((id) => [id, []]));
      return {
        struckAtMs: await cluster.setRules(rules),
        heal: async () => void (await cluster.setRules(none)),
      };
    }
  }
}

type LinkFault = Exclude<
  PlannedFault,
  {
    type:
      | 'crash'
      | 'restart'
      | 'graceful'
      | 'transfer'
      | 'pause'
      | 'isolate-from-coordinator'
      | 'coordinator-member-crash'
      | 'coordinator-crash';
  }
>;

/** Which process breaks which links. A cut at one end is enough; chance must strike at one end only. */
function rulesFor(
  kind: LinkFault,
  leader: NodeId,
  ids: readonly NodeId[],
  hasCoordinator: boolean,
): ReadonlyMap<NodeId, readonly FaultRule[]> {
  // The servers' end knows no rules, so a node that talks to them applies its own to both directions.
  const atEverySender = (rule: (ends: { readonly from?: NodeId }) => FaultRule) =>
    new Map(ids.map((id) => [id, [rule(hasCoordinator ? {} : { from: id })]]));
  switch (kind.type) {
    case 'isolate':
      return new Map([[leader, [{ type: 'cut' }]]]);
    case 'split': {
      const others = ids.filter((id) => !kind.side.includes(id));
      return new Map(
        kind.side.map((id) => [id, others.map((to) => ({ type: 'cut', from: id, to, both: true }) as const)]),
      );
    }
    case 'one-way':
      return new Map([[leader, [{ type: 'cut', to: leader }]]]);
    case 'loss':
      return atEverySender((ends) => ({ type: 'loss', ...ends, probability: kind.probability }));
    case 'duplicate':
      return atEverySender((ends) => ({ type: 'duplicate', ...ends, probability: kind.probability }));
    case 'reorder':
      return atEverySender((ends) => ({
        type: 'reorder',
        ...ends,
        probability: 0.5,
        delayMs: network.latencyMs,
      }));
    case 'slow-link':
      return new Map([[leader, [{ type: 'delay', delayMs: [kind.extraMs, kind.extraMs] }]]]);
    case 'clock-drift':
      throw new RangeError('A real clock cannot be made to drift.');
  }
}
