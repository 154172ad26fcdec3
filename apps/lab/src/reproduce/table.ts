/** A published result, measured again. */
export interface Table {
  /** As scripts know it: `bully-messages`. */
  readonly name: string;
  /** What was published, and by what rules it is counted. */
  readonly describes: string;
  measure(): readonly Cell[];
}

export interface Cell {
  readonly cell: string;
  readonly published: number;
  readonly ours: number;
  /** How far ours may be from what was published. 0 where the count is exact. */
  readonly tolerance: number;
}

/** One line of what `reproduce` prints. */
export interface Comparison extends Cell {
  readonly table: string;
  readonly ok: boolean;
}

export function compare(tables: readonly Table[]): Comparison[] {
  return tables.flatMap((table) =>
    table.measure().map((cell) => ({
      table: table.name,
      ...cell,
      // A result that is not a number is no result.
      ok: Math.abs(cell.ours - cell.published) <= cell.tolerance,
    })),
  );
}

export const exact = (cell: string, published: number, ours: number): Cell => ({
  cell,
  published,
  ours,
  tolerance: 0,
});

export function renderComparisons(tables: readonly Table[], comparisons: readonly Comparison[]): string {
  const drifted = comparisons.filter(({ ok }) => !ok).length;
  return [
    ...tables.flatMap((table) => [
      `${table.name}: ${table.describes}`,
      ...renderCells(comparisons.filter((comparison) => comparison.table === table.name)),
      '',
    ]),
    drifted === 0
      ? `All ${comparisons.length} cells agree with what was published.`
      : `${drifted} of ${comparisons.length} cells have drifted from what was published.`,
    '',
  ].join('\n');
}

function renderCells(comparisons: readonly Comparison[]): string[] {
  const rows = [
    ['', 'published', 'ours', 'tolerance', ''],
    ...comparisons.map(({ cell, published, ours, tolerance, ok }) => [
      cell,
      rounded(published),
      rounded(ours),
      tolerance < smallestShown ? 'exact' : `± ${rounded(tolerance)}`,
      ok ? 'ok' : 'DRIFT',
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 || column === 4 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** Less is the arithmetic's, not ours. */
const smallestShown = 0.0005;

const rounded = (value: number): string => String(Math.round(value * 1000) / 1000);
