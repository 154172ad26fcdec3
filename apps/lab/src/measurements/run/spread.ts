export interface Spread {
  readonly minMs: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (index: number): number => Math.round((sorted[index] ?? Number.NaN) * 10) / 10;
  return { minMs: at(0), medianMs: at(Math.floor(sorted.length / 2)), maxMs: at(sorted.length - 1) };
}
