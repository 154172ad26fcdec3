/** One moment of one elector: nodes with their role, lease and timers, and the messages between them. */

import type { NodeId } from '@hustings/elector';
import type { Flight, Moment } from '@hustings/simulator';
import { shareOf } from '../model/air.js';
import type { Run } from '../model/run.js';
import { shortToken } from '../model/verdict.js';
import type { Layout, Place, Size } from './layout.js';
import { font, type Palette } from './palette.js';

interface Box extends Place, Size {}

export interface Scene {
  readonly run: Run;
  readonly atMs: number;
  readonly width: number;
  readonly layout: Layout;
  readonly palette: Palette;
  readonly selected: NodeId | null;
}

export function drawStage(context: CanvasRenderingContext2D, scene: Scene): void {
  const { run, atMs } = scene;
  const sequence = run.recording.sequenceAt(atMs);
  drawSides(context, scene);
  drawCuts(context, scene, sequence);
  const { services, nodes } = run.recording.facts;
  const coordinators = services.map((id) =>
    drawCoordinator(context, scene, id, run.recording.at(id, sequence)),
  );
  drawFlights(context, scene);
  const boxes = nodes.map((id) => drawNode(context, scene, id, run.recording.at(id, sequence)));
  drawTags(context, scene, [...coordinators, ...boxes]);
}

const at = ({ layout }: Scene, id: NodeId): Place => layout.places.get(id) ?? { x: 0, y: 0 };

function drawSides(context: CanvasRenderingContext2D, { layout, palette }: Scene): void {
  context.strokeStyle = palette.bad;
  context.lineWidth = 1.5;
  context.setLineDash([5, 5]);
  for (const { centre, reach } of layout.sides) {
    context.beginPath();
    context.ellipse(centre.x, centre.y, reach.x, reach.y, 0, 0, 2 * Math.PI);
    context.globalAlpha = 0.55;
    context.stroke();
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
}

/** Links that are cut although both ends are on one side: one way, or only these two. */
function drawCuts(context: CanvasRenderingContext2D, scene: Scene, sequence: number): void {
  if (scene.layout.sides.length > 1) return;
  const { palette } = scene;
  context.strokeStyle = palette.bad;
  context.lineWidth = 1.25;
  for (const [from, to] of scene.run.recording.cutsAt(sequence)) {
    const [a, b] = [at(scene, from), at(scene, to)];
    const bar = { x: a.x + (b.x - a.x) * 0.72, y: a.y + (b.y - a.y) * 0.72 };
    context.globalAlpha = 0.5;
    context.setLineDash([3, 4]);
    line(context, a, b);
    context.setLineDash([]);
    context.globalAlpha = 1;
    cross(context, bar, 4);
  }
}

/** Returns what it covers. */
function drawCoordinator(context: CanvasRenderingContext2D, scene: Scene, id: NodeId, moment: Moment): Box {
  const { palette, layout } = scene;
  const { x, y } = at(scene, id);
  const size = Math.max(14, layout.radius);
  context.globalAlpha = moment.status === 'running' ? 1 : 0.4;
  context.fillStyle = palette.surface;
  context.strokeStyle = palette.coordinator;
  context.lineWidth = 2;
  const face = font(Math.max(12, Math.min(15, size * 0.62)), 600);
  context.font = face;
  const half = Math.max(size, context.measureText(id).width / 2 + 10);
  context.beginPath();
  context.roundRect(x - half, y - size * 0.75, 2 * half, size * 1.5, 7);
  context.fill();
  context.stroke();
  label(context, id, x, y, palette.ink, face);
  context.globalAlpha = 1;
  if (moment.status !== 'running') status(context, scene, moment.status, x, y, size);
  return { x: x - half, y: y - size * 0.75, width: 2 * half, height: size * 1.5 };
}

/** Returns what it covers. */
function drawNode(context: CanvasRenderingContext2D, scene: Scene, id: NodeId, moment: Moment): Box {
  const { palette, layout, selected, atMs } = scene;
  const { x, y } = at(scene, id);
  const { radius } = layout;
  const { status: life, belief, leadership } = moment;
  const holds = leadership !== null && atMs < leadership.untilMs && life !== 'crashed';
  // One that sleeps does not lead, whatever it holds.
  const leads = holds && life === 'running';
  const isCandidate = !leads && belief.role === 'candidate' && life === 'running';
  if (selected === id) {
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    ring(context, x, y, radius + 9);
  }
  context.globalAlpha = life === 'crashed' ? 0.45 : 1;
  context.fillStyle = leads ? palette.lead : palette.surface;
  context.strokeStyle = holds ? palette.lead : isCandidate ? palette.candidate : palette.soft;
  context.lineWidth = isCandidate || holds ? 3 : 2;
  context.setLineDash(life === 'crashed' ? [4, 4] : isCandidate ? [7, 3] : []);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.setLineDash([]);
  const size = Math.max(9, Math.min(20, radius * 0.62));
  label(context, id, x, y, leads ? palette.onLead : palette.ink, font(size, 650));
  context.globalAlpha = 1;
  if (life !== 'crashed') drawArcs(context, scene, moment, x, y, radius, holds);
  if (life !== 'running') status(context, scene, life, x, y, radius);
  const isSmall = radius < 14;
  const half = isSmall ? radius : caption(context, scene, moment, holds, x, y + radius + 14) / 2;
  return {
    x: x - Math.max(half, radius),
    y: y - radius,
    width: 2 * Math.max(half, radius),
    height: 2 * radius + 22,
  };
}

/** What is left of the lease around a leader, and of the next timer around the others. */
function drawArcs(
  context: CanvasRenderingContext2D,
  { palette, atMs }: Scene,
  { leadership, timers }: Moment,
  x: number,
  y: number,
  radius: number,
  holds: boolean,
): void {
  if (holds && leadership !== null) {
    if (!Number.isFinite(leadership.untilMs)) return;
    const left = (leadership.untilMs - atMs) / Math.max(1, leadership.untilMs - leadership.renewedMs);
    arc(context, x, y, radius + 4.5, left, palette.lead, 3);
    return;
  }
  const next = timers.reduce<Moment['timers'][number] | null>(
    (soonest, timer) => (soonest === null || timer.dueMs < soonest.dueMs ? timer : soonest),
    null,
  );
  if (next === null) return;
  const left = (next.dueMs - atMs) / Math.max(0.001, next.dueMs - next.setMs);
  arc(context, x, y, radius + 4, left, palette.faint, 2);
}

function arc(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  share: number,
  colour: string,
  width: number,
): void {
  if (share <= 0) return;
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  context.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, share));
  context.stroke();
}

function caption(
  context: CanvasRenderingContext2D,
  { palette, layout, width }: Scene,
  moment: Moment,
  holds: boolean,
  middle: number,
  y: number,
): number {
  const [text, colour, weight] = captionOf(moment, holds, palette);
  const face = font(captionSize(layout), weight);
  // A halo, so that lines behind it do not cross the words out.
  context.strokeStyle = palette.surface;
  context.lineWidth = 4;
  context.font = face;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const textWidth = context.measureText(text).width;
  const x = Math.max(textWidth / 2 + 4, Math.min(middle, width - textWidth / 2 - 4));
  context.strokeText(text, x, y);
  label(context, text, x, y, colour, face);
  return textWidth;
}

const captionSize = ({ radius }: Layout): number => (radius < 20 ? 12 : radius < 30 ? 13.5 : 15);

function captionOf(
  { belief, leadership, status: life }: Moment,
  holds: boolean,
  palette: Palette,
): readonly [text: string, colour: string, weight: number] {
  if (life === 'crashed') return ['crashed', palette.bad, 600];
  if (holds)
    return [`${life === 'paused' ? 'paused' : 'leads'} · ${shortToken(leadership!.token)}`, palette.ink, 650];
  if (life === 'paused') return ['paused', palette.ink, 600];
  if (belief.role === 'candidate') return ['candidate', palette.candidate, 600];
  return [belief.leaderId === null ? 'no leader' : `→ ${belief.leaderId}`, palette.soft, 400];
}

function status(
  context: CanvasRenderingContext2D,
  { palette }: Scene,
  life: 'paused' | 'crashed',
  x: number,
  y: number,
  radius: number,
): void {
  context.strokeStyle = life === 'crashed' ? palette.bad : palette.ink;
  context.lineWidth = 3;
  const [badgeX, badgeY] = [x + radius * 0.78, y - radius * 0.78];
  context.fillStyle = palette.surface;
  context.beginPath();
  context.arc(badgeX, badgeY, 9, 0, 2 * Math.PI);
  context.fill();
  if (life === 'crashed') {
    cross(context, { x: badgeX, y: badgeY }, 5);
    return;
  }
  line(context, { x: badgeX - 3, y: badgeY - 5 }, { x: badgeX - 3, y: badgeY + 5 });
  line(context, { x: badgeX + 3, y: badgeY - 5 }, { x: badgeX + 3, y: badgeY + 5 });
}

/** Where a message is drawn now. */
export function spotOf(scene: Scene, flight: Flight): Place {
  const [a, b] = [at(scene, flight.from), at(scene, flight.to)];
  const share = shareOf(flight, scene.atMs);
  const { radius } = scene.layout;
  const length = Math.max(1, Math.hypot(b.x - a.x, b.y - a.y));
  const reach = (radius + (length - 2 * radius) * share) / length;
  return { x: a.x + (b.x - a.x) * reach, y: a.y + (b.y - a.y) * reach };
}

const mostLabels = 10;

function drawFlights(context: CanvasRenderingContext2D, scene: Scene): void {
  const { run, atMs, palette } = scene;
  const { periodicMessages } = run.recording.facts;
  for (const flight of run.air.at(atMs)) {
    const isPeriodic = periodicMessages.has(flight.message.type);
    const spot = spotOf(scene, flight);
    const origin = at(scene, flight.from);
    const isLost = flight.end.type === 'lost' && flight.reachesMs === null;
    const colour = isLost ? palette.bad : palette.message;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.globalAlpha = isPeriodic ? 0.28 : 0.5;
    context.lineWidth = isPeriodic ? 1 : 1.5;
    line(context, origin, spot);
    context.globalAlpha = isPeriodic ? 0.55 : 1;
    if (isLost && atMs - flight.sentMs > 1.5) {
      context.lineWidth = 2;
      cross(context, spot, 4.5);
    } else {
      context.beginPath();
      context.arc(spot.x, spot.y, isPeriodic ? 2.5 : 5, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }
}

/** The kinds of messages, where there is room for them. */
function drawTags(context: CanvasRenderingContext2D, scene: Scene, boxes: readonly Box[]): void {
  const { run, atMs, palette, layout } = scene;
  const { periodicMessages } = run.recording.facts;
  // What has come, and waits for a node that is paused, is on its way no more.
  const stirring = run.air
    .at(atMs)
    .filter((flight) => !periodicMessages.has(flight.message.type) && shareOf(flight, atMs) < 1);
  if (stirring.length > mostLabels) return;
  const face = font(captionSize(layout), 600);
  const taken = [...boxes];
  for (const flight of stirring) {
    context.font = face;
    const text = flight.message.type;
    const box = freeBox(spotOf(scene, flight), context.measureText(text).width + 8, taken);
    if (box === undefined) continue;
    taken.push(box);
    context.globalAlpha = 0.88;
    context.fillStyle = palette.surface;
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, 4);
    context.fill();
    context.globalAlpha = 1;
    label(context, text, box.x + box.width / 2, box.y + box.height / 2, palette.ink, face);
  }
}

const tagHeight = 16;

/** Beside a message, where it hides nothing; undefined where it would: who leads matters more than what is said. */
function freeBox({ x, y }: Place, width: number, taken: readonly Box[]): Box | undefined {
  const middle = { x: x - width / 2, y: y - tagHeight / 2 };
  const [above, below] = [y - tagHeight - 7, y + 7];
  const [before, behind] = [x - width - 8, x + 8];
  return [
    { x: middle.x, y: above },
    { x: middle.x, y: below },
    { x: behind, y: middle.y },
    { x: before, y: middle.y },
    { x: behind, y: above },
    { x: behind, y: below },
    { x: before, y: above },
    { x: before, y: below },
  ]
    .map((corner): Box => ({ ...corner, width, height: tagHeight }))
    .find((box) => !taken.some((other) => overlap(box, other)));
}

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function label(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  colour: string,
  face: string,
): void {
  context.font = face;
  context.fillStyle = colour;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, x, y);
}

function ring(context: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

function line(context: CanvasRenderingContext2D, a: Place, b: Place): void {
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  context.stroke();
}

function cross(context: CanvasRenderingContext2D, { x, y }: Place, size: number): void {
  line(context, { x: x - size, y: y - size }, { x: x + size, y: y + size });
  line(context, { x: x - size, y: y + size }, { x: x + size, y: y - size });
}
