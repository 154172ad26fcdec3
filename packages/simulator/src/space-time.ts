/**
 * A run for terminals: a column for each node, a line for each event, time running down.
 *
 * ```
 *               n1    n2    n3
 *     250.0     ●     │     │    n1 timer leader fires => campaigns, ELECTION→n2 n3
 *     251.0     │────▶●     │    n1→n2 ELECTION => campaigns, ANSWER→n1, ELECTION→n3
 * ```
 */

import type { NodeId } from '@hustings/elector';
import { type Life, type Row, toRows } from './lifelines.js';
import type { AnyEffect } from './simulation.js';
import { tell, tellInput } from './story.js';
import type { TraceEvent } from './trace.js';

const lines: Readonly<Record<Life, string>> = { follows: '│', leads: '┃', paused: '┊', crashed: ' ' };

export interface DrawingOptions {
  readonly nodes: readonly NodeId[];
  readonly periodicMessages: ReadonlySet<string>;
  /** Marked in the margin with 1, 2, …. */
  readonly witnesses?: readonly TraceEvent[];
}

export interface TextOptions extends DrawingOptions {
  /** Longer lines are cut. */
  readonly width?: number;
}

export function drawText(trace: readonly TraceEvent[], options: TextOptions): string {
  const { nodes, periodicMessages, witnesses = [], width = 100 } = options;
  const columnWidth = Math.max(6, ...nodes.map((id) => id.length + 2));
  const heading = `${' '.repeat(marginWidth)}${nodes.map((id) => centred(id, columnWidth)).join('')}`;
  const rows = toRows(trace, nodes, periodicMessages).map((row) => {
    const mark = witnesses.indexOf(row.event);
    const margin = `${mark === -1 ? ' ' : mark + 1} ${row.event.atMs.toFixed(1).padStart(marginWidth - 3)} `;
    const line = `${margin}${drawLives(row, nodes, columnWidth)} ${tellShortly(row.event)}`;
    return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
  });
  return `${[heading, ...rows].map((line) => line.trimEnd()).join('\n')}\n`;
}

const marginWidth = 12;

function drawLives({ event, lives }: Row, nodes: readonly NodeId[], columnWidth: number): string {
  const cells = [...lives.map((life) => centred(lines[life], columnWidth)).join('')];
  const place = (id: NodeId): number => nodes.indexOf(id) * columnWidth + Math.floor((columnWidth - 1) / 2);
  const [from, to] = ends(event);
  if (to !== null && nodes.includes(to)) {
    const target = place(to);
    if (from !== null && nodes.includes(from)) drawArrow(cells, place(from), target, event.type === 'lost');
    if (event.type !== 'lost') cells[target] = symbol(event);
  }
  return cells.join('');
}

/** Where a message came from, if the event is about one, and whose event it is. */
function ends(event: TraceEvent): readonly [from: NodeId | null, to: NodeId | null] {
  if (event.type === 'lost') return [event.from, event.to];
  if (event.type === 'step') return [event.input.type === 'received' ? event.input.from : null, event.node];
  return [null, 'node' in event ? event.node : null];
}

function drawArrow(cells: string[], from: number, to: number, lost: boolean): void {
  const step = Math.sign(to - from);
  // A lost message stops halfway to its first neighbour.
  const end = lost ? from + 4 * step : to;
  for (let cell = from + step; cell !== end; cell += step) {
    cells[cell] = cells[cell] === ' ' ? '─' : '┼';
  }
  cells[lost ? end : end - step] = lost ? '✕' : step > 0 ? '▶' : '◀';
}

function symbol(event: TraceEvent): string {
  if (event.type === 'crashed') return '✗';
  if (event.type !== 'step') return '○';
  if (event.effects.some(({ type }) => type === 'lead')) return '▲';
  return event.effects.some(({ type }) => type === 'step-down') ? '▼' : '●';
}

/** In fewer words than a story: what the lines show, what is saved and what messages carry is left out. */
export function tellShortly(event: TraceEvent): string {
  if (event.type === 'lost') return `${event.from}→${event.to} ${event.message.type.toUpperCase()} is lost`;
  if (event.type !== 'step') return 'node' in event ? `${event.node} ${event.type}` : tell(event);
  const { node, input } = event;
  const cause =
    input.type === 'received'
      ? `${input.from}→${node} ${input.message.type.toUpperCase()}`
      : `${node} ${tellInput(input)}`;
  const effects = [...event.effects.flatMap(tellRole), ...tellSends(event.effects)].join(', ');
  return effects === '' ? cause : `${cause} => ${effects}`;
}

function tellRole(effect: AnyEffect): string[] {
  switch (effect.type) {
    case 'campaign':
      return ['campaigns'];
    case 'lead':
      return [`LEADS with ${effect.token}`];
    case 'follow':
      return [`follows ${effect.leaderId ?? 'nobody'}`];
    case 'step-down':
      return ['steps down'];
    default:
      return [];
  }
}

/** `ELECTION→n2 n3` */
function tellSends(effects: readonly AnyEffect[]): string[] {
  const receivers = new Map<string, NodeId[]>();
  for (const effect of effects) {
    if (effect.type !== 'send') continue;
    const type = effect.message.type.toUpperCase();
    receivers.set(type, [...(receivers.get(type) ?? []), effect.to]);
  }
  return [...receivers].map(([type, nodes]) => `${type}→${nodes.join(' ')}`);
}

function centred(text: string, width: number): string {
  const left = Math.floor((width - text.length) / 2);
  return `${' '.repeat(Math.max(0, left))}${text}`.padEnd(width);
}
