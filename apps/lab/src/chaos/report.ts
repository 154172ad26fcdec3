import { layouts } from './layouts.js';
import type { Outcome, Violation } from './run.js';
import { type Episode, printSchedule, type Schedule } from './schedule.js';
import type { Span } from './verdict.js';

/** One row of the table, and of the results. */
export interface Row {
  readonly algorithm: string;
  readonly nodes: number;
  readonly seconds: number;
  readonly episodes: number;
  readonly actions: number;
  /** How many `await` lines waited in vain. */
  readonly unmet: number;
  readonly leaderships: number;
  readonly overlaps: number;
  readonly overlapMsMax: number;
  readonly tokenFaults: number;
  readonly writes: number;
  readonly staleWrites: number;
  readonly staleAcceptedFenced: number;
  readonly staleAcceptedUnfenced: number;
  readonly gaveUp: number;
  readonly wellSeconds: number;
  readonly leaderlessSeconds: number;
  readonly leaderlessMsMax: number;
}

export interface Results {
  readonly seed: string | null;
  readonly minutes: number | null;
  readonly complete: boolean;
  readonly rows: readonly Row[];
  /** How often each attack was drawn, by algorithm. */
  readonly attacks: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** How disks were filled: small ones that were mounted, or a storage that fails as on a full disk. */
  readonly disks: Readonly<Record<string, string>>;
  readonly violations: readonly (Violation & { readonly algorithm: string; readonly schedule: string })[];
}

export function resultsOf(
  outcomes: readonly Outcome[],
  run: Pick<Results, 'seed' | 'minutes' | 'complete'>,
): Results {
  return {
    ...run,
    rows: outcomes.map(rowOf),
    attacks: byAlgorithm(outcomes, ({ episodes }) => countAttacks(episodes)),
    disks: byAlgorithm(
      outcomes.filter(({ algorithm }) => layouts[algorithm].coordinator === null),
      ({ disks }) => disks,
    ),
    violations: outcomes.flatMap((outcome) =>
      outcome.violations.map((violation) => ({
        algorithm: outcome.algorithm,
        ...violation,
        schedule: printSchedule(scheduleOf(outcome, violation)),
      })),
    ),
  };
}

function byAlgorithm<Value>(
  outcomes: readonly Outcome[],
  value: (outcome: Outcome) => Value,
): Record<string, Value> {
  return Object.fromEntries(outcomes.map((outcome) => [outcome.algorithm, value(outcome)]));
}

/** The episode in which it happened, and the two before it: not everything has always settled in between. */
function scheduleOf({ algorithm, nodes, episodes }: Outcome, { episode }: Violation): Schedule {
  return { algorithm, nodes, episodes: episodes.slice(Math.max(0, episode - 3), Math.max(1, episode)) };
}

const spanMs = ({ fromMs, toMs }: Span): number => toMs - fromMs;
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const inTenths = (value: number): number => Math.round(value * 10) / 10;
const longest = (spans: readonly Span[]): number => Math.round(Math.max(0, ...spans.map(spanMs)));

function rowOf({ algorithm, nodes, seconds, episodes, actions, unmet, verdict }: Outcome): Row {
  const { overlaps, leaderless } = verdict;
  return {
    ...{ algorithm, nodes, seconds: inTenths(seconds), episodes: episodes.length, actions, unmet },
    leaderships: verdict.leaderships,
    overlaps: overlaps.length,
    overlapMsMax: longest(overlaps),
    tokenFaults: verdict.tokenFaults.length,
    writes: verdict.writes,
    staleWrites: verdict.staleWrites,
    staleAcceptedFenced: verdict.staleAcceptedAtMs.length,
    // It accepts everything.
    staleAcceptedUnfenced: verdict.staleWrites,
    gaveUp: verdict.failures.length,
    wellSeconds: inTenths(verdict.wellMs / 1000),
    leaderlessSeconds: inTenths(total(leaderless.map(spanMs)) / 1000),
    leaderlessMsMax: longest(leaderless),
  };
}

function countAttacks(episodes: readonly Episode[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of episodes.flatMap(({ attacks }) => attacks)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** What is said of each algorithm, a line each. */
const lines: readonly (readonly [heading: string, cell: (row: Row) => string | number])[] = [
  ['seconds', ({ seconds }) => Math.round(seconds)],
  ['episodes', ({ episodes }) => episodes],
  ['actions', ({ actions }) => actions],
  ['Leaderships', ({ leaderships }) => leaderships],
  ['two at once', ({ overlaps }) => overlaps],
  ['  longest, ms', ({ overlapMsMax }) => overlapMsMax],
  ['tokens that did not grow', ({ tokenFaults }) => tokenFaults],
  ['writes', ({ writes }) => writes],
  ['  stale, accepted unfenced', ({ staleAcceptedUnfenced }) => staleAcceptedUnfenced],
  ['  stale, accepted fenced', ({ staleAcceptedFenced }) => staleAcceptedFenced],
  ['nodes that gave up', ({ gaveUp }) => gaveUp],
  ['seconds in which someone should lead', ({ wellSeconds }) => Math.round(wellSeconds)],
  ['  nobody did', ({ leaderlessSeconds }) => leaderlessSeconds],
  ['  longest, ms', ({ leaderlessMsMax }) => leaderlessMsMax],
];

export function renderResults({ rows, attacks, violations }: Results): string {
  const cells = [
    ['', ...rows.map(({ algorithm }) => algorithm)],
    ...lines.map(([heading, cell]) => [heading, ...rows.map((row) => String(cell(row)))]),
  ];
  const [first = 0, ...others] = ['', ...rows].map((_, column) =>
    Math.max(...cells.map((line) => line[column]!.length)),
  );
  const table = cells.map(([heading = '', ...values]) =>
    [heading.padEnd(first), ...values.map((value, column) => value.padStart(others[column]!))].join('  '),
  );
  const drawn = Object.entries(attacks).map(([algorithm, counts]) => {
    const names = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
    return `${algorithm}: ${names.join(', ')}.`;
  });
  const found = violations.map(
    ({ algorithm, atMs, episode, detail }) =>
      `${algorithm}, episode ${episode}, ${(atMs / 1000).toFixed(3)} s: ${detail}`,
  );
  return [...table, '', ...drawn, ...(found.length === 0 ? [] : ['', ...found]), ''].join('\n');
}

/** The results, and the schedule of each failure for `--replay`, by file name. */
export function filesOf(results: Results): Record<string, string> {
  const schedules = results.violations.map(({ algorithm, property, schedule }, index) => [
    `${algorithm}-${property}-${index + 1}.txt`,
    schedule,
  ]);
  return { 'results.json': `${JSON.stringify(results, null, 2)}\n`, ...Object.fromEntries(schedules) };
}
