/**
 * The space-time diagram: a line for each node, time to the right along the squeezed axis. All that does not depend on
 * the playhead is drawn to a layer that is wider than the window and moves behind it; a frame draws the playhead.
 */

import type { NodeId } from '@hustings/elector';
import { type Flight, type Recording, type TraceEvent, tellFault } from '@hustings/simulator';
import { landsMs } from '../model/air.js';
import { type Axis, isStirring } from '../model/axis.js';
import { shortToken } from '../model/verdict.js';
import { font, type Palette } from './palette.js';

export interface Canvasses {
  readonly recording: Recording;
  readonly axis: Axis;
  readonly palette: Palette;
  readonly height: number;
  /** How far down each line is. */
  readonly rows: ReadonlyMap<NodeId, number>;
  readonly labels: readonly Label[];
  readonly pixelsPerUnit: number;
  /** The events that stand out; all do when there is none. */
  readonly past: ReadonlySet<number> | null;
}

export const gutter = 80;
const top = 40;
const bottom = 12;

export function rowsOf({ facts: { nodes, services } }: Recording, height: number): Canvasses['rows'] {
  const everyone = [...nodes, ...services];
  const gap = (height - top - bottom) / everyone.length;
  return new Map(everyone.map((id, index) => [id, top + gap * (index + 0.5)]));
}

const rowY = ({ rows }: Canvasses, id: NodeId): number => rows.get(id) ?? top;

/** Draws the stretch from `fromUnits` on, `width` pixels of it, with its left edge at 0. */
export function drawLayer(
  context: CanvasRenderingContext2D,
  view: Canvasses,
  fromUnits: number,
  width: number,
): void {
  const { axis, pixelsPerUnit } = view;
  const x = (atMs: number): number => (axis.unitsAt(atMs) - fromUnits) * pixelsPerUnit;
  const span = { fromMs: axis.msAt(fromUnits), untilMs: axis.msAt(fromUnits + width / pixelsPerUnit) };
  const layer = { context, view, x, ...span, width };
  drawFolds(layer);
  drawOverlaps(layer);
  drawLives(layer);
  drawTenures(layer);
  drawFaults(layer);
  drawMessages(layer);
  drawEvents(layer);
  drawWrites(layer);
}

interface Layer {
  readonly context: CanvasRenderingContext2D;
  readonly view: Canvasses;
  readonly x: (atMs: number) => number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly width: number;
}

function drawFolds({ context, view: { axis, palette, height }, x, fromMs, untilMs }: Layer): void {
  for (const fold of axis.folds) {
    if (fold.untilMs < fromMs || fold.fromMs > untilMs) continue;
    const [left, right] = [x(fold.fromMs), x(fold.untilMs)];
    context.fillStyle = palette.fold;
    context.fillRect(left, top - 6, right - left, height - top - bottom + 12);
    if (right - left < 30) continue;
    context.fillStyle = palette.soft;
    context.font = font(11);
    context.textAlign = 'center';
    context.textBaseline = 'alphabetic';
    context.fillText(`${Math.round(fold.untilMs - fold.fromMs)} ms`, (left + right) / 2, height - 2);
  }
}

function drawOverlaps({ context, view: { recording, palette, height }, x, fromMs, untilMs }: Layer): void {
  for (const reign of recording.facts.reigns) {
    if (reign.tenures.length < 2 || reign.untilMs < fromMs || reign.fromMs > untilMs) continue;
    const [left, right] = [x(reign.fromMs), x(reign.untilMs)];
    context.fillStyle = palette.badWash;
    context.fillRect(left, top - 8, Math.max(2, right - left), height - top - bottom + 16);
    context.fillStyle = palette.bad;
    context.fillRect(left, top - 8, Math.max(2, right - left), 3);
  }
}

function drawLives({ context, view, x, fromMs, untilMs, width }: Layer): void {
  const { recording, palette } = view;
  const { nodes, services, pauses, endMs } = recording.facts;
  context.lineWidth = 1.25;
  for (const id of [...nodes, ...services]) {
    const y = rowY(view, id);
    context.strokeStyle = services.includes(id) ? palette.coordinator : palette.faint;
    segment(context, Math.max(0, x(0)), Math.min(width, x(endMs)), y);
    for (const { from, until } of downtimesOf(recording, id)) {
      if (until < fromMs || from > untilMs) continue;
      context.fillStyle = palette.surface;
      context.fillRect(x(from), y - 2, x(until) - x(from), 4);
      context.setLineDash([2, 5]);
      context.strokeStyle = palette.bad;
      segment(context, x(from), x(until), y);
      context.setLineDash([]);
    }
    for (const pause of pauses) {
      if (pause.node !== id || pause.untilMs < fromMs || pause.fromMs > untilMs) continue;
      context.fillStyle = palette.soft;
      context.globalAlpha = 0.3;
      context.fillRect(x(pause.fromMs), y - 7, x(pause.untilMs) - x(pause.fromMs), 14);
      context.globalAlpha = 1;
    }
  }
}

const downtimes = new WeakMap<Recording, Map<NodeId, { from: number; until: number }[]>>();

function downtimesOf(recording: Recording, id: NodeId): readonly { from: number; until: number }[] {
  let known = downtimes.get(recording);
  if (known === undefined) {
    known = new Map();
    downtimes.set(recording, known);
    for (const event of recording.facts.events) {
      if (event.type !== 'crashed' && event.type !== 'step') continue;
      const spans = known.get(event.node) ?? [];
      const last = spans.at(-1);
      if (event.type === 'crashed') spans.push({ from: event.atMs, until: recording.facts.endMs });
      else if (last !== undefined && last.until === recording.facts.endMs && event.atMs >= last.from)
        last.until = event.atMs;
      known.set(event.node, spans);
    }
  }
  return known.get(id) ?? [];
}

function drawTenures({ context, view, x, fromMs, untilMs }: Layer): void {
  const { recording, palette } = view;
  for (const { node, beganMs, endedMs, token } of recording.facts.tenures) {
    const endMs = endedMs ?? recording.facts.endMs;
    if (endMs < fromMs || beganMs > untilMs) continue;
    const [left, right] = [x(beganMs), x(endMs)];
    const y = rowY(view, node);
    context.fillStyle = palette.lead;
    context.beginPath();
    context.roundRect(left, y - 6, Math.max(3, right - left), 12, 6);
    context.fill();
    if (right - left < 70) continue;
    context.fillStyle = palette.onLead;
    context.font = font(10.5, 650);
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillText(shortToken(token), left + 8, y + 0.5);
  }
}

function drawFaults({ context, view: { recording, palette, height }, x, fromMs, untilMs }: Layer): void {
  const mark = (atMs: number, isHealing: boolean): void => {
    if (atMs < fromMs || atMs > untilMs) return;
    context.strokeStyle = isHealing ? palette.good : palette.bad;
    context.lineWidth = 1.5;
    context.setLineDash(isHealing ? [2, 3] : []);
    context.beginPath();
    context.moveTo(x(atMs), top - 12);
    context.lineTo(x(atMs), height - bottom);
    context.stroke();
    context.setLineDash([]);
  };
  for (const { atMs, healedMs } of recording.facts.faults) {
    mark(atMs, false);
    if (healedMs !== null) mark(healedMs, true);
  }
}

/** Not in the layer: a label at an edge moves aside rather than lose letters. None hides another. */
export function drawFaultLabels(
  context: CanvasRenderingContext2D,
  { labels, palette }: Canvasses,
  x: (atMs: number) => number,
  width: number,
): void {
  context.font = font(11.5, 600);
  context.textBaseline = 'alphabetic';
  context.textAlign = 'left';
  const rowEnds = labelRows.map(() => gutter);
  for (const { atMs, text, isHealing } of labels) {
    const wanted = x(atMs) + 3;
    if (wanted > width) break;
    if (wanted < gutter - longestLabel) continue;
    const textWidth = context.measureText(text).width;
    if (wanted + textWidth < gutter) continue;
    const left = Math.max(gutter + 2, Math.min(wanted, width - textWidth - 4));
    const row = rowEnds.findIndex((end) => end <= left);
    if (row < 0) continue;
    rowEnds[row] = left + textWidth + 8;
    context.fillStyle = isHealing ? palette.good : palette.bad;
    context.fillText(text, left, labelRows[row]!);
  }
}

const labelRows = [12, 25];
const longestLabel = 300;

interface Label {
  readonly atMs: number;
  readonly text: string;
  readonly isHealing: boolean;
}

/** When each fault began, and when it was over. */
export function labelsOf({ facts }: Recording): readonly Label[] {
  const labels = facts.faults.flatMap(({ fault, atMs, healedMs }): Label[] => [
    { atMs, text: tellFault(fault), isHealing: false },
    ...(healedMs === null ? [] : [{ atMs: healedMs, text: 'healed', isHealing: true }]),
  ]);
  return labels.sort((a, b) => a.atMs - b.atMs);
}

/** The first message that was sent at or after this time. */
function firstFlight(flights: readonly Flight[], fromMs: number): number {
  let low = 0;
  let high = flights.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (flights[middle]!.sentMs < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of what was sent before a window, what was held up longer than this is not seen in it. */
const longestMs = 400;

const headLength = 6;

function drawMessages({ context, view, x, fromMs, untilMs }: Layer): void {
  const { recording, palette, past, axis } = view;
  const { flights, periodicMessages } = recording.facts;
  for (let index = firstFlight(flights, fromMs - longestMs); index < flights.length; index += 1) {
    const flight = flights[index]!;
    if (flight.sentMs > untilMs) break;
    const isPeriodic = periodicMessages.has(flight.message.type);
    const fold = isPeriodic ? axis.foldAt(flight.sentMs) : null;
    if (fold !== null) {
      // What is folded holds nothing but heartbeats.
      index = firstFlight(flights, fold.untilMs) - 1;
      continue;
    }
    if (landsMs(flight) < fromMs) continue;
    const isPale = past !== null && !isOfPast(flight, past);
    context.globalAlpha = isPale ? 0.1 : isPeriodic ? 0.22 : 0.95;
    drawMessage(context, view, x, flight, isPeriodic, palette);
  }
  context.globalAlpha = 1;
}

const isOfPast = ({ sentBy, end }: Flight, past: ReadonlySet<number>): boolean =>
  past.has(sentBy) && end.type === 'arrived' && past.has(end.sequence);

function drawMessage(
  context: CanvasRenderingContext2D,
  view: Canvasses,
  x: (atMs: number) => number,
  flight: Flight,
  isPeriodic: boolean,
  palette: Palette,
): void {
  const [x1, y1] = [x(flight.sentMs), rowY(view, flight.from)];
  let [x2, y2] = [x(landsMs(flight)), rowY(view, flight.to)];
  const isLost = flight.end.type === 'lost';
  if (isLost && flight.reachesMs === null) {
    x2 = x1 + Math.max(6, (x2 - x1) * 0.5);
    y2 = y1 + Math.sign(y2 - y1) * 13;
  }
  const colour = isLost ? palette.bad : palette.message;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = isPeriodic ? 0.75 : 1.25;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
  if (isLost) {
    const size = isPeriodic ? 2 : 3;
    context.beginPath();
    context.moveTo(x2 - size, y2 - size);
    context.lineTo(x2 + size, y2 + size);
    context.moveTo(x2 - size, y2 + size);
    context.lineTo(x2 + size, y2 - size);
    context.stroke();
  } else if (!isPeriodic) head(context, x1, y1, x2, y2);
}

function head(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 1) return;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [baseX, baseY] = [x2 - dx * headLength, y2 - dy * headLength];
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(baseX - dy * 3, baseY + dx * 3);
  context.lineTo(baseX + dy * 3, baseY - dx * 3);
  context.fill();
}

function drawEvents({ context, view, x, fromMs, untilMs }: Layer): void {
  const { recording, palette, past, axis } = view;
  const { events, periodicMessages } = recording.facts;
  const first = Math.max(0, recording.sequenceAt(fromMs - 1));
  for (let index = first; index < events.length; index += 1) {
    const event = events[index]!;
    if (event.atMs > untilMs) break;
    const fold = axis.foldAt(event.atMs);
    if (fold !== null) {
      index = Math.max(index, recording.sequenceAt(fold.untilMs - 1e-9));
      continue;
    }
    if (!('node' in event) || !isStirring(event, periodicMessages)) continue;
    context.globalAlpha = past === null || past.has(event.sequence) ? 1 : 0.15;
    dot(context, palette, event, x(event.atMs), rowY(view, event.node));
  }
  context.globalAlpha = 1;
}

function dot(
  context: CanvasRenderingContext2D,
  palette: Palette,
  event: TraceEvent,
  x: number,
  y: number,
): void {
  const isCandidacy = event.type === 'step' && event.effects.some(({ type }) => type === 'campaign');
  context.fillStyle = event.type === 'crashed' ? palette.bad : isCandidacy ? palette.candidate : palette.ink;
  context.beginPath();
  context.arc(x, y, isCandidacy ? 4 : 2.5, 0, 2 * Math.PI);
  context.fill();
}

function drawWrites({ context, view, x, fromMs, untilMs }: Layer): void {
  const { recording, palette, axis } = view;
  for (const { node, arrivedMs, refusal } of recording.facts.writes) {
    if (arrivedMs < fromMs || arrivedMs > untilMs) continue;
    const isFolded = axis.foldAt(arrivedMs) !== null;
    if (isFolded && refusal === null) continue;
    const [px, py] = [x(arrivedMs), rowY(view, node) + 9];
    const colour = refusal === null ? palette.good : palette.bad;
    context.fillStyle = colour;
    context.strokeStyle = colour;
    context.beginPath();
    if (refusal === null) {
      context.moveTo(px, py - 3);
      context.lineTo(px + 3.5, py + 3);
      context.lineTo(px - 3.5, py + 3);
      context.fill();
    } else {
      context.lineWidth = 1.75;
      context.moveTo(px - 3, py - 3);
      context.lineTo(px + 3, py + 3);
      context.moveTo(px - 3, py + 3);
      context.lineTo(px + 3, py - 3);
      context.stroke();
    }
  }
}

/** The names of the nodes, which stay where they are. */
export function drawGutter(context: CanvasRenderingContext2D, view: Canvasses): void {
  const { recording, palette, height, rows } = view;
  const { services } = recording.facts;
  const size = Math.min(12, Math.max(7, (height - top - bottom) / rows.size - 1));
  for (const [id, y] of rows) {
    context.fillStyle = services.includes(id) ? palette.coordinator : palette.ink;
    context.font = font(size, 600);
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(id, gutter - 10, y);
  }
}

export function drawPlayhead(
  context: CanvasRenderingContext2D,
  palette: Palette,
  x: number,
  height: number,
): void {
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, top - 10);
  context.lineTo(x, height - 10);
  context.stroke();
  context.fillStyle = palette.ink;
  context.beginPath();
  context.moveTo(x - 6, top - 12);
  context.lineTo(x + 6, top - 12);
  context.lineTo(x, top - 4);
  context.fill();
}

function segment(context: CanvasRenderingContext2D, from: number, until: number, y: number): void {
  if (until <= from) return;
  context.beginPath();
  context.moveTo(from, y);
  context.lineTo(until, y);
  context.stroke();
}

/** The event whose mark is nearest to a point; null when none is near. */
export function eventNear(
  view: Canvasses,
  atMs: number,
  x: (atMs: number) => number,
  px: number,
  py: number,
): number | null {
  const { recording } = view;
  const { events } = recording.facts;
  const middle = recording.sequenceAt(atMs);
  let best: { readonly sequence: number; readonly distance: number } | null = null;
  for (let index = Math.max(0, middle - 400); index < Math.min(events.length, middle + 400); index += 1) {
    const event = events[index]!;
    if (!('node' in event)) continue;
    const distance = Math.hypot(x(event.atMs) - px, rowY(view, event.node) - py);
    if (distance < 11 && (best === null || distance < best.distance)) best = { sequence: index, distance };
  }
  return best?.sequence ?? null;
}
