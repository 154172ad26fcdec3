/** Charts as plain SVG: nothing to load, nothing to run. Colours come from the page, for light, dark and print. */

import type { Summary } from '../statistics.js';
import { escapeHtml } from './html.js';
import type { Row, WorstOverlap } from './results.js';

export interface Chart {
  readonly title: string;
  /** How to read it. */
  readonly legend: string;
  readonly svg: string;
  /** The same in words, for those who do not see it. */
  readonly words: readonly string[];
}

const width = 960;
const labelWidth = 190;
const plotWidth = width - labelWidth - 90;
const lineHeight = 22;

export const nameOf = ({ algorithm, variant }: Pick<Row, 'algorithm' | 'variant'>): string =>
  variant === 'default' ? algorithm : `${algorithm}/${variant}`;

export const duration = (ms: number): string => {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`;
};

/** How long it took until somebody led again: a box for each row of one cluster size, on a logarithmic axis. */
export function drawFailovers(rows: readonly Row[], nodes: number): Chart | null {
  const drawn = rows.filter((row) => row.nodes === nodes && row.failoverMs !== null);
  if (drawn.length === 0) return null;
  const faults = [...new Set(drawn.map(({ fault }) => fault))];
  const x = logarithmic(
    Math.min(...drawn.map(({ failoverMs }) => failoverMs!.min)),
    Math.max(...drawn.map(({ failoverMs }) => failoverMs!.max)),
  );
  let y = 34;
  const parts: string[] = [];
  for (const fault of faults) {
    parts.push(text(0, y, fault, 'heading'));
    y += 6;
    for (const row of drawn.filter((each) => each.fault === fault)) {
      y += lineHeight;
      parts.push(text(labelWidth - 12, y, nameOf(row), 'label end'));
      parts.push(box(row.algorithm, row.failoverMs!, x, y - 5));
      parts.push(text(labelWidth + x(row.failoverMs!.max) + 8, y, duration(row.failoverMs!.p50), 'value'));
    }
    y += lineHeight + 8;
  }
  const upright = (value: number, kind: string) => {
    const at = (labelWidth + x(value)).toFixed(1);
    return `<line class="${kind}" x1="${at}" x2="${at}" y1="20" y2="${y - 14}"/>`;
  };
  const axis = [
    ...x.minorTicks.map((tick) => upright(tick, 'grid minor')),
    ...x.ticks.map(
      (tick) => upright(tick, 'grid') + text(labelWidth + x(tick), 12, round(tick), 'tick middle'),
    ),
    ...x.labelledMinorTicks.map((tick) => text(labelWidth + x(tick), 12, round(tick), 'tick middle')),
  ];
  return {
    title: `Failover with ${nodes} nodes: from the fault until a new leader begins`,
    legend:
      'Each line reaches from the fastest trial to the slowest, the box holds the middle half of them, and the bold stroke and the figure are the median. The axis is logarithmic.',
    svg: frame(y, [...axis, ...parts].join('\n')),
    words: drawn.map(({ fault, failoverMs, ...row }) => {
      const { min, p50, p99, max } = failoverMs!;
      return `${nameOf(row)}, ${fault}: half within ${duration(p50)}, 99 % within ${duration(p99)}; from ${duration(min)} to ${duration(max)}.`;
    }),
  };
}

/** Whiskers from the least to the most, a box for the middle half, a stroke for the median. */
function box(algorithm: string, { min, p25, p50, p75, max }: Summary, x: Scale, y: number): string {
  const at = (value: number) => (labelWidth + x(value)).toFixed(1);
  const boxWidth = Math.max(2, x(p75) - x(p25)).toFixed(1);
  return [
    `<g class="of-${algorithm}">`,
    `<line class="whisker" x1="${at(min)}" x2="${at(max)}" y1="${y}" y2="${y}"/>`,
    `<rect class="box" x="${at(p25)}" y="${y - 6}" width="${boxWidth}" height="12" rx="2"/>`,
    `<line class="median" x1="${at(p50)}" x2="${at(p50)}" y1="${y - 8}" y2="${y + 8}"/>`,
    '</g>',
  ].join('');
}

/** Messages until the next one leads, against the size of the cluster; both axes logarithmic. */
export function drawMessages(rows: readonly Row[], fault: string): Chart | null {
  const drawn = rows.filter((row) => row.fault === fault && row.messages.failover !== null);
  const sizes = [...new Set(drawn.map(({ nodes }) => nodes))].sort((a, b) => a - b);
  const names = [...new Set(drawn.map(nameOf))];
  if (sizes.length < 2) return null;
  const count = (row: Row) => Math.max(1, row.messages.failover!.p50);
  const height = 380;
  const x = logarithmic(sizes[0]!, sizes.at(-1)!, plotWidth);
  const y = logarithmic(1, Math.max(...drawn.map(count)), height - 60);
  const down = (value: number) => height - 30 - y(value);
  const grid = [
    ...y.ticks.map(
      (tick) =>
        `<line class="grid" x1="70" x2="${70 + plotWidth}" y1="${down(tick).toFixed(1)}" y2="${down(tick).toFixed(1)}"/>${text(62, down(tick) + 4, grouped(tick), 'tick end')}`,
    ),
    ...sizes.map((size) => text(70 + x(size), height - 8, `${size}`, 'tick middle')),
    text(0, 12, 'messages', 'tick'),
    text(78 + plotWidth, height - 8, 'nodes', 'tick'),
  ];
  const ends = names.map((name) => {
    const own = drawn.filter((row) => nameOf(row) === name);
    return { name, own, endY: down(count(own.at(-1)!)) };
  });
  const labels = spread(ends.map(({ endY }) => endY));
  const lines = ends.map(({ name, own }, index) => {
    const points = own.map((row) => `${(70 + x(row.nodes)).toFixed(1)},${down(count(row)).toFixed(1)}`);
    const dashed = own[0]!.variant === 'default' ? '' : ' variant';
    return [
      `<g class="of-${own[0]!.algorithm}"><polyline class="curve${dashed}" points="${points.join(' ')}"/>`,
      ...points.map(
        (point) => `<circle class="dot" cx="${point.split(',')[0]}" cy="${point.split(',')[1]}" r="3"/>`,
      ),
      `${text(78 + plotWidth, labels[index]! + 4, name, 'series')}</g>`,
    ].join('');
  });
  return {
    title: `Messages until the next one leads, against the number of nodes: ${fault}`,
    legend:
      'Medians, without heartbeats and keep-alives. Both axes are logarithmic: a level line costs the same at any size, and a line twice as steep as another grows with the square. Variants are dashed.',
    svg: frame(height, [...grid, ...lines].join('\n')),
    words: ends.map(
      ({ name, own }) =>
        `${name}: ${own.map((row) => `${grouped(row.messages.failover!.p50)} with ${row.nodes} nodes`).join(', ')}.`,
    ),
  };
}

/** Keeps labels a line apart, in their order. */
function spread(positions: readonly number[]): number[] {
  const order = positions.map((_, index) => index).sort((a, b) => positions[a]! - positions[b]!);
  const placed = [...positions];
  order.forEach((index, rank) => {
    const above = order[rank - 1];
    if (above !== undefined) placed[index] = Math.max(placed[index]!, placed[above]! + 15);
  });
  const overflow = Math.max(0, ...placed.map((position) => position - 360));
  return placed.map((position) => position - overflow);
}

/** Who led when in the worst split brain of all. */
export function drawOverlap(row: Row, worst: WorstOverlap): Chart {
  const nodes = [...new Set(worst.tenures.map(({ node }) => node))].sort();
  const endMs = Math.max(...worst.tenures.map(({ toMs }) => toMs));
  const x = (ms: number) => labelWidth + (ms / endMs) * plotWidth;
  const overlaps = overlapping(worst);
  const top = 26;
  const height = top + nodes.length * 30 + 12;
  const ticks = evenTicks(endMs);
  const parts = [
    ...overlaps.map(
      ([fromMs, toMs]) =>
        `<rect class="overlap" x="${x(fromMs).toFixed(1)}" y="${top - 6}" width="${(x(toMs) - x(fromMs)).toFixed(1)}" height="${nodes.length * 30 + 6}"/>`,
    ),
    ...ticks.map((tick) => text(x(tick), 12, tick === 0 ? 'fault' : round(tick), 'tick middle')),
    ...nodes.flatMap((node, index) => {
      const y = top + index * 30;
      return [
        text(labelWidth - 12, y + 15, `${node} leads`, 'label end'),
        ...worst.tenures
          .filter((tenure) => tenure.node === node)
          .map(
            ({ fromMs, toMs }) =>
              `<rect class="tenure" x="${x(fromMs).toFixed(1)}" y="${y}" width="${Math.max(1.5, x(toMs) - x(fromMs)).toFixed(1)}" height="20" rx="2"/>`,
          ),
      ];
    }),
  ];
  return {
    title: `The worst split brain: ${nameOf(row)}, ${row.nodes} nodes, ${row.fault}; two led at once for ${duration(worst.overlapMs)}`,
    legend: `Each bar is one Leadership; in the shaded time two were held at once.${worst.replay === null ? '' : ` To see it happen: npm run replay -- ${worst.replay}`}`,
    svg: frame(height, `<g class="of-${row.algorithm}">${parts.join('\n')}</g>`),
    words: worst.tenures.map(
      ({ node, fromMs, toMs }) =>
        `${node} led from ${duration(fromMs)} to ${duration(toMs)} after the fault.`,
    ),
  };
}

/** The times in which at least two led. */
function overlapping({ tenures }: WorstOverlap): [fromMs: number, toMs: number][] {
  const turns = tenures
    .flatMap(({ fromMs, toMs }) => [
      { atMs: fromMs, change: 1 },
      { atMs: toMs, change: -1 },
    ])
    .sort((a, b) => a.atMs - b.atMs || a.change - b.change);
  const found: [number, number][] = [];
  let leading = 0;
  let sinceMs = 0;
  for (const { atMs, change } of turns) {
    if (leading >= 2 && leading + change < 2) found.push([sinceMs, atMs]);
    if (leading < 2 && leading + change >= 2) sinceMs = atMs;
    leading += change;
  }
  return found;
}

/** At most eight, a whole 1, 2 or 5 apart. */
function evenTicks(end: number): number[] {
  const least = end / 8;
  const decade = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * decade).find((each) => each >= least)!;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}

const grouped = (value: number): string => value.toLocaleString('en-US');

/** A duration on an axis: 2 s rather than 2.00 s. */
const round = (ms: number): string =>
  duration(ms)
    .replace(/\.0+ /, ' ')
    .replace(/(\.\d*?)0+ /, '$1 ');

interface Scale {
  (value: number): number;
  readonly ticks: readonly number[];
  /** Between them: the 2 to 9 of each decade, of which some are labelled where the axis is short. */
  readonly minorTicks: readonly number[];
  readonly labelledMinorTicks: readonly number[];
}

/** An axis of fewer decades than this has room for more labels. */
const manyDecades = 4.5;

function logarithmic(least: number, most: number, span = plotWidth): Scale {
  const from = Math.log10(Math.max(0.1, least) * 0.9);
  const to = Math.max(from + 0.1, Math.log10(Math.max(0.1, most) * 1.05));
  const scale = (value: number) => ((Math.log10(Math.max(0.1, value)) - from) / (to - from)) * span;
  const decades = Array.from({ length: 8 }, (_, index) => 10 ** (index - 1));
  const isWithin = (tick: number) => Math.log10(tick) >= from && Math.log10(tick) <= to;
  const between = (factors: readonly number[]) =>
    decades.flatMap((decade) => factors.map((factor) => factor * decade)).filter(isWithin);
  return Object.assign(scale, {
    ticks: decades.filter(isWithin),
    minorTicks: between([2, 3, 4, 5, 6, 7, 8, 9]),
    labelledMinorTicks: to - from < manyDecades ? between([2, 5]) : [],
  });
}

function text(x: number, y: number, content: string, kind: string): string {
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y.toFixed(1)}">${escapeHtml(content)}</text>`;
}

const frame = (height: number, content: string): string =>
  `<svg viewBox="0 0 ${width} ${height}" role="presentation" aria-hidden="true">${content}</svg>`;
