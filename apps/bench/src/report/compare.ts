/** Two results files side by side: what changed by more than chance would. */

import { readFile } from 'node:fs/promises';
import { UsageError } from '@hustings/command';
import type { Summary } from '../statistics.js';
import { nameOf } from './charts.js';
import type { Results, Row } from './results.js';

export interface Change {
  /** `raft, 5 nodes, crash`. */
  readonly row: string;
  readonly quantity: string;
  readonly before: number | null;
  readonly after: number | null;
  /** How far the two could be apart by chance; null where any difference counts. */
  readonly noise: number | null;
}

export interface Comparison {
  readonly compared: number;
  readonly changes: readonly Change[];
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
}

/**
 * A median has changed when the notches of the two box plots do not overlap: 1.57 times the interquartile range
 * by the root of the samples, on either side, which holds 95 % of medians drawn alike (McGill, Tukey and Larsen,
 * 1978). A share of trials has changed when it moved by more than two standard errors.
 */
const notchWidth = 1.57;
const standardErrors = 2;
/** What is smaller than this share of the median is no change that anybody would notice. */
const leastShare = 0.01;

export function compareResults(before: Results, after: Results): Comparison {
  const [old, young] = [byName(before), byName(after)];
  const common = [...old.keys()].filter((name) => young.has(name));
  return {
    compared: common.length,
    changes: common.flatMap((name) => compareRows(name, old.get(name)!, young.get(name)!)),
    onlyBefore: [...old.keys()].filter((name) => !young.has(name)),
    onlyAfter: [...young.keys()].filter((name) => !old.has(name)),
  };
}

const byName = ({ rows }: Results): Map<string, Row> =>
  new Map(rows.map((row) => [`${nameOf(row)}, ${row.nodes} nodes, ${row.fault}`, row]));

const medians: Readonly<Record<string, (row: Row) => Summary | null>> = {
  'detection ms': (row) => row.detectionMs,
  'failover ms': (row) => row.failoverMs,
  'next write ms': (row) => row.nextWriteMs,
  'agreed ms': (row) => row.convergenceMs,
  'messages until the next one leads': (row) => row.messages.failover,
  'messages until all agree': (row) => row.messages.election,
};

const shares: Readonly<Record<string, (row: Row) => number>> = {
  'unresolved trials': (row) => row.unresolved,
  'trials with two leaders': (row) => row.splitBrain.trialsAffected,
};

function compareRows(row: string, before: Row, after: Row): Change[] {
  const ofMedians = Object.entries(medians).flatMap(([quantity, pick]): Change[] => {
    const [a, b] = [pick(before), pick(after)];
    if (a === null && b === null) return [];
    if (a === null || b === null) {
      return [{ row, quantity, before: a?.p50 ?? null, after: b?.p50 ?? null, noise: null }];
    }
    const noise = Math.max(notch(a, before) + notch(b, after), leastShare * a.p50);
    if (Math.abs(b.p50 - a.p50) <= noise) return [];
    return [{ row, quantity, before: a.p50, after: b.p50, noise }];
  });
  const ofShares = Object.entries(shares).flatMap(([quantity, pick]): Change[] => {
    const [a, b] = [pick(before) / before.trials, pick(after) / after.trials];
    const pooled = (pick(before) + pick(after)) / (before.trials + after.trials);
    const spread = Math.sqrt(pooled * (1 - pooled) * (1 / before.trials + 1 / after.trials));
    const noise = standardErrors * spread;
    return Math.abs(b - a) > noise
      ? [{ row, quantity: `share of ${quantity}`, before: a, after: b, noise }]
      : [];
  });
  return [...ofMedians, ...ofShares, ...compareFencing(row, before, after)];
}

/** One stale write in a fenced store is one too many, whatever chance would say. */
function compareFencing(row: string, { writes: before }: Row, { writes: after }: Row): Change[] {
  if (before.staleAcceptedFenced === 0 && after.staleAcceptedFenced === 0) return [];
  if (before.staleAcceptedFenced > 0 && after.staleAcceptedFenced > 0) return [];
  const quantity = 'stale writes accepted by the fenced store';
  return [
    { row, quantity, before: before.staleAcceptedFenced, after: after.staleAcceptedFenced, noise: null },
  ];
}

function notch({ p25, p75 }: Summary, { trials, unresolved, kept }: Row): number {
  return (notchWidth * (p75 - p25)) / Math.sqrt(Math.max(1, trials - unresolved - kept));
}

export function renderComparison({ compared, changes, onlyBefore, onlyAfter }: Comparison): string {
  const figure = (value: number | null): string =>
    value === null ? 'none' : Number.isInteger(value) ? `${value}` : value.toPrecision(3);
  const lines = changes.map(({ row, quantity, before, after, noise }) => {
    const chance = noise === null ? '' : ` (chance explains ${figure(noise)})`;
    return `${row}: ${quantity} ${figure(before)} → ${figure(after)}${chance}`;
  });
  const verdict =
    changes.length === 0
      ? `Nothing changed beyond noise in ${compared} rows.`
      : `${changes.length} figures of ${compared} rows changed beyond noise.`;
  return [
    ...lines,
    verdict,
    ...(onlyBefore.length === 0 ? [] : [`Only in the first file: ${onlyBefore.join('; ')}.`]),
    ...(onlyAfter.length === 0 ? [] : [`Only in the second file: ${onlyAfter.join('; ')}.`]),
    '',
  ].join('\n');
}

/** Throws `UsageError` for a file that is none of the benchmark's. */
export async function readResults(file: string): Promise<Results> {
  try {
    const results = JSON.parse(await readFile(file, 'utf8')) as Results;
    if (results.schema === 'hustings-bench/1' && Array.isArray(results.rows)) return results;
  } catch (error) {
    throw new UsageError(`Could not read ${file} (${(error as Error).message}); name a results.json.`);
  }
  throw new UsageError(`${file} holds no results of this benchmark; name a results.json.`);
}

/** `bench compare A.json B.json [--json]`. */
export async function runCompare(parameters: readonly string[]): Promise<string> {
  const files = parameters.filter((parameter) => parameter !== '--json');
  const [first, second] = files;
  if (first === undefined || second === undefined || files.length > 2) {
    throw new UsageError('compare takes two files; write npm run bench -- compare A.json B.json.');
  }
  const comparison = compareResults(await readResults(first), await readResults(second));
  return parameters.includes('--json')
    ? `${JSON.stringify(comparison, null, 2)}\n`
    : renderComparison(comparison);
}
