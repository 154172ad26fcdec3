import type { NodeId } from '@hustings/elector';
import { deriveSeed, Random } from '@hustings/simulator';
import type { FaultRule } from '@hustings/transport';
import { configure, coordinatorOf, open } from '../algorithms.js';
import { type FaultPlan, type PlannedFault, planFault } from '../faults.js';
import { Observation, type Sighting, type TrialOutcome } from '../observation.js';
import { network, timingOf } from '../settings.js';
import { nodeIds } from '../simulated/trial.js';
import type { TrialName } from '../token.js';
import { Cluster } from './cluster.js';
import type { Coordinator } from './coordinators.js';
import { monotonicMs } from './messages.js';
import type { Processes } from './processes.js';

export interface LiveOutcome extends TrialOutcome {
  readonly sightings: number;
}

/** The same course as a simulated trial, in real time. Throws when the signal aborts. */
export async function runTrial(
  processes: Processes,
  name: TrialName,
  signal: AbortSignal,
  coordinator: Coordinator | null,
): Promise<LiveOutcome> {
  const ids = nodeIds(name.nodes);
  // Sightings arrive in almost the right order: good enough to steer by, not to measure with.
  const steering = new Observation(ids);
  const see = (sighting: Sighting) => steering.record(sighting);
  const cluster = new Cluster(processes, name, ids, signal, see, coordinator);
  try {
    await cluster.start();
    const marks = await followCourse(cluster, steering, name, ids);
    return { ...measure(ids, cluster.sightings, marks), sightings: cluster.sightings.length };
  } finally {
    await cluster.stop();
  }
}

/** What the benchmark itself did and when, to be told to the observation between the sightings. */
interface Mark {
  readonly atMs: number;
  tell(observation: Observation): void;
}

async function followCourse(
  cluster: Cluster,
  steering: Observation,
  name: TrialName,
  ids: readonly NodeId[],
): Promise<readonly Mark[]> {
  const detectionMs = detectionMsOf(name);
  const timing = timingOf(ids.length);
  const random = new Random(deriveSeed(name.seed, 'arrangement'));
  const after = (share: number) => monotonicMs() + share * detectionMs;
  const marks: Mark[] = [];
  const mark = (atMs: number, tell: Mark['tell']) => {
    marks.push({ atMs, tell });
    tell(steering);
  };
  const settled = () => steering.settledLeader !== null;

  if (!(await cluster.until(settled, after(timing.start)))) return marks;
  await cluster.pauseUntil(after(timing.calm));
  const quietSinceMs = monotonicMs();
  mark(quietSinceMs, (observation) => observation.quietBegins(quietSinceMs));
  await cluster.pauseUntil(after(random.between(...timing.quiet)));
  const leader = steering.settledLeader;
  if (leader === null) return marks;

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
  if (!plan.heals) return marks;

  await heal();
  const [leastMs, mostMs] = timing.aftermath.map(after);
  await cluster.pauseUntil(leastMs!);
  await cluster.until(settled, mostMs!);
  return marks;
}

function detectionMsOf({ algorithm, variant, profile, budgetMs }: TrialName): number {
  return open(algorithm)((opened) => configure(opened, variant, profile, budgetMs).detectionMs);
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
