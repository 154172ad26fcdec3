import {
  type AnyEffect,
  type AnyProtocol,
  deriveSeed,
  type Fault,
  type Observer,
  Oracle,
  Random,
  type SimulatedNode,
  Simulation,
  type Violation,
  type World,
} from '@hustings/simulator';
import {
  invariants,
  type RaftMessage,
  type RaftProtocol,
  type RaftSettings,
  type RaftState,
  raft,
} from '../src/index.js';
import { entriesFrom } from '../src/log.js';

/** One run of a swarm: every fault at once, proposals, snapshots, changes of membership, and a healed end. */
export interface Outcome {
  readonly seed: number;
  readonly steps: number;
  readonly violation: Violation | null;
}

/** How long after the last fault has healed everything must be well. */
const settleMs = 2500;

export interface SwarmOptions {
  readonly protocol?: RaftProtocol;
  readonly durationMs?: number;
}

export function swarmRun(seed: number, { protocol, durationMs = 3000 }: SwarmOptions = {}): Outcome {
  const random = new Random(deriveSeed('raft swarm', seed));
  const size = random.integer(3, 7);
  const nodes = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  const subject = protocol ?? raft(randomSettings(random));
  const { electionTimeoutMs, maxDriftRate } = subject.initialState('n1', []).settings;
  const maxLatencyMs = random.pick([0.2, 1, 5, 20]);
  // Where timeouts hardly differ, or hardly exceed a round trip, nobody is promised to be elected soon.
  const settles = electionTimeoutMs[1] - electionTimeoutMs[0] >= 10 * maxLatencyMs;
  const oracle = new Oracle<RaftState>(invariants, subject.guarantees);
  const historian = new Historian();
  const simulation = new Simulation<RaftState>({
    protocol: subject as AnyProtocol<RaftState>,
    nodes,
    seed: deriveSeed('raft swarm run', seed),
    network: {
      latencyMs: [0.1, maxLatencyMs],
      closesLinksOnCrash: random.chance(0.5),
    },
    unwindMs: random.pick([0, 20]),
    observers: [
      historian,
      {
        stepped: (node, input, before, effects) => oracle.stepped(node, input, before, effects),
        changed: (node) => hasLapsed(node, simulation.nowMs) || oracle.changed(node),
      },
    ],
  });
  oracle.attach(withLeasesOnTime(simulation));
  historian.attach(simulation);
  for (const fault of randomFaults(random, nodes, durationMs)) simulation.plan(fault);
  for (const fault of drifts(random, nodes, maxDriftRate)) simulation.plan(fault);
  while (random.chance(0.4)) {
    for (const fault of ambush(random, nodes, durationMs)) simulation.plan(fault);
  }
  planRequests(simulation, random, nodes, durationMs);
  const broken = () => oracle.violation !== null || historian.violation !== null;
  simulation.runUntilTrue(broken, durationMs);
  if (settles && !broken()) {
    simulation.runUntilTrue(broken, durationMs + settleMs);
    if (!broken()) oracle.checkEventually();
  }
  return { seed, steps: simulation.steps, violation: historian.violation ?? oracle.violation };
}

/** Little room between a lease's end and the next election, or much; with pre-votes, which hide flaws, or without. */
function randomSettings(random: Random): Partial<RaftSettings> {
  const least = random.pick([60, 150]);
  const settings = {
    electionTimeoutMs: [least, least + random.pick([2, 20, 150])] as const,
    heartbeatMs: least / random.pick([3, 6]),
    maxDriftRate: random.pick([0.01, 0.2]),
    preVote: random.chance(0.5),
    checkQuorum: random.chance(0.8),
    snapshotThreshold: 8,
    maxEntriesPerAppend: random.integer(1, 8),
  };
  return { ...settings, maxAppendsInFlight: settings.maxEntriesPerAppend };
}

/**
 * A simulated node whose lease has run out on its own clock may still show a Leadership: until its first step after
 * a pause, or when its lease timer came up the last bit of a float too early. It leads no longer.
 */
function withLeasesOnTime(simulation: Simulation<RaftState>): World<RaftState> {
  const nodes = simulation.nodes.map((node) =>
    Object.create(node, {
      id: { value: node.id },
      running: { get: () => node.running },
      state: { get: () => node.state },
      belief: { get: () => node.belief },
      leading: { get: () => node.leading && !hasLapsed(node, simulation.nowMs) },
    }),
  );
  return {
    nodes,
    get nowMs() {
      return simulation.nowMs;
    },
  };
}

function hasLapsed(node: SimulatedNode<RaftState>, nowMs: number): boolean {
  return node.leadership !== null && node.localMs(nowMs) >= node.leadership.deadlineMs;
}

/**
 * Clocks at either end of the declared bound, from the beginning to the end.
 */
function drifts(random: Random, nodes: readonly string[], maxDriftRate: number): Fault[] {
  return nodes
    .filter(() => random.chance(0.4))
    .map((node) => ({
      type: 'clock-drift',
      node,
      rate: random.pick([1 - maxDriftRate, 1 + maxDriftRate]),
      atMs: 0,
    }));
}

/** Some faults anywhere, and some that come together within a moment, which is where the trouble is. */
function randomFaults(random: Random, nodes: readonly string[], durationMs: number): Fault[] {
  const moments = Array.from({ length: random.integer(1, 4) }, () => random.between(0, durationMs * 0.8));
  const count = random.integer(1, 16);
  return Array.from({ length: count }, () => {
    const together = random.chance(0.6);
    const atMs = together
      ? random.pick(moments) + random.between(0, 60)
      : random.between(0, durationMs * 0.9);
    const lastsMs = random.between(0.1, random.pick([5, 50, 400, 1500]));
    const healAtMs = Math.min(durationMs - random.between(0, 50), atMs + lastsMs);
    return { ...randomFault(random, nodes), atMs, healAtMs } as Fault;
  });
}

/**
 * A node that has long heard nobody comes back just when others restart and the leader, with a lease that still
 * runs, is cut off: what being bound to a leader is for.
 */
function ambush(random: Random, nodes: readonly string[], durationMs: number): Fault[] {
  const atMs = random.between(0, durationMs * 0.7);
  const returnsAtMs = atMs + random.between(150, 500);
  const stranger = random.pick(nodes);
  const others = nodes.filter((node) => node !== stranger && random.chance(0.5));
  return [
    { type: 'isolate', node: stranger, atMs, healAtMs: returnsAtMs },
    {
      type: 'isolate',
      node: 'leader',
      atMs: returnsAtMs - random.between(0, 5),
      healAtMs: returnsAtMs + 200,
    },
    ...others.map((node): Fault => {
      const restartsAtMs = returnsAtMs + random.between(-10, 10);
      return { type: 'restart', node, atMs: restartsAtMs, healAtMs: restartsAtMs + 1 };
    }),
  ];
}

function randomFault(random: Random, nodes: readonly string[]): object {
  const node = random.chance(0.5) ? 'leader' : random.pick(nodes);
  switch (random.integer(0, 11)) {
    case 0:
      return { type: 'crash', node };
    case 1:
      return { type: 'restart', node };
    case 2:
      return { type: 'pause', node };
    case 3:
      return { type: 'isolate', node };
    case 4:
      return { type: 'split', side: nodes.filter(() => random.chance(0.5)) };
    case 5:
      return { type: 'one-way', node };
    case 6:
      return { type: 'loss', probability: random.between(0, 0.5) };
    case 7:
      return { type: 'duplicate', probability: random.between(0, 0.5) };
    case 8:
      return { type: 'reorder' };
    case 9:
      return { type: 'slow-link', node, extraMs: random.between(1, 200) };
    default:
      return random.chance(0.5)
        ? { type: 'graceful', node, to: random.pick(nodes) }
        : { type: 'graceful', node };
  }
}

/** Applications that propose, compact and change who takes part, and in the end put everybody back. */
function planRequests(
  simulation: Simulation<RaftState>,
  random: Random,
  nodes: readonly string[],
  durationMs: number,
): void {
  const ask = (id: string, request: unknown) => simulation.give(id, { type: 'requested', request });
  const proposals = random.integer(0, 40);
  for (let number = 0; number < proposals; number += 1) {
    simulation.at(random.between(0, durationMs), () => {
      // Not only to the leader that everybody knows: to every node that thinks it leads.
      for (const { id, state } of simulation.nodes) {
        if (state.role === 'leader') ask(id, { type: 'propose', id: 'p', data: `${id}-${number}` });
      }
    });
  }
  // A leader that is asked to resign right after a proposal has nobody yet who is up to date.
  const handovers = random.integer(0, 2);
  for (let number = 0; number < handovers; number += 1) {
    const atMs = random.between(0, durationMs * 0.9);
    const to = random.chance(0.5) ? { to: random.pick(nodes) } : {};
    simulation.at(atMs, () => {
      const leader = simulation.leader?.id;
      if (leader === undefined) return;
      ask(leader, { type: 'propose', id: 'p', data: `last words ${number}` });
      simulation.plan({
        type: 'graceful',
        node: leader,
        ...to,
        atMs,
        healAtMs: atMs + random.between(1, 200),
      });
    });
  }
  const snapshots = random.integer(0, 4);
  for (let number = 0; number < snapshots; number += 1) {
    simulation.at(random.between(0, durationMs), () => {
      const { id, state } = simulation.node(random.pick(nodes));
      ask(id, { type: 'snapshot', index: state.commitIndex, data: `through ${state.commitIndex}` });
    });
  }
  if (random.chance(0.4)) planMembership(simulation, random, nodes, durationMs, ask);
}

function planMembership(
  simulation: Simulation<RaftState>,
  random: Random,
  nodes: readonly string[],
  durationMs: number,
  ask: (id: string, request: unknown) => void,
): void {
  const changes = random.integer(1, 10);
  for (let number = 0; number < changes; number += 1) {
    simulation.at(random.between(0, durationMs), () => {
      const type = random.pick(['remove', 'add-learner', 'promote']);
      const node = random.pick(nodes);
      for (const { id, state } of simulation.nodes) {
        if (state.role === 'leader') ask(id, { type, id: 'm', node });
      }
    });
  }
  // Agreement is asked of every node, so every node has to be a voter in the end.
  for (let atMs = durationMs; atMs < durationMs + settleMs - 1000; atMs += 20) {
    simulation.at(atMs, () => {
      const leader = simulation.leader;
      if (leader === null) return;
      const { membership } = leader.state;
      const missing = nodes.find((id) => !membership.voters.includes(id));
      if (missing === undefined) return;
      ask(leader.id, {
        type: membership.learners.includes(missing) ? 'promote' : 'add-learner',
        id: 'm',
        node: missing,
      });
    });
  }
}

/**
 * Remembers what no single state shows: who ever led each term, whom each node ever voted for, crashes or
 * not, and what was ever committed.
 */
export class Historian implements Observer<RaftState> {
  violation: Violation | null = null;
  readonly #leaders = new Map<number, string>();
  readonly #votes = new Map<string, string>();
  readonly #committed = new Map<number, string>();
  readonly #announced = new Map<string, number>();
  #world: { readonly nowMs: number } = { nowMs: 0 };

  attach(world: { readonly nowMs: number }): void {
    this.#world = world;
  }

  sending(from: SimulatedNode<RaftState>, to: string, message: { readonly type: string }): undefined {
    const said = message as RaftMessage;
    if (said.type === 'vote-reply' && said.granted) this.#recordVote(from.id, said.term, to);
    if (said.type === 'vote-request') this.#recordVote(from.id, said.term, from.id);
    const durable = from.durable as { readonly currentTerm: number } | undefined;
    if (from.state.currentTerm > 0 && durable?.currentTerm !== from.state.currentTerm) {
      this.#report('the term is saved before it is spoken of', from.id, `${said.type} to ${to}`);
    }
    return undefined;
  }

  stepped(
    node: SimulatedNode<RaftState>,
    input: { readonly type: string },
    before: RaftState,
    effects: readonly AnyEffect[],
  ): void {
    const { state } = node;
    if (state.role === 'leader' && before.role !== 'leader') {
      this.#recordOnce(this.#leaders, state.currentTerm, node.id, 'one leader a term, ever', node.id);
    }
    if (state.commitIndex > before.commitIndex && input.type !== 'restarted') {
      for (const entry of entriesFrom(
        state.log,
        before.commitIndex + 1,
        state.commitIndex - before.commitIndex,
      )) {
        this.#recordOnce(
          this.#committed,
          entry.index,
          JSON.stringify(entry),
          'committed entries never change',
          node.id,
        );
      }
    }
    this.#checkOrder(node, effects);
  }

  #checkOrder(node: SimulatedNode<RaftState>, effects: readonly AnyEffect[]): void {
    const life = `${node.id}#${node.incarnation}`;
    for (const effect of effects) {
      if (effect.type !== 'announce') continue;
      const { type, index } = effect.announcement as { type: string; index?: number };
      if (type === 'restored') this.#announced.set(life, index!);
      if (type !== 'committed' && type !== 'term-begun' && type !== 'membership') continue;
      const previous = this.#announced.get(life) ?? 0;
      if (index !== previous + 1)
        this.#report('entries are announced in order', node.id, `${previous}, ${index}`);
      this.#announced.set(life, index!);
    }
  }

  #recordVote(voter: string, term: number, candidate: string): void {
    this.#recordOnce(this.#votes, `${voter} in ${term}`, candidate, 'one vote a term, ever', voter);
  }

  #recordOnce<Key>(record: Map<Key, string>, key: Key, value: string, property: string, node: string): void {
    const earlier = record.get(key);
    if (earlier === undefined) record.set(key, value);
    else if (earlier !== value) this.#report(property, node, `${key}: ${earlier}, then ${value}`);
  }

  #report(property: string, node: string, detail: string): void {
    this.violation ??= { property, detail, atMs: this.#world.nowMs, node };
  }
}
