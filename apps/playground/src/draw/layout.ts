/** Where nodes stand. A partition moves its sides apart; a coordinator stands in the middle of its side. */

import type { NodeId } from '@hustings/elector';
import type { Recording } from '@hustings/simulator';

export interface Place {
  /** From -1 to 1 across the stage, and down it. */
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly places: ReadonlyMap<NodeId, Place>;
  /** The sides of a partition, when there is more than one. */
  readonly sides: readonly { readonly centre: Place; readonly radius: number }[];
  readonly nodeRadius: number;
}

export function layoutOf(recording: Recording, sequence: number): Layout {
  const { nodes, services } = recording.facts;
  const cuts = recording.cutsAt(sequence);
  const sides = cuts.length === 0 ? [[...nodes, ...services]] : sidesOf([...nodes, ...services], cuts);
  const nodeRadius = nodes.length <= 7 ? 0.155 : Math.max(0.075, 0.95 / nodes.length);
  if (sides.length === 1) {
    return { places: new Map(circle(sides[0]!, services, { x: 0, y: 0 }, 0.72)), sides: [], nodeRadius };
  }
  return apart(sides, services, nodeRadius);
}

/** Those who can still reach one another, at least one way. */
function sidesOf(everyone: readonly NodeId[], cuts: readonly (readonly [NodeId, NodeId])[]): NodeId[][] {
  const cut = new Set(cuts.map(([from, to]) => `${from} ${to}`));
  const isOpen = (a: NodeId, b: NodeId): boolean => !cut.has(`${a} ${b}`) || !cut.has(`${b} ${a}`);
  const rest = new Set(everyone);
  const sides: NodeId[][] = [];
  for (const first of everyone) {
    if (!rest.delete(first)) continue;
    const side = [first];
    for (const member of side) {
      for (const other of rest) {
        if (!isOpen(member, other)) continue;
        rest.delete(other);
        side.push(other);
      }
    }
    sides.push(everyone.filter((id) => side.includes(id)));
  }
  return sides;
}

function circle(
  members: readonly NodeId[],
  services: readonly NodeId[],
  centre: Place,
  radius: number,
): [NodeId, Place][] {
  const around = members.filter((id) => !services.includes(id));
  const inside = members.filter((id) => services.includes(id));
  const isAlone = around.length === 1 && inside.length === 0;
  return [
    ...around.map((id, index): [NodeId, Place] => {
      const angle = (index / around.length) * 2 * Math.PI - Math.PI / 2;
      const reach = isAlone ? 0 : radius;
      return [id, { x: centre.x + reach * Math.cos(angle), y: centre.y + reach * Math.sin(angle) }];
    }),
    ...inside.map((id): [NodeId, Place] => [id, centre]),
  ];
}

/** Side by side, the larger the wider. */
function apart(sides: readonly NodeId[][], services: readonly NodeId[], nodeRadius: number): Layout {
  const wanted = sides.map(({ length }) => (length === 1 ? 0 : 0.24 + 0.1 * Math.min(length, 5)));
  const gap = 0.14;
  const margin = nodeRadius + 0.13;
  const total = wanted.reduce((sum, radius) => sum + 2 * (radius + margin), 0) + gap * (sides.length - 1);
  const scale = Math.min(1, 2.6 / total);
  let x = (-total * scale) / 2;
  const placed = sides.map((members, index) => {
    const radius = wanted[index]! * scale;
    const reach = radius + margin * scale;
    const centre = { x: x + reach, y: 0 };
    x += 2 * reach + gap * scale;
    return { places: circle(members, services, centre, radius), centre, radius: reach };
  });
  return {
    places: new Map(placed.flatMap(({ places }) => places)),
    sides: placed.map(({ centre, radius }) => ({ centre, radius })),
    nodeRadius: nodeRadius * Math.max(0.7, scale),
  };
}
