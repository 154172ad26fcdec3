/** One moment of one elector: nodes with their role, lease and timers, and the messages between them. */

import type { NodeId } from '@hustings/elector';
import type { Flight, Moment } from '@hustings/simulator';
import { shareOf } from '../model/air.js';
import type { Run } from '../model/run.js';
import type { Layout, Place } from './layout.js';
import { font, type Palette } from './palette.js';

export interface Scene {
  readonly run: Run;
  readonly atMs: number;
  readonly width: number;
  readonly height: number;
  readonly layout: Layout;
  readonly palette: Palette;
  readonly selected: NodeId | null;
}

/** From the unit square of the layout to pixels, and wider where there is room. */
export function toPixels({ x, y }: Place, width: number, height: number): Place {
  const scale = Math.min(width / 2.75, height / 2.1);
  const stretch = Math.min(1.5, width / (2.76 * scale));
  return { x: width / 2 + x * scale * stretch, y: height / 2 - 5 + y * scale };
}

/** Large enough to be read where there are few. */
export const radiusOf = ({ nodeRadius, places }: Layout, width: number, height: number): number =>
  Math.max(places.size <= 8 ? 15 : 9, nodeRadius * Math.min(width / 2.75, height / 2.1));

export function drawStage(context: CanvasRenderingContext2D, scene: Scene): void {
  const { run, atMs } = scene;
  const sequence = run.recording.sequenceAt(atMs);
  drawSides(context, scene);
  drawCuts(context, scene, sequence);
  const { services, nodes } = run.recording.facts;
  for (const id of services) drawCoordinator(context, scene, id, run.recording.at(id, sequence));
  drawFlights(context, scene);
  for (const id of nodes) drawNode(context, scene, id, run.recording.at(id, sequence));
  drawTags(context, scene);
}

function at({ layout, width, height }: Scene, id: NodeId): Place {
  return toPixels(layout.places.get(id) ?? { x: 0, y: 0 }, width, height);
}

function drawSides(context: CanvasRenderingContext2D, { layout, palette, width, height }: Scene): void {
  context.strokeStyle = palette.bad;
  context.lineWidth = 1.5;
  context.setLineDash([5, 5]);
  for (const { centre, radius } of layout.sides) {
    const middle = toPixels(centre, width, height);
    const edge = toPixels({ x: centre.x + radius, y: centre.y + radius }, width, height);
    context.beginPath();
    context.ellipse(middle.x, middle.y, edge.x - middle.x, edge.y - middle.y, 0, 0, 2 * Math.PI);
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

function drawCoordinator(context: CanvasRenderingContext2D, scene: Scene, id: NodeId, moment: Moment): void {
  const { palette, layout, width, height } = scene;
  const { x, y } = at(scene, id);
  const size = radiusOf(layout, width, height) * 1.15;
  context.globalAlpha = moment.status === 'running' ? 1 : 0.4;
  context.fillStyle = palette.surface;
  context.strokeStyle = palette.coordinator;
  context.lineWidth = 2;
  const face = font(Math.max(11, Math.min(14, size * 0.62)), 600);
  context.font = face;
  const half = Math.max(size, context.measureText(id).width / 2 + 10);
  context.beginPath();
  context.roundRect(x - half, y - size * 0.75, 2 * half, size * 1.5, 7);
  context.fill();
  context.stroke();
  label(context, id, x, y, palette.ink, face);
  context.globalAlpha = 1;
  if (moment.status !== 'running') status(context, scene, moment.status, x, y, size);
}

function drawNode(context: CanvasRenderingContext2D, scene: Scene, id: NodeId, moment: Moment): void {
  const { palette, layout, width, height, selected, atMs } = scene;
  const { x, y } = at(scene, id);
  const radius = radiusOf(layout, width, height);
  const { status: life, belief, leadership } = moment;
  const leads = leadership !== null && atMs < leadership.untilMs && life !== 'crashed';
  const isCandidate = !leads && belief.role === 'candidate' && life === 'running';
  if (selected === id) {
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    ring(context, x, y, radius + 9);
  }
  context.globalAlpha = life === 'crashed' ? 0.45 : 1;
  context.fillStyle = leads ? palette.lead : palette.surface;
  context.strokeStyle = leads ? palette.lead : isCandidate ? palette.candidate : palette.soft;
  context.lineWidth = isCandidate ? 3 : 2;
  context.setLineDash(life === 'crashed' ? [4, 4] : isCandidate ? [7, 3] : []);
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.setLineDash([]);
  const isSmall = radius < 14;
  const size = Math.max(9, Math.min(15, radius * 0.62));
  label(context, id, x, y, leads ? palette.onLead : palette.ink, font(size, 650));
  context.globalAlpha = 1;
  if (life !== 'crashed') drawArcs(context, scene, moment, x, y, radius, leads);
  if (life !== 'running') status(context, scene, life, x, y, radius);
  if (!isSmall) caption(context, scene, moment, leads, x, y + radius + 13);
}

/** What is left of the lease around a leader, and of the next timer around the others. */
function drawArcs(
  context: CanvasRenderingContext2D,
  { palette, atMs }: Scene,
  { leadership, timers }: Moment,
  x: number,
  y: number,
  radius: number,
  leads: boolean,
): void {
  if (leads && leadership !== null) {
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
  { palette }: Scene,
  moment: Moment,
  leads: boolean,
  x: number,
  y: number,
): void {
  const [text, colour, weight] = captionOf(moment, leads, palette);
  // A halo, so that lines behind it do not cross the words out.
  context.strokeStyle = palette.surface;
  context.lineWidth = 4;
  context.font = font(11, weight);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.strokeText(text, x, y);
  label(context, text, x, y, colour, font(11, weight));
}

function captionOf(
  { belief, leadership, status: life }: Moment,
  leads: boolean,
  palette: Palette,
): readonly [text: string, colour: string, weight: number] {
  if (life === 'crashed') return ['crashed', palette.bad, 600];
  if (leads) return [`leads · ${shortToken(leadership!.token)}`, palette.ink, 650];
  if (belief.role === 'candidate') return ['candidate', palette.candidate, 600];
  return [belief.leaderId === null ? 'no leader' : `→ ${belief.leaderId}`, palette.soft, 400];
}

/** ZooKeeper's tokens are long numbers that differ at the end. */
export function shortToken(token: bigint): string {
  const text = String(token);
  return text.length <= 5 ? `token ${text}` : `token …${text.slice(-3)}`;
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
  const radius = radiusOf(scene.layout, scene.width, scene.height);
  const length = Math.max(1, Math.hypot(b.x - a.x, b.y - a.y));
  const reach = (radius + (length - 2 * radius) * share) / length;
  return { x: a.x + (b.x - a.x) * reach, y: a.y + (b.y - a.y) * reach };
}

const mostLabels = 10;

function drawFlights(context: CanvasRenderingContext2D, scene: Scene): void {
  const { run, atMs, palette } = scene;
  const { periodicMessages } = run.recording.facts;
  const flights = run.air.at(atMs);

  for (const flight of flights) {
    const isPeriodic = periodicMessages.has(flight.message.type);
    const spot = spotOf(scene, flight);
    const origin = at(scene, flight.from);
    const isLost = flight.end.type === 'lost' && flight.reachesMs === null;
    context.strokeStyle = isLost ? palette.bad : palette.message;
    context.fillStyle = context.strokeStyle;
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

/** The kinds of messages, over everything else, unless there are so many that they would hide it. */
function drawTags(context: CanvasRenderingContext2D, scene: Scene): void {
  const { run, atMs, palette } = scene;
  const { periodicMessages } = run.recording.facts;
  const stirring = run.air.at(atMs).filter(({ message }) => !periodicMessages.has(message.type));
  if (stirring.length > mostLabels) return;
  for (const flight of stirring) tag(context, palette, flight.message.type, spotOf(scene, flight));
}

function tag(context: CanvasRenderingContext2D, palette: Palette, text: string, { x, y }: Place): void {
  context.font = font(11, 600);
  const width = context.measureText(text).width;
  context.globalAlpha = 0.88;
  context.fillStyle = palette.surface;
  context.beginPath();
  context.roundRect(x - width / 2 - 3, y - 21, width + 6, 14, 4);
  context.fill();
  context.globalAlpha = 1;
  label(context, text, x, y - 14, palette.ink, font(11, 600));
}

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
