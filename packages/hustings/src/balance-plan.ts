/**
 * Which elections should change hands so that all nodes lead about as much. Every node that knows the same makes the same
 * plan, and carries out its own part of it: there is nobody to ask.
 */

import type { NodeId } from '@hustings/elector';
import { byRank } from '@hustings/elector/protocol';

export interface Situation {
  /** Who stands. */
  readonly nodes: readonly NodeId[];
  /** Who leads each election; null for nobody. */
  readonly leaders: ReadonlyMap<string, NodeId | null>;
  readonly weightOf: (election: string) => number;
}

export interface Move {
  readonly election: string;
  readonly from: NodeId;
  readonly to: NodeId;
}

interface Load {
  readonly id: NodeId;
  weight: number;
  /** By weight, the heaviest first, and by name. */
  readonly elections: string[];
}

/**
 * Each move makes a heavier node lighter than it was by less than the difference to the lightest, so the sum of the
 * squares of all loads falls with every move: there is an end to them, and none is ever taken back.
 */
export function planMoves(situation: Situation): Move[] {
  const { weightOf } = situation;
  const loads = loadsOf(situation);
  const moves: Move[] = [];
  for (;;) {
    loads.sort((left, right) => right.weight - left.weight || byRank(left.id, right.id));
    const lightest = loads.at(-1);
    if (lightest === undefined) return moves;
    const next = bestMove(loads, lightest, weightOf);
    if (next === undefined) return moves;
    const { donor, election } = next;
    donor.elections.splice(donor.elections.indexOf(election), 1);
    donor.weight -= weightOf(election);
    lightest.weight += weightOf(election);
    // What has moved once in a plan does not move again: it is not among those that `lightest` may give.
    moves.push({ election, from: donor.id, to: lightest.id });
  }
}

function loadsOf({ nodes, leaders, weightOf }: Situation): Load[] {
  const loads = new Map(nodes.map((id) => [id, { id, weight: 0, elections: [] as string[] }]));
  for (const [election, leader] of leaders) {
    const load = leader === null ? undefined : loads.get(leader);
    if (load === undefined) continue;
    load.weight += weightOf(election);
    load.elections.push(election);
  }
  const byWeight = (left: string, right: string): number =>
    weightOf(right) - weightOf(left) || byRank(left, right);
  for (const { elections } of loads.values()) elections.sort(byWeight);
  return [...loads.values()];
}

/** From the heaviest that has something to give: what comes closest to half of the difference. */
function bestMove(
  loads: readonly Load[],
  lightest: Load,
  weightOf: Situation['weightOf'],
): { readonly donor: Load; readonly election: string } | undefined {
  for (const donor of loads) {
    const difference = donor.weight - lightest.weight;
    let best: string | undefined;
    for (const election of donor.elections) {
      const weight = weightOf(election);
      if (weight <= 0 || weight >= difference) continue;
      const isBetter =
        best === undefined || Math.abs(weight - difference / 2) < Math.abs(weightOf(best) - difference / 2);
      if (isBetter) best = election;
    }
    if (best !== undefined) return { donor, election: best };
  }
  return undefined;
}

export interface Decision {
  /** Elections that are to go to somebody else: whoever is not meant does not stand in the way. */
  readonly standBack: ReadonlySet<string>;
  /** What this node gives away now. */
  readonly handOver: readonly Move[];
  /** What this node would give away, if nothing changes until it decides again. */
  readonly intended: readonly Move[];
  /** Nothing need move, on any node. */
  readonly isEven: boolean;
}

/**
 * What a node does. It says nothing twice and does nothing at once: it gives away what it intended to give away
 * when it decided before, so that the others have had the time to see the same and to stand back.
 */
export function decide(
  id: NodeId,
  situation: Situation,
  intended: readonly Move[],
  atOnce: number,
): Decision {
  const plan = planMoves(situation);
  const own = plan.filter(({ from }) => from === id);
  const isIntended = ({ election, to }: Move): boolean =>
    intended.some((move) => move.election === election && move.to === to);
  const handOver = own.filter(isIntended).slice(0, atOnce);
  const others = plan.filter(({ from, to }) => from !== id && to !== id);
  return {
    standBack: new Set([...others, ...handOver].map(({ election }) => election)),
    handOver,
    intended: own,
    isEven: plan.length === 0,
  };
}

/**
 * Who should be next in line for an election, so that what a dead node led falls to all others alike. Every node comes to the
 * same answer, and it changes for few elections when a node comes or goes (rendezvous hashing).
 */
export function heirOf(election: string, nodes: readonly NodeId[], leader: NodeId): NodeId | null {
  let heir: NodeId | null = null;
  let highest = -1;
  for (const id of nodes) {
    const score = id === leader ? -1 : scoreOf(`${election}\n${id}`);
    if (score > highest) [heir, highest] = [id, score];
  }
  return heir;
}

/** FNV-1a, and then mixed once more: names that differ in their last digit must not have neighbouring scores. */
function scoreOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
