/** Where nodes stand, in pixels. A partition moves its sides apart; a coordinator stands in the middle of its side. */

import type { NodeId } from '@hustings/elector';
import type { Recording } from '@hustings/simulator';

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Ellipse {
  readonly centre: Place;
  /** Half as wide, and half as high. */
  readonly reach: Place;
}

export interface Layout {
  readonly places: ReadonlyMap<NodeId, Place>;
  /** The sides of a partition, when there is more than one. */
  readonly sides: readonly Ellipse[];
  readonly radius: number;
}

type Links = readonly (readonly [from: NodeId, to: NodeId])[];

/** What a node is said to be stands below it, unless there are too many of them. */
const captionHeight = 22;
const captionReach = 32;
const mostCaptions = 9;
const largestRadius = 36;

export function layoutOf({ facts: { nodes, services } }: Recording, cuts: Links, size: Size): Layout {
  const everyone = [...nodes, ...services];
  const sides = cuts.length === 0 ? [everyone] : sidesOf(everyone, cuts);
  const hasCaptions = nodes.length <= mostCaptions;
  const wanted = Math.min(largestRadius, Math.max(14, size.height * 0.09));
  const margin = {
    x: wanted + (hasCaptions ? captionReach : 8),
    top: wanted + 8,
    bottom: wanted + (hasCaptions ? captionHeight : 8),
  };
  if (sides.length > 1) return apart(sides, services, size, wanted);
  const reachY = Math.max(1, (size.height - margin.top - margin.bottom) / (1 + lowestOf(nodes.length)));
  const widest = reachY * (hasCaptions ? 1.7 : 1.25);
  const reach = { x: Math.max(1, Math.min(size.width / 2 - margin.x, widest)), y: reachY };
  const centre = { x: size.width / 2, y: margin.top + reachY };
  const radius = Math.min(wanted, roomFor(nodes.length, reach));
  return { places: new Map(circle(everyone, services, { centre, reach })), sides: [], radius };
}

/** How far below the middle the lowest of so many nodes is, when one is at the top: a triangle has a flat foot. */
const lowestOf = (count: number): number => (count < 3 || count % 2 === 0 ? 1 : Math.cos(Math.PI / count));

/** How large so many nodes can be without touching one another. */
const roomFor = (count: number, { x, y }: Place): number => (0.94 * Math.PI * Math.min(x, y)) / count;

/** Those who can still reach one another, at least one way. */
function sidesOf(everyone: readonly NodeId[], cuts: Links): NodeId[][] {
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
  { centre, reach }: Ellipse,
): [NodeId, Place][] {
  const around = members.filter((id) => !services.includes(id));
  const inside = members.filter((id) => services.includes(id));
  const share = around.length === 1 && inside.length === 0 ? 0 : 1;
  return [
    ...around.map((id, index): [NodeId, Place] => {
      const angle = (index / around.length) * 2 * Math.PI - Math.PI / 2;
      const x = centre.x + share * reach.x * Math.cos(angle);
      return [id, { x, y: centre.y + share * reach.y * Math.sin(angle) }];
    }),
    ...inside.map((id): [NodeId, Place] => [id, centre]),
  ];
}

const gap = 16;

/** Side by side, the larger the wider. */
function apart(
  sides: readonly NodeId[][],
  services: readonly NodeId[],
  { width, height }: Size,
  wanted: number,
): Layout {
  const weights = sides.map(({ length }) => Math.sqrt(length));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const free = width - gap * (sides.length + 1);
  let left = gap;
  const placed = sides.map((members, index) => {
    const outer = { x: ((weights[index]! / total) * free) / 2, y: height / 2 - 8 };
    const centre = { x: left + outer.x, y: height / 2 };
    left += 2 * outer.x + gap;
    const inner = {
      x: Math.max(4, outer.x - wanted - 12),
      y: Math.max(4, outer.y - wanted - captionHeight),
    };
    const places = circle(members, services, { centre: { x: centre.x, y: centre.y - 6 }, reach: inner });
    const reach = members.length === 1 ? { x: outer.x, y: Math.min(outer.y, outer.x) } : outer;
    return { places, side: { centre, reach }, room: Math.min(outer.x - 4, roomFor(members.length, inner)) };
  });
  return {
    places: new Map(placed.flatMap(({ places }) => places)),
    sides: placed.map(({ side }) => side),
    radius: Math.max(9, Math.min(wanted, ...placed.map(({ room }) => room))),
  };
}
