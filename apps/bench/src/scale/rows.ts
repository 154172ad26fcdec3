/** What is written down of each number of elections, and how it is printed. The README defines each figure. */

import { rounded, type Summary, summarise } from '../statistics.js';
import { processesPerService, servicesOf, ttlSeconds, type Way } from './plan.js';
import type { ServiceOutcome } from './simulated.js';

export interface ScaleRow {
  readonly way: Way;
  /**
   * Where the figures come from: virtual time; the same, with what is asked multiplied from fewer services than there
   * are; or real processes and a real etcd.
   */
  readonly basis: 'simulated' | 'extrapolated' | 'measured';
  readonly elections: number;
  readonly processes: number;
  readonly ttlSeconds: number;
  readonly trials: number;
  /** What the coordinator is asked while nothing happens. */
  readonly renewalsPerSecond: number;
  readonly readsPerSecond: number;
  /** What the coordinator has to remember. Leases are not counted live. */
  readonly leases: number | null;
  readonly watches: number;
  /** What the aggregator is asked; null without one. */
  readonly callsPerSecond: number | null;
  /** Of one core each, while nothing happens; null in virtual time. */
  readonly cpu: Cpu | null;
  /** Elections that the killed processes led, in all trials. */
  readonly lost: number;
  /** Of one election: over all of these. */
  readonly failoverMs: Summary | null;
  /** Of all elections of a process: until the last of them is led again, over the processes that died. */
  readonly lastFailoverMs: Summary | null;
  /** Those that nobody led again in time. */
  readonly unresolved: number;
  /** Measured: Leaderships that ended while nothing happened. One that is not 0 says that this is too much. */
  readonly lostWhileQuiet: number | null;
  /** Measured: pairs of Leaderships of one election that were held at once, and tokens that did not grow. */
  readonly overlaps: number | null;
  readonly tokensThatDidNotGrow: number | null;
}

interface Cpu {
  readonly etcd: number;
  /** The one that leads; null without one. */
  readonly aggregator: number | null;
  /** The mean of the processes. */
  readonly process: number;
}

/** A row of which nothing came, and why. */
export interface Refusal {
  readonly way: Way;
  readonly elections: number;
  readonly why: string;
}

export interface ScaleResults {
  readonly schema: 'hustings-scale/1';
  readonly mode: 'simulated' | 'live';
  readonly seed: string;
  readonly commit: string | null;
  readonly machine: { readonly node: string; readonly cpus: number };
  readonly complete: boolean;
  readonly wallMs: number;
  readonly simulatedMs: number;
  readonly events: number;
  readonly rows: readonly ScaleRow[];
  /** Live: what this machine did not bear. */
  readonly refused: readonly Refusal[];
}

/** Several trials of one row, each the sum of its services. */
export function simulatedRow(
  { way, elections }: { readonly way: Way; readonly elections: number },
  trials: readonly ServiceOutcome[],
  mostServices: number,
): ScaleRow {
  const services = servicesOf(elections).length;
  const mean = (read: (outcome: ServiceOutcome) => number): number =>
    rounded(trials.reduce((sum, outcome) => sum + read(outcome), 0) / trials.length);
  const failovers = trials.flatMap(({ failoverMs }) => failoverMs);
  const unresolved = trials.reduce((sum, outcome) => sum + outcome.unresolved, 0);
  return {
    ...{ way, basis: services > mostServices ? 'extrapolated' : 'simulated' },
    ...{ elections, processes: processesPerService * services, ttlSeconds, trials: trials.length },
    renewalsPerSecond: mean((outcome) => outcome.renewalsPerSecond),
    readsPerSecond: mean((outcome) => outcome.readsPerSecond),
    leases: mean((outcome) => outcome.leases),
    watches: mean((outcome) => outcome.watches),
    callsPerSecond: way === 'aggregator' ? mean((outcome) => outcome.callsPerSecond) : null,
    cpu: null,
    lost: failovers.length + unresolved,
    failoverMs: summarise(failovers),
    lastFailoverMs: summarise(trials.flatMap(({ lastMs }) => lastMs)),
    ...{ unresolved, lostWhileQuiet: null, overlaps: null, tokensThatDidNotGrow: null },
  };
}

// ---- The table -----------------------------------------------------------------------------------------

const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : (ms / 1000).toFixed(1));
const short = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : `${Math.round(10 * value) / 10}`;
const share = (value: number | null | undefined): string => (value == null ? '–' : value.toFixed(2));

const columns: readonly (readonly [heading: string, cell: (row: ScaleRow) => string])[] = [
  ['way', ({ way }) => way],
  ['elections', ({ elections }) => elections.toLocaleString('en')],
  ['processes', ({ processes }) => `${processes}`],
  ['basis', ({ basis }) => basis],
  ['renewals/s', (row) => short(row.renewalsPerSecond)],
  ['reads/s', (row) => short(row.readsPerSecond)],
  ['watches', (row) => short(row.watches)],
  ['calls/s', (row) => (row.callsPerSecond === null ? '–' : short(row.callsPerSecond))],
  ['etcd cpu', (row) => share(row.cpu?.etcd)],
  ['aggregator', (row) => share(row.cpu?.aggregator)],
  ['process', (row) => share(row.cpu?.process)],
  ['failover: one', (row) => seconds(row.failoverMs?.mean)],
  ['all', (row) => seconds(row.lastFailoverMs?.mean)],
];

const basisNotes = {
  simulated: 'Simulated: nobody is ever busy. What a server bears is measured by --mode live.',
  extrapolated: 'The last rows of a way are reckoned from ten services, or as many as --services says.',
  measured: 'Measured on this machine. Shares are of one core.',
};

export function renderScale({ rows, refused }: ScaleResults): string {
  const cells = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, cell]) => cell(row))),
  ];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
  const notes = [
    ...new Set(rows.map(({ basis }) => basisNotes[basis])),
    'Failover in seconds after a process died: of an election that it led, and of the last of them; means.',
    ...refused.map(({ way, elections, why }) => `${way} stops before ${elections} elections: ${why}`),
  ];
  return `${[...lines, '', ...notes].join('\n')}\n`;
}
