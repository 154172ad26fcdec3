import type { NodeId } from '@hustings/elector';
import type { DelayRangeMs } from '@hustings/elector/protocol';
import { plainSettings, type RaftDurable, type RaftSettings, type RaftState, raft } from '@hustings/raft';
import { type NetworkModel, type SimulatedNode, Simulation } from '@hustings/simulator';

/** One election of Raft as the paper has it. */
export interface ElectionSetup {
  readonly seed: number;
  readonly size: number;
  /** The others are dead from the beginning. */
  readonly alive: number;
  readonly settings: Partial<RaftSettings>;
  readonly network: Partial<NetworkModel>;
  readonly timerLatenessMs?: DelayRangeMs;
  /** Everybody's log is longer than those before it; else all are empty. */
  readonly differentLogs?: boolean;
}

export interface Election {
  readonly simulation: Simulation<RaftState>;
  readonly living: readonly SimulatedNode<RaftState>[];
}

/** A cluster whose timers are all fresh, and in which connections are not seen to close. */
export function prepare(setup: ElectionSetup): Election {
  const { seed, size, alive, settings, network, timerLatenessMs, differentLogs } = setup;
  const nodes: NodeId[] = Array.from({ length: size }, (_, index) => `n${index + 1}`);
  const simulation = new Simulation<RaftState>({
    protocol: raft({ ...plainSettings, ...settings }),
    nodes,
    seed,
    network: { ...network, closesLinksOnCrash: false },
    ...(timerLatenessMs && { timerLatenessMs }),
    ...(differentLogs && { saved: logsOfTermOne(nodes) }),
  });
  for (const node of nodes.slice(alive)) simulation.inject({ type: 'crash', node });
  return { simulation, living: simulation.nodes.slice(0, alive) };
}

function logsOfTermOne(voters: readonly NodeId[]): Record<NodeId, RaftDurable> {
  const snapshot = { index: 0, term: 0, membership: { voters, learners: [] }, data: null };
  return Object.fromEntries(
    voters.map((id, position) => [
      id,
      {
        currentTerm: 1,
        votedFor: null,
        snapshot,
        entries: Array.from({ length: position + 1 }, (_, index) => ({
          ...{ index: index + 1, term: 1, type: 'data' as const, data: null },
        })),
      },
    ]),
  );
}

export const leaderAmong = (
  nodes: readonly SimulatedNode<RaftState>[],
): SimulatedNode<RaftState> | undefined => nodes.find(({ state }) => state.role === 'leader');

/** Until somebody has the votes of a majority. */
export function elect(setup: ElectionSetup): { readonly atMs: number; readonly term: number } {
  const { simulation, living } = prepare(setup);
  simulation.runUntilTrue(() => leaderAmong(living) !== undefined, Number.POSITIVE_INFINITY);
  return { atMs: simulation.nowMs, term: leaderAmong(living)!.state.currentTerm };
}

/**
 * Until somebody leads whom all others have heard: who is elected may be deposed by one who was not asked yet, and whose
 * term is later. When that leader was elected, and when the last heard of it.
 */
export function electForGood({ simulation, living }: Election): {
  readonly electedMs: number;
  readonly heardMs: number;
} {
  let electedMs = 0;
  let term = 0;
  simulation.runUntilTrue(() => {
    const leaders = living.filter(({ state }) => state.role === 'leader');
    const latest = Math.max(0, ...leaders.map(({ state }) => state.currentTerm));
    if (latest > term) [electedMs, term] = [simulation.nowMs, latest];
    return (
      leaders.length === 1 &&
      living.every(({ state }) => state.leaderId === leaders[0]!.id && state.currentTerm === term)
    );
  }, Number.POSITIVE_INFINITY);
  return { electedMs, heardMs: simulation.nowMs };
}
