/**
 * A run as an SVG space-time diagram: a line for each node, time running down, messages as arrows. A row for each
 * event rather than a scale: in an election milliseconds matter, and between two elections seconds do not.
 *
 * What the witnesses follow from, their causal past, stands out; what they could not know of is pale.
 */

import type { NodeId } from '@hustings/elector';
import { type Life, matchMessages, type Row, toRows } from './lifelines.js';
import { type DrawingOptions, tellShortly } from './space-time.js';
import type { TraceEvent } from './trace.js';
import { causalPast } from './witnesses.js';

export interface DiagramOptions extends DrawingOptions {
  readonly title: string;
  /** What is to be seen, for those who cannot see it. */
  readonly description: string;
}

const rowHeight = 24;
const top = 76;
const firstColumn = 110;
const columnGap = 96;
const textGap = 52;
const letterWidth = 7.3;

const style = `
  :root { color-scheme: light dark; --ink: #1f2430; --soft: #6b7280; --line: #9aa3b2; --paper: #ffffff; --lead: #d97706; --message: #2563eb; --bad: #dc2626; --shade: #e5e7eb; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e8eaf0; --soft: #9aa3b2; --line: #6b7280; --paper: #14171f; --lead: #f59e0b; --message: #7aa7ff; --bad: #f87171; --shade: #2b3140; } }
  svg { background: var(--paper); font: 12px ui-monospace, Menlo, Consolas, monospace; fill: var(--ink); }
  .title { font: 600 15px system-ui, sans-serif; }
  .node { font: 600 13px system-ui, sans-serif; text-anchor: middle; }
  .time { fill: var(--soft); text-anchor: end; }
  .follows { stroke: var(--line); stroke-width: 1.5; }
  .leads { stroke: var(--lead); stroke-width: 6; }
  .paused { stroke: var(--line); stroke-width: 12; stroke-dasharray: 2 4; opacity: 0.6; }
  .crashed { stroke: var(--shade); stroke-width: 12; }
  .message { stroke: var(--message); stroke-width: 1.5; fill: none; }
  .head { fill: var(--message); }
  .lost { stroke: var(--bad); stroke-dasharray: 3 3; }
  .cross { stroke: var(--bad); stroke-width: 2; }
  .event { fill: var(--paper); stroke: var(--ink); stroke-width: 1.5; }
  .world { fill: var(--bad); }
  .witness { fill: var(--bad); stroke: var(--bad); }
  .number { fill: var(--paper); font: 700 11px system-ui, sans-serif; text-anchor: middle; }
  .strong { font-weight: 700; }
  .pale { opacity: 0.35; }`;

export function drawDiagram(trace: readonly TraceEvent[], options: DiagramOptions): string {
  return new Diagram(trace, options).toString();
}

class Diagram {
  readonly #options: DiagramOptions;
  readonly #rows: readonly Row[];
  readonly #senders: ReadonlyMap<number, number>;
  readonly #past: ReadonlySet<TraceEvent>;
  /** The row of an event, by its sequence. */
  readonly #rowOf: ReadonlyMap<number, number>;

  constructor(trace: readonly TraceEvent[], options: DiagramOptions) {
    this.#options = options;
    this.#rows = toRows(trace, options.nodes, options.periodicMessages);
    this.#senders = matchMessages(trace);
    this.#past = causalPast(options.witnesses ?? [], trace);
    this.#rowOf = new Map(this.#rows.map(({ event }, row) => [event.sequence, row]));
  }

  toString(): string {
    const { title, description, nodes } = this.#options;
    const texts = this.#rows.map(({ event }) => tellShortly(event));
    const width = Math.ceil(
      this.#textX + letterWidth * Math.max(40, ...texts.map(({ length }) => length)) + 24,
    );
    const height = this.#y(this.#rows.length) + 12;
    return `${[
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">`,
      `<title id="title">${escaped(title)}</title>`,
      `<desc id="description">${escaped(description)}</desc>`,
      `<style>${style}\n</style>`,
      `<text class="title" x="16" y="28">${escaped(title)}</text>`,
      ...nodes.map((id) => `<text class="node" x="${this.#x(id)}" y="${top - 20}">${escaped(id)}</text>`),
      ...nodes.flatMap((_, index) => this.#drawLife(index)),
      ...this.#rows.flatMap((row, index) => this.#drawMessage(row, index)),
      ...this.#rows.map((row, index) => this.#drawEvent(row, index, texts[index]!)),
      '</svg>',
    ].join('\n')}\n`;
  }

  /** One stroke for each stretch in which the node's life stays the same. */
  #drawLife(column: number): string[] {
    const strokes: string[] = [];
    const x = firstColumn + column * columnGap;
    let since = top - 10;
    let life: Life = 'follows';
    const stroke = (until: number): void => {
      if (until > since)
        strokes.push(`<line class="${life}" x1="${x}" y1="${since}" x2="${x}" y2="${until}"/>`);
      since = until;
    };
    for (const [row, { lives }] of this.#rows.entries()) {
      if (lives[column] === life) continue;
      stroke(this.#y(row));
      life = lives[column]!;
    }
    stroke(this.#y(this.#rows.length) - 4);
    return strokes;
  }

  #drawMessage({ event }: Row, row: number): string[] {
    const link = linkOf(event);
    if (link === null || !this.#knows(link.from) || !this.#knows(link.to)) return [];
    const sender = this.#senders.get(event.sequence);
    const sentRow = sender === undefined ? undefined : this.#rowOf.get(sender);
    const [x1, x2] = [this.#x(link.from), this.#x(link.to)];
    // A heartbeat that mattered was sent in a row that is not drawn: its arrow comes from just above.
    const y1 = sentRow === undefined ? this.#y(row) - rowHeight / 2 : this.#y(sentRow);
    const y2 = this.#y(row);
    if (event.type === 'lost') return [this.#drawLost(x1, y1, x2, y2)];
    return [`<g class="${this.#paleness(event)}">${arrow(x1, y1, x2, y2)}</g>`];
  }

  #drawLost(x1: number, y1: number, x2: number, y2: number): string {
    const x = x1 + (x2 - x1 > 0 ? 1 : -1) * columnGap * 0.45;
    const y = y1 === y2 ? y1 : y1 + ((y2 - y1) * Math.abs(x - x1)) / Math.abs(x2 - x1);
    return `<path class="message lost" d="M${x1} ${y1}L${x} ${y}"/><path class="cross" d="M${x - 4} ${y - 4}l8 8m0-8l-8 8"/>`;
  }

  #drawEvent({ event }: Row, row: number, text: string): string {
    const y = this.#y(row);
    const witness = this.#options.witnesses?.indexOf(event) ?? -1;
    const isOfWorld = !('node' in event);
    const textClass = isOfWorld ? 'world' : witness === -1 ? '' : 'strong';
    const parts = [
      `<text class="time" x="${firstColumn - 44}" y="${y + 4}">${event.atMs.toFixed(1)}</text>`,
      `<text class="${textClass}" x="${this.#textX}" y="${y + 4}">${escaped(text)}</text>`,
    ];
    if (!isOfWorld && this.#knows(event.node)) parts.push(mark(this.#x(event.node), y, witness));
    return `<g class="${isOfWorld ? '' : this.#paleness(event)}">${parts.join('')}</g>`;
  }

  #paleness(event: TraceEvent): string {
    return this.#past.size === 0 || this.#past.has(event) ? '' : 'pale';
  }

  #knows(id: NodeId): boolean {
    return this.#options.nodes.includes(id);
  }

  #x(id: NodeId): number {
    return firstColumn + this.#options.nodes.indexOf(id) * columnGap;
  }

  #y(row: number): number {
    return top + row * rowHeight;
  }

  get #textX(): number {
    return firstColumn + (this.#options.nodes.length - 1) * columnGap + textGap;
  }
}

function linkOf(event: TraceEvent): { readonly from: NodeId; readonly to: NodeId } | null {
  if (event.type === 'lost') return event;
  return event.type === 'step' && event.input.type === 'received'
    ? { from: event.input.from, to: event.node }
    : null;
}

function mark(x: number, y: number, witness: number): string {
  if (witness === -1) return `<circle class="event" cx="${x}" cy="${y}" r="4.5"/>`;
  return `<circle class="witness" cx="${x}" cy="${y}" r="9"/><text class="number" x="${x}" y="${y + 4}">${witness + 1}</text>`;
}

/** Ends at the rim of the receiver's circle. */
function arrow(x1: number, y1: number, x2: number, y2: number): string {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [tipX, tipY] = [x2 - 6 * dx, y2 - 6 * dy];
  const [baseX, baseY] = [tipX - 9 * dx, tipY - 9 * dy];
  const corners = [
    [tipX, tipY],
    [baseX - 4 * dy, baseY + 4 * dx],
    [baseX + 4 * dy, baseY - 4 * dx],
  ].map((corner) => corner.map(short).join(' '));
  return `<path class="message" d="M${x1} ${y1}L${short(baseX)} ${short(baseY)}"/><path class="head" d="M${corners.join('L')}Z"/>`;
}

const short = (value: number): string => String(Math.round(value * 10) / 10);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
