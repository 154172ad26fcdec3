import { type Configured, type Coordinator, configure, open } from '@hustings/catalogue';
import { FencedStore, type NodeId, StaleTokenError } from '@hustings/elector';
import { nodeNames, type Observer, type SimulatedNode, Simulation } from '@hustings/simulator';
import type { PlannedFault } from '../plan/faults.js';
import { type Circumstances, network, writeIntervalMs } from '../plan/settings.js';
import type { TrialName } from '../plan/trial-name.js';
import { courseOf, type Stage, type Step, type Steps } from './course.js';
import { Observation, type TrialOutcome } from './observation.js';

export interface SimulatedOutcome extends TrialOutcome {
  readonly simulatedMs: number;
  /** How many times a protocol was stepped. */
  readonly events: number;
}

/** A function of its argument alone: the same name, the same outcome, on any machine. */
export function runTrial(name: TrialName, changes: Circumstances = {}): SimulatedOutcome {
  return open(name.algorithm)((algorithm) =>
    runConfigured(configure(algorithm, name.variant, name.profile, name.budgetMs), name, [], changes),
  );
}

/** Somebody who watches a trial beside the benchmark itself. */
export interface Onlooker<State> extends Observer<State> {
  attach(simulation: Simulation<State>): void;
}

export function runConfigured<State>(
  { protocol, services, detectionMs }: Configured<State>,
  name: TrialName,
  onlookers: readonly Onlooker<State>[] = [],
  { saveMs, commitMs, ...changes }: Circumstances = {},
): SimulatedOutcome {
  const nodes = nodeNames(name.nodes);
  const observation = new Observation(nodes);
  const watcher = new Watcher<State>(observation, protocol.periodicMessages, services);
  const simulation = new Simulation<State>({
    ...{ protocol, nodes, seed: name.seed, observers: [watcher, ...onlookers] },
    services: services.map((service) =>
      commitMs === undefined ? service : { ...service, saveMs: commitMs },
    ),
    ...(saveMs === undefined ? {} : { saveMs }),
    network: { ...network, ...changes },
  });
  for (const onlooker of [watcher, ...onlookers]) onlooker.attach(simulation);
  const stage = new VirtualStage(simulation, services, observation, watcher);
  stage.carryOut(courseOf(name, nodes, detectionMs, stage));
  return {
    ...observation.finish(simulation.nowMs),
    simulatedMs: simulation.nowMs,
    events: simulation.steps,
  };
}

/** A trial in virtual time. */
class VirtualStage<State> implements Stage {
  readonly #simulation: Simulation<State>;
  readonly #coordinators: readonly Coordinator[];
  readonly #observation: Observation;
  readonly #watcher: Watcher<State>;
  #heal = () => {};
  struckAtMs = 0;

  constructor(
    simulation: Simulation<State>,
    coordinators: readonly Coordinator[],
    observation: Observation,
    watcher: Watcher<State>,
  ) {
    this.#simulation = simulation;
    this.#coordinators = coordinators;
    this.#observation = observation;
    this.#watcher = watcher;
  }

  get nowMs(): number {
    return this.#simulation.nowMs;
  }

  get leader(): NodeId | null {
    return this.#simulation.leader?.id ?? null;
  }

  get isSettled(): boolean {
    return this.#observation.settledLeader !== null;
  }

  get isConverged(): boolean {
    return this.#observation.converged;
  }

  quietBegins(): void {
    this.#observation.quietBegins(this.nowMs);
  }

  limitReached(): void {
    this.#observation.limitReached();
  }

  carryOut(steps: Steps): void {
    let step = steps.next();
    while (!step.done) step = steps.next(this.#do(step.value));
  }

  #do(step: Step): boolean {
    switch (step.type) {
      case 'wait':
        return this.#simulation.runUntilTrue(step.condition, step.untilMs);
      case 'strike':
        this.#strike(step);
        return true;
      case 'heal':
        this.#heal();
        return true;
    }
  }

  #strike({ plan, leader }: Extract<Step, { type: 'strike' }>): void {
    this.struckAtMs = this.nowMs;
    this.#observation.faultStrikes(this.nowMs, leader, plan);
    this.#watcher.startWriting();
    this.#heal = this.#inject(plan.kind);
    this.#watcher.changed(this.#simulation.node(leader));
  }

  /** What the members of a coordinator's cluster do among themselves is the simulated coordinator's own affair. */
  #inject(kind: PlannedFault): () => void {
    const simulation = this.#simulation;
    if (kind.type === 'transfer') return simulation.inject({ ...kind, type: 'graceful' });
    if (kind.type !== 'coordinator-member-crash') return simulation.inject(kind);
    for (const { id, failLeader } of this.#coordinators) {
      simulation.give(id, { type: 'requested', request: failLeader });
    }
    return () => {};
  }
}

/** Reports what the simulated nodes do, and writes to the store in the name of those that lead. */
class Watcher<State> implements Onlooker<State> {
  #simulation!: Simulation<State>;
  readonly #observation: Observation;
  readonly #periodicMessages: ReadonlySet<string>;
  readonly #coordinators: readonly Coordinator[];
  readonly #store = new FencedStore<number>();
  /** Who leads, by node: the Leadership as last reported. */
  readonly #reported = new Map<NodeId, Writer>();
  /** The last of them to have begun. */
  #newest: Writer | null = null;
  #writing = false;

  constructor(
    observation: Observation,
    periodicMessages: ReadonlySet<string>,
    coordinators: readonly Coordinator[],
  ) {
    this.#observation = observation;
    this.#periodicMessages = periodicMessages;
    this.#coordinators = coordinators;
  }

  attach(simulation: Simulation<State>): void {
    this.#simulation = simulation;
  }

  startWriting(): void {
    this.#writing = true;
    for (const writer of this.#reported.values()) this.#write(writer);
  }

  sending(_from: SimulatedNode<State>, _to: NodeId, message: { readonly type: string }): void {
    const { type: kind } = message;
    const periodic = this.#periodicMessages.has(kind);
    this.#observation.record({ type: 'sent', atMs: this.#simulation.nowMs, kind, periodic });
  }

  stepped(
    node: SimulatedNode<State>,
    _input: unknown,
    _before: State,
    effects: readonly { readonly type: string }[],
  ): void {
    if (!effects.some(({ type }) => type === 'campaign')) return;
    this.#observation.record({ type: 'campaigned', atMs: this.#simulation.nowMs, node: node.id });
  }

  changed(node: SimulatedNode<State>): void {
    const atMs = this.#simulation.nowMs;
    const { id } = node;
    const known = this.#reported.get(id);
    const leadership = validLeadership(node, atMs);
    const holder = `${id}#${node.incarnation}`;
    if (known !== undefined && (leadership?.token !== known.token || holder !== known.holder)) {
      this.#reported.delete(id);
      this.#observation.record({ type: 'ended', atMs, node: id });
    }
    this.#observation.record({ type: node.status === 'paused' ? 'paused' : 'resumed', atMs, node: id });
    this.#observation.record({ type: 'believed', atMs, node: id, leaderId: node.belief.leaderId });
    if (leadership !== null && !this.#reported.has(id)) {
      const { token } = leadership;
      const writer: Writer = { node: id, holder, token, overdue: false, restingUntilMs: null };
      this.#reported.set(id, writer);
      this.#newest = writer;
      this.#observation.record({ type: 'began', atMs, node: id, holder, token });
      for (const stale of this.#reported.values()) this.#wake(stale);
      if (this.#writing) this.#write(writer);
    }
    const writer = this.#reported.get(id);
    // A timer that came due in a pause fires at its end, before the node has heard of anything.
    if (writer?.overdue && node.running) this.#write(writer);
  }

  #write(writer: Writer): void {
    const node = this.#simulation.node(writer.node);
    if (this.#reported.get(writer.node) !== writer) return;
    writer.overdue = !node.running;
    if (writer.overdue || validLeadership(node, this.#simulation.nowMs) === null) return;
    const atMs = this.#simulation.nowMs;
    const { holder, token } = writer;
    const accepted = this.#accepts(writer, atMs);
    const committed = this.#commits(node);
    this.#observation.record({ type: 'wrote', atMs, holder, token, accepted, committed });
    const nextMs = atMs + writeIntervalMs;
    // What the newest leader writes once it has written counts for nothing, until there is a newer one.
    if (writer === this.#newest && accepted && committed) writer.restingUntilMs = nextMs;
    else this.#simulation.at(nextMs, () => this.#write(writer));
  }

  /** A newer one leads: from now on every write counts again. It keeps its time, as if it had written all along. */
  #wake(writer: Writer): void {
    const { restingUntilMs } = writer;
    if (restingUntilMs === null) return;
    writer.restingUntilMs = null;
    writer.overdue = !this.#simulation.node(writer.node).running;
    if (writer.overdue) return;
    const missed = Math.max(0, Math.ceil((this.#simulation.nowMs - restingUntilMs) / writeIntervalMs));
    this.#simulation.at(restingUntilMs + missed * writeIntervalMs, () => this.#write(writer));
  }

  /** Whether a write of this node would get through its coordinator, if it has one, at this moment. */
  #commits({ id }: SimulatedNode<State>): boolean {
    const simulation = this.#simulation;
    return this.#coordinators.every((coordinator) => {
      const { running, state } = simulation.node(coordinator.id);
      const isCut = simulation.isCut(id, coordinator.id) || simulation.isCut(coordinator.id, id);
      return running && coordinator.canCommit(state) && !isCut;
    });
  }

  #accepts(writer: Writer, atMs: number): boolean {
    try {
      this.#store.write(writer, 'value', atMs);
      return true;
    } catch (error) {
      if (error instanceof StaleTokenError) return false;
      throw error;
    }
  }
}

interface Writer {
  readonly node: NodeId;
  readonly holder: string;
  readonly token: bigint;
  /** Its next write came due while the node was paused. */
  overdue: boolean;
  /** When its next write is due, while that would not count; null otherwise. */
  restingUntilMs: number | null;
}

/**
 * After a pause a lease may have run out although nobody has noticed yet: `assertValid` would throw. And whoever
 * resigns has ended its work before anybody is asked to take over, as the runtime sees to it.
 */
function validLeadership<State>(node: SimulatedNode<State>, nowMs: number) {
  const { leadership } = node;
  if (!node.wantsToLead) return null;
  return leadership !== null && node.localMs(nowMs) < leadership.deadlineMs ? leadership : null;
}
