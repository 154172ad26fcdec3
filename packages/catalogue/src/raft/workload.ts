/** Applications that propose, compact, hand over and change who takes part. */

import type { RaftRequest, RaftState } from '@hustings/raft';
import type { Plan, Random, Simulation, Workload } from '@hustings/simulator';

type Raft = Simulation<RaftState>;

export const raftWorkload: Workload<RaftState> = {
  proposals: often(12, (simulation, _random, number) =>
    askLeaders(simulation, (id) => ({ type: 'propose', id: 'p', data: `${id}-${number}` })),
  ),
  handovers: often(2, handOver),
  snapshots: often(4, (simulation, random) => {
    const { id, state } = random.pick(simulation.nodes);
    ask(simulation, id, {
      type: 'snapshot',
      index: state.commitIndex,
      data: `through ${state.commitIndex}`,
    });
  }),
  membership: changeMembership,
};

/** Up to so many times, at any moment. */
function often(
  most: number,
  request: (simulation: Raft, random: Random, number: number) => void,
): Plan<RaftState> {
  return (simulation, random, untilMs) => {
    for (let number = random.integer(1, most); number > 0; number -= 1) {
      simulation.at(random.between(0, untilMs), () => request(simulation, random, number));
    }
  };
}

function ask(simulation: Raft, id: string, request: RaftRequest): void {
  simulation.give(id, { type: 'requested', request });
}

/** Not only the leader that everybody knows: every node that thinks it leads. */
function askLeaders(simulation: Raft, request: (id: string) => RaftRequest): void {
  for (const { id, state } of simulation.nodes) {
    if (state.role === 'leader') ask(simulation, id, request(id));
  }
}

/** A leader that is asked to resign right after a proposal has nobody yet who is up to date. */
function handOver(simulation: Raft, random: Random, number: number): void {
  const leader = simulation.leader?.id;
  if (leader === undefined) return;
  ask(simulation, leader, { type: 'propose', id: 'p', data: `last words ${number}` });
  const to = random.chance(0.5) ? { to: random.pick(simulation.nodes).id } : {};
  const atMs = simulation.nowMs;
  simulation.plan({ type: 'graceful', node: leader, ...to, atMs, healAtMs: atMs + random.between(1, 200) });
}

function changeMembership(simulation: Raft, random: Random, untilMs: number): void {
  const change = often(6, () => {
    const type = random.pick(['remove', 'add-learner', 'promote'] as const);
    const node = random.pick(simulation.nodes).id;
    askLeaders(simulation, () => ({ type, id: 'm', node }));
  });
  change(simulation, random, untilMs);
  simulation.at(untilMs, () => restoreMembership(simulation));
}

const restoreEveryMs = 20;

/** Agreement is asked of every node, so every node has to be a voter in the end. */
function restoreMembership(simulation: Raft): void {
  simulation.at(simulation.nowMs + restoreEveryMs, () => restoreMembership(simulation));
  const { leader } = simulation;
  if (leader === null) return;
  const { voters, learners } = leader.state.membership;
  const missing = simulation.nodes.find(({ id }) => !voters.includes(id))?.id;
  if (missing === undefined) return;
  const type = learners.includes(missing) ? 'promote' : 'add-learner';
  ask(simulation, leader.id, { type, id: 'm', node: missing });
}
