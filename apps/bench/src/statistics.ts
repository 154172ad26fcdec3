/** How a measured quantity was spread. */
export interface Summary {
  readonly min: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly mean: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Null when there is nothing to summarise: a zero would read like a very good result.
 *
 * Quantiles are nearest-rank: p95 is the smallest sample that at least 95 % of the samples do not exceed. It
 * is always a value that was measured, never one between two of them.
 */
export function summarise(samples: readonly number[]): Summary | null {
  if (samples.length === 0) return null;
  const sorted = [...samples].sort((a, b) => a - b);
  const sum = samples.reduce((total, sample) => total + sample, 0);
  return {
    min: rounded(sorted[0]!),
    p25: rounded(quantile(sorted, 25)),
    p50: rounded(quantile(sorted, 50)),
    p75: rounded(quantile(sorted, 75)),
    mean: rounded(sum / samples.length),
    p95: rounded(quantile(sorted, 95)),
    p99: rounded(quantile(sorted, 99)),
    max: rounded(sorted.at(-1)!),
  };
}

function quantile(sorted: readonly number[], percent: number): number {
  // Multiplied before it is divided: 0.95 × 20 is a little more than 19 in floating point.
  const rank = Math.max(1, Math.ceil((percent * sorted.length) / 100));
  return sorted[rank - 1]!;
}

/** To three decimals: milliseconds to the microsecond. Finer digits are noise, and differ between machines. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
