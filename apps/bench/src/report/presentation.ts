/** What the terminal table and the report have in common: columns, units and sentences. */

import type { Summary } from '../statistics.js';
import type { Results, Row } from './results.js';

export interface Column {
  readonly group: string;
  readonly heading: string;
  /** Words on the left, numbers on the right. */
  readonly align: 'left' | 'right';
  /** For those who want to know: shown in the report. */
  readonly meaning: string;
  /** Left out on the terminal, whose lines are short. */
  readonly reportOnly?: boolean;
  /** Left out on the terminal when the lines would be too long: the greatest number first. */
  readonly dispensable?: number;
  /** Left out where no row has anything to show. */
  readonly optional?: boolean;
  cell(row: Row): string;
  /** A number that should be zero and is not. */
  alarming?(row: Row): boolean;
}

const none = '–';
const milliseconds = (value: number | undefined): string =>
  value === undefined ? none : value < 10 ? value.toFixed(2) : value.toFixed(0);
const whole = (value: number | undefined): string => (value === undefined ? none : value.toFixed(0));
const grouped = (value: number): string => value.toLocaleString('en-US');

const counted = (value: number, thing: string): string =>
  `${grouped(value)} ${thing}${value === 1 ? '' : 's'}`;

/** The median, on the terminal p99 only where `tail` asks for it, and in the report the most where `most` does. */
const times = (
  group: string,
  pick: (row: Row) => Summary | null,
  meaning: string,
  {
    tail = false,
    most = false,
    dispensable,
  }: { readonly tail?: boolean; readonly most?: boolean; readonly dispensable?: number } = {},
): Column[] =>
  (most ? (['p50', 'p99', 'max'] as const) : (['p50', 'p99'] as const)).map((quantity) => ({
    group,
    heading: quantity,
    align: 'right',
    meaning: `${meaning}: ${quantity}, in milliseconds`,
    reportOnly: quantity === 'max' || (quantity === 'p99' && !tail),
    ...(dispensable === undefined ? {} : { dispensable }),
    cell: (row) => milliseconds(pick(row)?.[quantity]),
  }));

export const columns: readonly Column[] = [
  {
    group: '',
    heading: 'algorithm',
    align: 'left',
    meaning: 'The algorithm, and its variant unless it is the default one',
    cell: ({ algorithm, variant }) => (variant === 'default' ? algorithm : `${algorithm}/${variant}`),
  },
  { group: '', heading: 'n', align: 'right', meaning: 'Nodes', cell: ({ nodes }) => `${nodes}` },
  {
    group: '',
    heading: 'fault',
    align: 'left',
    meaning: 'What happens to the leader',
    cell: ({ fault }) => fault,
  },
  {
    group: 'trials',
    heading: 'all',
    align: 'right',
    dispensable: 1,
    meaning: 'Trials',
    cell: ({ trials }) => grouped(trials),
  },
  {
    group: 'trials',
    heading: 'kept',
    align: 'right',
    dispensable: 3,
    meaning: 'Trials in which the old leader rightly stayed in office',
    cell: ({ kept }) => grouped(kept),
  },
  {
    group: 'trials',
    heading: 'open',
    align: 'right',
    meaning: 'Unresolved: trials in which no new leader was agreed upon in time',
    cell: ({ unresolved }) => grouped(unresolved),
    alarming: ({ unresolved }) => unresolved > 0,
  },
  ...times('detect', (row) => row.detectionMs, 'From the fault until a healthy node acts on it', {
    dispensable: 2,
  }),
  ...times('failover ms', (row) => row.failoverMs, 'From the fault until a new Leadership begins', {
    tail: true,
    most: true,
  }),
  ...times(
    'write ms',
    (row) => row.nextWriteMs,
    'From the fault until a write of the new leader gets through: the fenced store accepts it, and the coordinator, if there is one, can commit',
    { tail: true, dispensable: 5 },
  ),
  ...times(
    'agreed',
    (row) => row.convergenceMs,
    'From the fault until every healthy node believes in the new leader',
    { dispensable: 8 },
  ),
  {
    group: 'messages',
    heading: 'lead',
    align: 'right',
    meaning: 'Messages from the fault until a new Leadership begins, without heartbeats: p50',
    cell: (row) => whole(row.messages.failover?.p50),
  },
  {
    group: 'messages',
    heading: 'elect',
    align: 'right',
    dispensable: 9,
    meaning: 'Messages from the fault until all agree, without heartbeats: p50',
    cell: (row) => whole(row.messages.election?.p50),
  },
  {
    group: 'messages',
    heading: 'all',
    align: 'right',
    reportOnly: true,
    meaning: 'Messages from the fault until all agree: p50',
    cell: (row) => whole(row.messages.total?.p50),
  },
  {
    group: 'messages',
    heading: 'idle/s',
    align: 'right',
    dispensable: 6,
    meaning: 'Messages per second while nothing happens',
    cell: (row) => whole(row.messages.steadyPerSecond ?? undefined),
  },
  {
    group: 'wire',
    heading: 'lead',
    align: 'right',
    optional: true,
    meaning:
      'Messages between the nodes and the coordinator’s servers from the fault until a new Leadership begins, keep-alives and pings included, counted on the wire: p50',
    cell: (row) => whole(row.messages.wire?.failover?.p50),
  },
  {
    group: 'wire',
    heading: 'idle/s',
    align: 'right',
    optional: true,
    dispensable: 7,
    meaning: 'The same per second while nothing happens',
    cell: (row) => whole(row.messages.wire?.steadyPerSecond ?? undefined),
  },
  {
    group: 'two leaders',
    heading: 'trials',
    align: 'right',
    meaning: 'Trials in which two running nodes held a Leadership at once',
    cell: ({ splitBrain }) => grouped(splitBrain.trialsAffected),
    alarming: ({ splitBrain }) => splitBrain.trialsAffected > 0,
  },
  {
    group: 'two leaders',
    heading: 'max ms',
    align: 'right',
    dispensable: 4,
    meaning: 'The longest time that two nodes led at once, in milliseconds',
    cell: ({ splitBrain }) => milliseconds(splitBrain.overlapMs?.max),
  },
  {
    group: 'stale writes',
    heading: 'tried',
    align: 'right',
    meaning: 'Writes by a leader after a newer one had begun. A store without fencing accepts them all',
    cell: ({ writes }) => grouped(writes.staleAttempted),
    alarming: ({ writes }) => writes.staleAcceptedUnfenced > 0,
  },
  {
    group: 'stale writes',
    heading: 'fenced',
    align: 'right',
    meaning: 'How many of them the fenced store accepted',
    cell: ({ writes }) => grouped(writes.staleAcceptedFenced),
    alarming: ({ writes }) => writes.staleAcceptedFenced > 0,
  },
];

/** The columns that say something about these rows. */
export const columnsOf = (rows: readonly Row[]): readonly Column[] =>
  columns.filter((column) => !column.optional || rows.some((row) => column.cell(row) !== none));

/** What a dash means beside other people's electors; nothing where there are none. */
export function footnotes({ rows }: Results): string[] {
  const names = [...new Set(rows.filter(({ peer }) => peer).map(({ algorithm }) => algorithm))];
  if (names.length === 0) return [];
  return [
    `${names.join(', ')}: other people's electors, with the lease or session of ours on the same servers. ${none} stands for what cannot be observed from outside: when their candidates notice, in whom they believe, and what a message on the wire is for.`,
  ];
}

export function describeRun({ mode, profile, budgetMs, seed, complete }: Results): string {
  const settings =
    budgetMs === null
      ? "each algorithm's customary settings"
      : `all with a detection budget of ${grouped(budgetMs)} ms`;
  const world = mode === 'simulated' ? 'Simulated' : 'Live processes';
  const end = complete ? '' : ' Interrupted: only the rows that were finished are shown.';
  return `${world}, profile ${profile} (${settings}), seed ${seed}.${end}`;
}

/** What a reader in a hurry should know. */
export function headlines({ rows }: Results): string[] {
  return [overlapHeadline(rows), staleHeadline(rows), ...crashHeadline(rows)];
}

function overlapHeadline(rows: readonly Row[]): string {
  const guilty = rows.filter((row) => row.splitBrain.trialsAffected > 0);
  // A clock at half speed is far beyond what a lease allows for, so it is told apart.
  const withinBounds = guilty.filter((row) => row.fault !== 'clock-drift');
  const unsafe = algorithmsOf(withinBounds);
  const safe = algorithmsOf(rows).filter((algorithm) => !unsafe.includes(algorithm));
  const drifted = algorithmsOf(guilty).filter((algorithm) => safe.includes(algorithm));
  const unless =
    drifted.length === 0 ? '' : `, ${listed(drifted)} only with a clock at half speed, beyond its bound`;
  if (unsafe.length === 0) return `${listed(safe)} never elected two leaders at once${unless}.`;
  const faults = faultsWith(withinBounds, (row) => row.splitBrain.trialsAffected);
  const others = safe.length === 0 ? '' : `; ${listed(safe)} never did${unless}`;
  return `${listed(unsafe)} elected two leaders at once (${faults})${others}.`;
}

function staleHeadline(rows: readonly Row[]): string {
  const stale = total(rows, (row) => row.writes.staleAttempted);
  const passed = rows.filter((row) => row.writes.staleAcceptedFenced > 0);
  const count = total(passed, (row) => row.writes.staleAcceptedFenced);
  if (stale === 0) return 'No leader wrote anything after it had been replaced.';
  const fenced = count === 0 ? 'none' : `${grouped(count)} (${listed(algorithmsOf(passed))})`;
  return `Leaders that had been replaced wrote ${counted(stale, 'time')}: a store without fencing accepted every one, a fenced store ${fenced}.`;
}

/** The size that most people run: it speaks for all if it was measured. */
export const familiarSize = 5;

function crashHeadline(rows: readonly Row[]): string[] {
  const crashes = rows.filter(
    (row) => row.fault === 'crash' && row.variant === 'default' && row.failoverMs !== null,
  );
  const nodes = crashes.find((row) => row.nodes === familiarSize)?.nodes ?? crashes[0]?.nodes;
  if (nodes === undefined) return [];
  const times = crashes
    .filter((row) => row.nodes === nodes)
    .sort((a, b) => a.failoverMs!.p50 - b.failoverMs!.p50)
    .map(({ algorithm, failoverMs }) => `${algorithm} ${seconds(failoverMs!.p50)}`);
  return [`When the leader of ${nodes} nodes dies, the next one leads after: ${times.join(', ')} (medians).`];
}

const algorithmsOf = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ algorithm }) => algorithm))];

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** What the rows of each algorithm come to, in a sentence or two. */
export function verdictsByAlgorithm({ rows }: Results): { algorithm: string; verdict: string }[] {
  return algorithmsOf(rows).map((algorithm) => {
    const own = rows.filter((row) => row.algorithm === algorithm);
    return { algorithm, verdict: `${resolutionSentence(own)} ${safetySentence(own)}` };
  });
}

function resolutionSentence(everyRow: readonly Row[]): string {
  // Without its coordinator an elector must not elect: where nobody led, the rest is judged without those rows.
  const dark = everyRow.filter((row) => row.fault === 'coordinator-crash');
  const isRight = dark.length > 0 && dark.every((row) => row.unresolved === row.trials);
  const rows = isRight ? everyRow.filter((row) => !dark.includes(row)) : everyRow;
  const darkness = isRight ? ' While all of its coordinator was dead nobody led, as it should be.' : '';
  return rows.length === 0 ? darkness.trim() : `${outcomeSentence(rows)}${darkness}`;
}

function outcomeSentence(rows: readonly Row[]): string {
  const trials = total(rows, (row) => row.trials);
  const unresolved = total(rows, (row) => row.unresolved);
  const isRival = rows.some(({ peer }) => peer);
  const outcome =
    unresolved === 0
      ? `every one of ${counted(trials, 'trial')} ended with a leader${isRival ? '' : ' that all healthy nodes agree on'}`
      : `${grouped(unresolved)} of ${counted(trials, 'trial')} had no ${isRival ? '' : 'agreed '}leader within the limit (${faultsWith(rows, (row) => row.unresolved)})`;
  const slowest = rows
    .filter((row) => row.failoverMs !== null)
    .sort((a, b) => b.failoverMs!.max - a.failoverMs!.max)[0];
  if (slowest === undefined) return `${outcome}.`;
  return `${outcome}; the slowest failover took ${seconds(slowest.failoverMs!.max)} (${slowest.fault}).`;
}

function safetySentence(rows: readonly Row[]): string {
  const affected = total(rows, (row) => row.splitBrain.trialsAffected);
  const stale = total(rows, (row) => row.writes.staleAttempted);
  const fenced = total(rows, (row) => row.writes.staleAcceptedFenced);
  const longestMs = Math.max(0, ...rows.map((row) => row.splitBrain.overlapMs?.max ?? 0));
  const overlap =
    affected === 0
      ? 'No two nodes ever led at once'
      : `Two nodes led at once in ${counted(affected, 'trial')} (${faultsWith(rows, (row) => row.splitBrain.trialsAffected)}), for up to ${seconds(longestMs)}`;
  const writes =
    stale === 0
      ? 'no stale write was attempted.'
      : `of ${counted(stale, 'stale write')} an unfenced store accepted all, the fenced one ${fenced === 0 ? 'none' : grouped(fenced)}.`;
  return `${overlap}; ${writes}`;
}

const total = (rows: readonly Row[], pick: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + pick(row), 0);

const faultsWith = (rows: readonly Row[], pick: (row: Row) => number): string =>
  [...new Set(rows.filter((row) => pick(row) > 0).map(({ fault }) => fault))].join(', ');

const seconds = (ms: number): string =>
  ms < 1000 ? `${milliseconds(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
