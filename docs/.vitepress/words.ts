/** A time as a sentence or a table has it. */
export const inWords = (ms: number): string =>
  ms >= 1000 ? `${Number((ms / 1000).toFixed(2))} s` : `${Number(ms.toPrecision(ms < 100 ? 2 : 3))} ms`;
