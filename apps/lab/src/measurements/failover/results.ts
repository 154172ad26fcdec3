/** What is written down of each row, and how it is printed. */

import { type Summary, summarise } from '@hustings/bench/statistics';
import type { MessageCount } from './messages.js';
import type { Fault, Trial } from './team.js';
import type { Verdict } from './terms.js';

/** Names a row: what was measured, and how often. */
export interface RowName {
  readonly elector: string;
  /** What it was given for faster failover; null for nothing. */
  readonly means: string | null;
  readonly isOurs: boolean;
  readonly settings: Readonly<Record<string, number | readonly number[]>>;
  readonly fault: Fault;
  readonly trials: number;
}

export interface Row extends RowName {
  /** Null where candidates do not say when they lead no longer. */
  readonly overlaps: number | null;
  readonly longestOverlapMs: number | null;
  readonly lostWithoutCause: number | null;
  readonly failoverMs: Summary;
  /**
   * Medians, from the fault until all who are well agree. Of other people's, frames between them and their server until
   * another leads. Null where that cannot be counted.
   */
  readonly messages: MessageCount | null;
  /** While nothing happens, of all three together; null where that cannot be counted. */
  readonly idlePerSecond: number | null;
  /** Of the machine, when the row was done. */
  readonly load: number;
  readonly everyMs: readonly number[];
}

export interface Results {
  readonly nodes: number;
  readonly machine: { readonly node: string; readonly cpus: number };
  readonly commit: string | null;
  readonly complete: boolean;
  readonly rows: readonly Row[];
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

export function rowOf(
  name: Omit<RowName, 'trials'>,
  trials: readonly Trial[],
  verdict: Verdict | null,
  idlePerSecond: number | null,
  load: number,
): Row {
  const counts = trials.flatMap(({ messages }) => messages ?? []);
  const median = (values: readonly (number | null)[]): number | null =>
    summarise(values.filter((value) => value !== null))?.p50 ?? null;
  const total = median(counts.map((count) => count.total));
  return {
    ...name,
    trials: trials.length,
    overlaps: verdict?.overlaps ?? null,
    longestOverlapMs:
      verdict === null || verdict.longestOverlapMs === null ? null : tenths(verdict.longestOverlapMs),
    lostWithoutCause: verdict?.lostWithoutCause ?? null,
    failoverMs: summarise(trials.map(({ failoverMs }) => failoverMs))!,
    messages: total === null ? null : { election: median(counts.map(({ election }) => election)), total },
    idlePerSecond: idlePerSecond === null ? null : tenths(idlePerSecond),
    load: tenths(load),
    everyMs: trials.map(({ failoverMs }) => tenths(failoverMs)),
  };
}

/** Whether this is the row of that name, measured as often. */
export function isRow(row: RowName, name: RowName): boolean {
  const key = ({ elector, means, settings, fault, trials }: RowName): string =>
    JSON.stringify([elector, means, settings, fault, trials]);
  return key(row) === key(name);
}

// ---- Printed ------------------------------------------------------------------------------------------

const headings = ['elector', 'fault', 'trials', 'two', 'lost', 'median', 'p95', 'max', 'msgs', 'idle/s'];

/** Above a second, milliseconds are noise. */
const time = (ms: number): string => (ms < 1000 ? ms.toFixed(1) : ms.toFixed(0));
const orNone = (value: number | null): string => (value === null ? '–' : `${value}`);

export const titleOf = ({ elector, means }: Pick<RowName, 'elector' | 'means'>): string =>
  means === null ? elector : `${elector}, ${means}`;

function cellsOf(row: Row): string[] {
  return [
    titleOf(row),
    row.fault,
    `${row.trials}`,
    orNone(row.overlaps),
    orNone(row.lostWithoutCause),
    time(row.failoverMs.p50),
    time(row.failoverMs.p95),
    time(row.failoverMs.max),
    orNone(row.messages?.election ?? null),
    orNone(row.idlePerSecond),
  ];
}

/** At most 80 columns. Times in ms. */
export function tableOf(rows: readonly Row[]): string {
  const lines = [headings, ...rows.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const words = 2;
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column < words ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
        )
        .join(' ')
        .trimEnd(),
    )
    .join('\n');
}
