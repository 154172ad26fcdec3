import { formatTrace, type TraceEvent } from './trace.js';

/** Where two runs that should be one part ways. */
export interface Divergence {
  /** How many events they have in common. */
  readonly index: number;
  /** Null when this run ended there. */
  readonly first: TraceEvent | null;
  readonly second: TraceEvent | null;
}

/** The first event in which two traces differ; null when they are the same, byte for byte. */
export function findDivergence(
  first: readonly TraceEvent[],
  second: readonly TraceEvent[],
): Divergence | null {
  const length = Math.max(first.length, second.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [first[index] ?? null, second[index] ?? null];
    if (a === null || b === null || formatTrace([a]) !== formatTrace([b]))
      return { index, first: a, second: b };
  }
  return null;
}
