import type { Cell } from './table.js';

/** How far a correct figure may stray: once in 15,000 samples; with a fixed seed, never or always. */
export const standardErrors = 4;

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The quantile of values in rising order. */
export const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.max(0, Math.floor(share * sorted.length)))]!;

/** √(p(1−p)/n) in ranks, read off the sample as a time. */
export function errorOfQuantile(sorted: readonly number[], share: number): number {
  const ranks = Math.sqrt(share * (1 - share) * sorted.length) / sorted.length;
  return (at(sorted, share + ranks) - at(sorted, share - ranks)) / 2;
}

export function errorOfMean(values: readonly number[]): number {
  const average = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - average) ** 2)) / values.length);
}

/** What the printed figure leaves open: half of its last digit. */
const roundingOf = (printed: number): number => (Number.isInteger(printed) ? 0.5 : 0.05);

/** What was printed of a sample. */
export interface Published {
  readonly mean: number;
  readonly p50?: number;
  readonly p90: number;
  readonly p99: number;
}

export interface Leniency {
  /** Of how many trials what was printed comes, if not of as many as ours. */
  readonly publishedTrials?: number;
  /** How vague the printed figure is beyond its last digit. */
  readonly vaguenessOf?: (published: number) => number;
}

const quantiles = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;

/**
 * A cell for each figure that was printed. Both come from a sample, so the tolerance is that of their difference, where
 * the published sample may have been smaller than ours.
 */
export function cellsOf(
  name: string,
  times: readonly number[],
  published: Published,
  { publishedTrials = times.length, vaguenessOf = () => 0 }: Leniency = {},
): Cell[] {
  const sorted = [...times].sort((a, b) => a - b);
  const spread = Math.sqrt(1 + times.length / publishedTrials);
  const cell = (figure: string, value: number, ours: number, error: number): Cell => ({
    cell: `${name}: ${figure}`,
    published: value,
    ours,
    tolerance: standardErrors * spread * error + roundingOf(value) + vaguenessOf(value),
  });
  return [
    cell('mean', published.mean, mean(sorted), errorOfMean(sorted)),
    ...Object.entries(quantiles).flatMap(([figure, share]) => {
      const value = published[figure as keyof typeof quantiles];
      return value === undefined
        ? []
        : [cell(figure, value, at(sorted, share), errorOfQuantile(sorted, share))];
    }),
  ];
}
