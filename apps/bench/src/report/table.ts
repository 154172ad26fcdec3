import { wrapped } from '@hustings/command';
import { type Column, columnsOf, describeRun, footnotes, verdictsByAlgorithm } from './presentation.js';
import type { Results, Row } from './results.js';

export interface TableStyle {
  readonly colour: boolean;
  readonly columns: number;
}

/** Colour only where a person sees it, and not where one has asked for none (no-color.org). */
export function wantsColour(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const { NO_COLOR: noColour = '', TERM: terminal } = environment;
  return stream.isTTY === true && noColour === '' && terminal !== 'dumb';
}

const mostColumns = 120;

/** The table as it is printed after a run: as wide as the terminal or 120 columns, if need be without the lesser figures. */
export function renderTable(results: Results, style: TableStyle): string {
  const room = Math.min(style.columns, mostColumns);
  let shown = columnsOf(results.rows).filter(({ reportOnly }) => !reportOnly);
  let lines = renderLines(results, shown, style);
  while (lines.width > room) {
    const least = Math.max(0, ...shown.map(({ dispensable = 0 }) => dispensable));
    if (least === 0) break;
    shown = shown.filter(({ dispensable }) => dispensable !== least);
    lines = renderLines(results, shown, style);
  }
  const verdicts = verdictsByAlgorithm(results).map(({ algorithm, verdict }) => `${algorithm}: ${verdict}`);
  return [
    ...lines.text,
    '',
    ...[describeRun(results), ...footnotes(results), ...verdicts].map((sentence) => wrapped(sentence, room)),
    '',
  ].join('\n');
}

function renderLines(results: Results, columns: readonly Column[], style: TableStyle) {
  const widths = columns.map((column) =>
    Math.max(column.heading.length, ...results.rows.map((row) => column.cell(row).length)),
  );
  const groups = groupsOf(columns, widths);
  const paint = (text: string, code: string) => (style.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const line = (cell: (column: Column, width: number) => string) =>
    groups
      .map(({ members }) => members.map((index) => cell(columns[index]!, widths[index]!)).join(' '))
      .join(gap);
  const text = [
    groups
      .map(({ name, width }) => paint(name.padEnd(width), bold))
      .join(gap)
      .trimEnd(),
    line((column, width) => paint(pad(column.heading, width, column), dim)),
    ...results.rows.flatMap((row, index) => [
      // A line of air between electors, for the eye.
      ...(index > 0 && results.rows[index - 1]!.algorithm !== row.algorithm ? [''] : []),
      line((column, width) => paintCell(column, row, width, paint)),
    ]),
  ];
  const width = groups.reduce((sum, group) => sum + group.width + gap.length, -gap.length);
  return { text, width };
}

const gap = '  ';
const bold = '1';
const dim = '2';
const yellow = '33';

function paintCell(
  column: Column,
  row: Row,
  width: number,
  paint: (text: string, code: string) => string,
): string {
  const text = pad(column.cell(row), width, column);
  return column.alarming?.(row) ? paint(text, yellow) : text;
}

function pad(text: string, width: number, { align }: Column): string {
  return align === 'left' ? text.padEnd(width) : text.padStart(width);
}

/** Neighbouring columns of one group share a heading. Widens the last of them where the heading needs more room. */
function groupsOf(
  columns: readonly Column[],
  widths: number[],
): { name: string; members: number[]; width: number }[] {
  const groups: { name: string; members: number[]; width: number }[] = [];
  columns.forEach(({ group }, index) => {
    const last = groups.at(-1);
    if (last !== undefined && last.name === group) last.members.push(index);
    else groups.push({ name: group, members: [index], width: 0 });
  });
  for (const group of groups) {
    const width = group.members.reduce((sum, index) => sum + widths[index]! + 1, -1);
    group.width = Math.max(width, group.name.length);
    widths[group.members[0]!]! += group.width - width;
  }
  return groups;
}
