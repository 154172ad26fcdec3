/** The part of a results file that is committed to docs/data: what the comparison is made from, a row a line. */

import type { Configuration } from '@hustings/catalogue';
import type { Summary } from '../statistics.js';
import { nameOf } from './charts.js';
import type { Results, Row } from './results.js';

type Quantiles = Pick<Summary, 'p50' | 'p99'> | null;

export interface DigestRow
  extends Pick<
    Row,
    'algorithm' | 'variant' | 'peer' | 'nodes' | 'fault' | 'trials' | 'unresolved' | 'kept' | 'writes'
  > {
  readonly detectionMs: Quantiles;
  readonly failoverMs: Quantiles;
  readonly nextWriteMs: Quantiles;
  readonly convergenceMs: Quantiles;
  /** Medians, and the idle rate. */
  readonly messages: {
    readonly failover: number | null;
    readonly election: number | null;
    readonly steadyPerSecond: number | null;
    /** The same on the wire between nodes and servers; absent where nobody counted. */
    readonly wire?: { readonly failover: number | null; readonly steadyPerSecond: number | null };
  };
  readonly splitBrain: {
    readonly incidents: number;
    readonly trialsAffected: number;
    readonly longestMs: number | null;
  };
  readonly replay: string | null;
}

export interface Digest
  extends Pick<
    Results,
    'schema' | 'mode' | 'seed' | 'profile' | 'budgetMs' | 'commit' | 'machine' | 'wallMs'
  > {
  /** What each variant was configured with, by its name; absent if it was not kept. */
  readonly settings?: Readonly<Record<string, Configuration>>;
  readonly rows: readonly DigestRow[];
}

export function digest(results: Results): Digest {
  const { schema, mode, seed, profile, budgetMs, commit, machine, wallMs, rows } = results;
  const settings = Object.fromEntries(rows.map((row) => [nameOf(row), row.parameters]));
  const head = { schema, mode, seed, profile, budgetMs, commit, machine, wallMs };
  return { ...head, settings, rows: rows.map(digestRow) };
}

function digestRow(row: Row): DigestRow {
  const { algorithm, variant, nodes, fault, trials, unresolved, kept, writes, replay, splitBrain } = row;
  const { failover, election, steadyPerSecond, wire } = row.messages;
  return {
    ...{ algorithm, variant, ...(row.peer ? { peer: row.peer } : {}) },
    ...{ nodes, fault, trials, unresolved, kept },
    detectionMs: quantiles(row.detectionMs),
    failoverMs: quantiles(row.failoverMs),
    nextWriteMs: quantiles(row.nextWriteMs),
    convergenceMs: quantiles(row.convergenceMs),
    messages: {
      ...{ failover: failover?.p50 ?? null, election: election?.p50 ?? null, steadyPerSecond },
      ...(wire == null
        ? {}
        : { wire: { failover: wire.failover?.p50 ?? null, steadyPerSecond: wire.steadyPerSecond } }),
    },
    splitBrain: {
      incidents: splitBrain.incidents,
      trialsAffected: splitBrain.trialsAffected,
      longestMs: splitBrain.overlapMs?.max ?? null,
    },
    writes,
    replay,
  };
}

const quantiles = (summary: Summary | null): Quantiles =>
  summary === null ? null : { p50: summary.p50, p99: summary.p99 };

/** A row a line: small, and a change shows as the rows that changed. */
export function serialiseDigest({ rows, ...head }: Digest): string {
  const opening = JSON.stringify(head, null, 2).slice(0, -2);
  return `${opening},\n  "rows": [\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]\n}\n`;
}
