import type { NodeId } from '@hustings/elector';
import { monotonicMs, type Processes } from '@hustings/servers';
import { nodeNames } from '@hustings/simulator';
import type { FaultRule } from '@hustings/transport';
import type { FaultPlan, PlannedFault } from '../../plan/faults.js';
import { parametersOf } from '../../plan/rows.js';
import { network } from '../../plan/settings.js';
import type { TrialName } from '../../plan/trial-name.js';
import { type Course, courseOf, type Stage, type Step, type Steps } from '../course.js';
import { Observation, type Sighting, type TrialOutcome } from '../observation.js';
import { Cluster } from './cluster.js';
import type { Coordinator } from './coordinators.js';
import type { RivalSettings } from './messages.js';

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
  rival: RivalSettings | null,
): Promise<LiveOutcome> {
  const ids = nodeNames(name.nodes);
  // Sightings arrive in almost the right order: good enough to steer by, not to measure with.
  const steering = new Observation(ids);
  const see = (sighting: Sighting) => steering.record(sighting);
  const cluster = new Cluster(processes, name, ids, signal, see, coordinator, rival);
  try {
    await cluster.start();
    const { detectionMs } = parametersOf(name, name.profile, name.budgetMs);
    const stage = new RealStage(cluster, steering, ids, coordinator !== null);
    const course = await stage.carryOut(courseOf(name, ids, Number(detectionMs), stage));
    const outcome = measure(ids, cluster.sightings, stage.marks);
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

/** A trial in real time. */
class RealStage implements Stage {
  readonly marks: Mark[] = [];
  readonly #cluster: Cluster;
  readonly #steering: Observation;
  readonly #ids: readonly NodeId[];
  readonly #hasCoordinator: boolean;
  #heal = nothingToHeal;
  struckAtMs = 0;

  constructor(cluster: Cluster, steering: Observation, ids: readonly NodeId[], hasCoordinator: boolean) {
    this.#cluster = cluster;
    this.#steering = steering;
    this.#ids = ids;
    this.#hasCoordinator = hasCoordinator;
  }

  get nowMs(): number {
    return monotonicMs();
  }

  get leader(): NodeId | null {
    return this.#steering.settledLeader;
  }

  get isSettled(): boolean {
    return this.#steering.settledLeader !== null;
  }

  get isConverged(): boolean {
    return this.#steering.converged;
  }

  quietBegins(): void {
    const atMs = this.nowMs;
    this.#mark(atMs, (observation) => observation.quietBegins(atMs));
  }

  limitReached(): void {
    this.#mark(this.nowMs, (observation) => observation.limitReached());
  }

  async carryOut(steps: Steps): Promise<Course> {
    let step = steps.next();
    while (!step.done) step = steps.next(await this.#do(step.value));
    return step.value;
  }

  async #do(step: Step): Promise<boolean> {
    switch (step.type) {
      case 'wait':
        return this.#cluster.until(step.condition, step.untilMs);
      case 'strike':
        await this.#strike(step);
        return true;
      case 'heal':
        await this.#heal();
        return true;
    }
  }

  async #strike({ plan, leader }: Extract<Step, { type: 'strike' }>): Promise<void> {
    const { struckAtMs, heal } = await strike(this.#cluster, plan, leader, this.#ids, this.#hasCoordinator);
    this.struckAtMs = struckAtMs;
    this.#heal = heal;
    this.#mark(struckAtMs, (observation) => observation.faultStrikes(struckAtMs, leader, plan));
  }

  #mark(atMs: number, tell: Mark['tell']): void {
    this.marks.push({ atMs, tell });
    tell(this.#steering);
  }
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
