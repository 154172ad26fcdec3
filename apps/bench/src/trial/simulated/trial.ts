import { type Configured, configure, open } from '@hustings/catalogue';
import { FencedStore, type NodeId, StaleTokenError } from '@hustings/elector';
import { deriveSeed, type Observer, Random, type SimulatedNode, Simulation } from '@hustings/simulator';
import { type PlannedFault, planFault } from '../../plan/faults.js';
import { type Circumstances, network, timingOf, writeIntervalMs } from '../../plan/settings.js';
import type { TrialName } from '../../plan/trial-name.js';
import { Observation, type TrialOutcome } from '../observation.js';

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

export function nodeIds(count: number): NodeId[] {
  return Array.from({ length: count }, (_, index) => `n${index + 1}`);
}

/** Somebody who watches a trial beside the benchmark itself. */
export interface Onlooker<State> extends Observer<State> {
  attach(simulation: Simulation<State>): void;
}

export function runConfigured<State>(
  { protocol, services, detectionMs }: Configured<State>,
  { nodes: size, fault, seed }: TrialName,
  onlookers: readonly Onlooker<State>[] = [],
  { saveMs, commitMs, ...changes }: Circumstances = {},
): SimulatedOutcome {
  const nodes = nodeIds(size);
  const timing = timingOf(size);
  const observation = new Observation(nodes);
  const watcher = new Watcher<State>(observation, protocol.periodicMessages);
  const observers = [watcher, ...onlookers];
  const simulation = new Simulation<State>({
    ...{ protocol, nodes, seed, observers },
    services: services.map((service) =>
      commitMs === undefined ? service : { ...service, saveMs: commitMs },
    ),
    ...(saveMs === undefined ? {} : { saveMs }),
    network: { ...network, ...changes },
  });
  // A stream of its own: how the trial is arranged does not disturb the draws of the run.
  const random = new Random(deriveSeed(seed, 'arrangement'));
  watcher.simulation = simulation;
  for (const onlooker of onlookers) onlooker.attach(simulation);

  const outcome = (): SimulatedOutcome => ({
    ...observation.finish(simulation.nowMs),
    simulatedMs: simulation.nowMs,
    events: simulation.steps,
  });
  const settled = () => observation.settledLeader !== null;
  if (!simulation.runUntilTrue(settled, timing.start * detectionMs)) return outcome();

  simulation.runUntil(simulation.nowMs + timing.calm * detectionMs);
  observation.quietBegins(simulation.nowMs);
  simulation.runUntil(simulation.nowMs + random.between(...timing.quiet) * detectionMs);
  const leader = simulation.leader?.id;
  if (leader === undefined) return outcome();

  const plan = planFault(fault, { leader, nodes, detectionMs, random });
  const limit = plan.demandsSuccessor ? timing.limit : timing.watch;
  const limitMs = simulation.nowMs + limit * detectionMs;
  observation.faultStrikes(simulation.nowMs, leader, plan);
  watcher.startWriting();
  const heal = inject(simulation, plan.kind);
  watcher.changed(simulation.node(leader));
  simulation.runUntilTrue(() => observation.converged, limitMs);
  observation.limitReached();
  simulation.runUntil(simulation.nowMs + random.between(...timing.hold) * detectionMs);
  if (!plan.heals) return outcome();

  heal();
  const [leastMs, mostMs] = timing.aftermath.map((share) => simulation.nowMs + share * detectionMs);
  simulation.runUntil(leastMs!);
  simulation.runUntilTrue(settled, mostMs!);
  return outcome();
}

/** What the members of a coordinator's cluster do among themselves is the simulated coordinator's own affair. */
function inject<State>(simulation: Simulation<State>, kind: PlannedFault): () => void {
  if (kind.type === 'transfer') return simulation.inject({ ...kind, type: 'graceful' });
  if (kind.type !== 'coordinator-member-crash') return simulation.inject(kind);
  for (const { id } of simulation.services) {
    simulation.give(id, { type: 'requested', request: { type: 'fail-leader' } });
  }
  return () => {};
}

/** Reports what the simulated nodes do, and writes to the store in the name of those that lead. */
class Watcher<State> implements Observer<State> {
  simulation!: Simulation<State>;
  readonly #observation: Observation;
  readonly #periodicMessages: ReadonlySet<string>;
  readonly #store = new FencedStore<number>();
  /** Who leads, by node: the Leadership as last reported. */
  readonly #reported = new Map<NodeId, Writer>();
  /** The last of them to have begun. */
  #newest: Writer | null = null;
  #writing = false;

  constructor(observation: Observation, periodicMessages: ReadonlySet<string>) {
    this.#observation = observation;
    this.#periodicMessages = periodicMessages;
  }

  startWriting(): void {
    this.#writing = true;
    for (const writer of this.#reported.values()) this.#write(writer);
  }

  sending(_from: SimulatedNode<State>, _to: NodeId, message: { readonly type: string }): void {
    const { type: kind } = message;
    const periodic = this.#periodicMessages.has(kind);
    this.#observation.record({ type: 'sent', atMs: this.simulation.nowMs, kind, periodic });
  }

  stepped(
    node: SimulatedNode<State>,
    _input: unknown,
    _before: State,
    effects: readonly { readonly type: string }[],
  ): void {
    if (!effects.some(({ type }) => type === 'campaign')) return;
    this.#observation.record({ type: 'campaigned', atMs: this.simulation.nowMs, node: node.id });
  }

  changed(node: SimulatedNode<State>): void {
    const atMs = this.simulation.nowMs;
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
    const node = this.simulation.node(writer.node);
    if (this.#reported.get(writer.node) !== writer) return;
    writer.overdue = !node.running;
    if (writer.overdue || validLeadership(node, this.simulation.nowMs) === null) return;
    const atMs = this.simulation.nowMs;
    const { holder, token } = writer;
    const accepted = this.#accepts(writer, atMs);
    const committed = this.#commits(node);
    this.#observation.record({ type: 'wrote', atMs, holder, token, accepted, committed });
    const nextMs = atMs + writeIntervalMs;
    // What the newest leader writes once it has written counts for nothing, until there is a newer one.
    if (writer === this.#newest && accepted && committed) writer.restingUntilMs = nextMs;
    else this.simulation.at(nextMs, () => this.#write(writer));
  }

  /** A newer one leads: from now on every write counts again. It keeps its time, as if it had written all along. */
  #wake(writer: Writer): void {
    const { restingUntilMs } = writer;
    if (restingUntilMs === null) return;
    writer.restingUntilMs = null;
    writer.overdue = !this.simulation.node(writer.node).running;
    if (writer.overdue) return;
    const missed = Math.max(0, Math.ceil((this.simulation.nowMs - restingUntilMs) / writeIntervalMs));
    this.simulation.at(restingUntilMs + missed * writeIntervalMs, () => this.#write(writer));
  }

  /** Whether a write of this node would get through its coordinator, if it has one, at this moment. */
  #commits({ id }: SimulatedNode<State>): boolean {
    const { simulation } = this;
    return simulation.services.every(
      (service) =>
        service.running &&
        canCommit(service.state) &&
        !simulation.isCut(id, service.id) &&
        !simulation.isCut(service.id, id),
    );
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

/** Every simulated coordinator says in its state whether its members have a leader to commit writes. */
const canCommit = (coordinator: unknown): boolean =>
  (coordinator as { readonly available: boolean }).available;

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
