/**
 * What comes from results and from code, in the pages and in the READMEs:
 *
 *     <!-- table: NAME WORD --> … <!-- end -->      a table
 *     <!-- of: FILE PATH -->132<!-- end -->          a number of docs/data/FILE.json, within a sentence
 *
 * A PATH has dots between its parts, `rows.name=etcd.medianMs`: a property, a place in an array, or the first item of an
 * array that has this value.
 */

import { dirname, join, relative } from 'node:path';
import type { Guarantees, HustingsElector } from 'hustings';
import { bullyElector } from 'hustings/bully';
import { consulElector } from 'hustings/consul';
import { dynamodbElector } from 'hustings/dynamodb';
import { etcdElector } from 'hustings/etcd';
import { kubernetesElector } from 'hustings/kubernetes';
import { localElector } from 'hustings/local';
import { postgresElector } from 'hustings/postgres';
import { raftElector } from 'hustings/raft';
import { redisElector } from 'hustings/redis';
import { ringElector } from 'hustings/ring';
import { type LeasedElector, type LeasePlan, planLease, planLeases } from 'hustings/ttl';
import { zookeeperElector } from 'hustings/zookeeper';
import { etcd as etcdKind } from '../../packages/hustings/src/lease-kinds/etcd.js';
import type { LeaseKind } from '../../packages/hustings/src/lease-kinds/kind.js';
import { raft as raftKind } from '../../packages/hustings/src/lease-kinds/raft.js';
import { consul, dynamodb, store } from '../../packages/hustings/src/lease-kinds/stores.js';
import { zookeeper as zookeeperKind } from '../../packages/hustings/src/lease-kinds/zookeeper.js';
import { type Evidence, readData, readEvidence } from '../.vitepress/evidence.js';
import { inWords } from '../.vitepress/words.js';
import { docs } from './pages.js';

type Cells = readonly (string | number)[];

function table(headings: Cells, rows: readonly Cells[]): string {
  const line = (cells: Cells): string => `| ${cells.join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const grouped = (count: number): string => count.toLocaleString('en');

/** Links from a page to a result. */
const linked = (path: string, page: string): string =>
  `[\`${path}\`](${relative(dirname(join(docs, page)), join(docs, 'data', path))})`;

// ---- What was measured ---------------------------------------------------------------------------------

interface SimulatedRow {
  readonly algorithm: string;
  readonly variant: string;
  readonly nodes: number;
  readonly fault: string;
  readonly trials: number;
  readonly messages: { readonly failover: number | null; readonly steadyPerSecond: number | null };
  readonly splitBrain: { readonly trialsAffected: number };
  readonly writes: { readonly staleAcceptedUnfenced: number; readonly staleAcceptedFenced: number };
}

const simulated = readData<{ readonly rows: readonly SimulatedRow[] }>('simulated').rows;

function splitBrain(page: string): string {
  const rows = simulated.filter(
    (row) => row.nodes === 5 && row.fault === 'split' && row.variant === 'default',
  );
  const cells = rows.map((row) => [
    row.algorithm,
    grouped(row.trials),
    grouped(row.splitBrain.trialsAffected),
    grouped(row.writes.staleAcceptedUnfenced),
    grouped(row.writes.staleAcceptedFenced),
  ]);
  const headings = ['elector', 'trials', 'with two leaders', 'stale writes taken', 'the same with a fence'];
  return `${table(headings, cells)}\n\nFrom ${linked('simulated.json', page)}.`;
}

/** A store is a variant of the algorithm `lease`, or several. */
const leaseVariants: Readonly<Record<string, readonly string[]>> = {
  postgres: ['default', 'postgres-session'],
  redis: ['redis', 'redis-replica', 'redlock'],
  kubernetes: ['kubernetes'],
  dynamodb: ['dynamodb'],
  consul: ['consul'],
  local: ['local'],
};

function messages(page: string, elector: string): string {
  const only = leaseVariants[elector];
  const rows = simulated.filter(
    ({ algorithm, variant, fault }) =>
      fault === 'crash' &&
      algorithm === (only === undefined ? elector : 'lease') &&
      (only === undefined || only.includes(variant)),
  );
  const sizes = [...new Set(rows.map(({ nodes }) => nodes))].sort((a, b) => a - b);
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  const nameOf = (variant: string): string =>
    variant === 'default' || variant === elector
      ? elector
      : `${elector}, \`${variant.replace(`${elector}-`, '')}\``;
  const cellsOf = (variant: string): Cells => [
    nameOf(variant),
    ...sizes.map((nodes) => {
      const count = rows.find((row) => row.variant === variant && row.nodes === nodes)?.messages.failover;
      return count === null || count === undefined ? '–' : grouped(Math.round(count));
    }),
  ];
  const headings = ['messages until the next one leads, of nodes', ...sizes];
  const source = `Medians after a crash, heartbeats left out, from ${linked('simulated.json', page)}.`;
  return `${table(headings, variants.map(cellsOf))}\n\n${source}`;
}

interface SafetyRow {
  readonly make: string;
  readonly fault: string;
  readonly failover: { readonly trials: number };
  readonly trialsWithTwoLeaders: number;
  readonly staleWritesTakenUnfenced: number;
  readonly staleWritesTakenFenced: number;
}

/** 'hustings row' is the elector of PostgreSQL in its default mode. */
const electorOf = (make: string): string =>
  make
    .replace('hustings row', 'postgres')
    .replace('hustings session', 'postgres, session')
    .replace('hustings ', '');

function fencing(page: string): string {
  const rows = readData<readonly SafetyRow[]>('stores/safety').map((row) => [
    electorOf(row.make),
    row.fault,
    row.failover.trials,
    row.trialsWithTwoLeaders,
    row.staleWritesTakenUnfenced,
    row.staleWritesTakenFenced,
  ]);
  const headings = ['elector', 'leader', 'trials', 'two leaders', 'stale writes taken', 'with a fence'];
  return `${table(headings, rows)}\n\nFrom ${linked('stores/safety.json', page)}.`;
}

function promotion(page: string): string {
  const found = readData<{
    readonly trials: number;
    readonly trialsWithTwoLeaders: number;
    readonly trialsInWhichTokensGrew: number;
    readonly staleWritesTakenUnfenced: number;
    readonly staleWritesTakenFenced: number;
  }>('stores/promotion');
  const headings = [
    'trials',
    'with two leaders',
    'in which tokens grew',
    'stale writes taken',
    'with a fence',
  ];
  const cells = [
    found.trials,
    found.trialsWithTwoLeaders,
    found.trialsInWhichTokensGrew,
    found.staleWritesTakenUnfenced,
    found.staleWritesTakenFenced,
  ];
  return `${table(headings, [cells])}\n\nFrom ${linked('stores/promotion.json', page)}.`;
}

const measuredHeadings = ['elector', 'with', 'trials', 'after SIGKILL', 'after a resignation', 'from'];

const measuredCells = (row: Evidence, page: string): Cells => [
  row.elector,
  row.setting,
  row.trials,
  inWords(row.crashMs),
  row.resignMs === null ? '–' : inWords(row.resignMs),
  row.sources.map((source) => linked(source, page)).join(', '),
];

const evidence = (page: string): string =>
  table(
    measuredHeadings,
    readEvidence().map((row) => measuredCells(row, page)),
  );

interface MeasuredRow {
  readonly name?: string;
  readonly make?: string;
  readonly ttlMs?: number | null;
  readonly ttlSeconds?: number;
  readonly sessionTimeoutMs?: number;
  readonly trials: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

/** Ours and other people's, from the same runs. */
const makes: Readonly<Record<string, { readonly folder: string; readonly only: RegExp }>> = {
  etcd: { folder: 'etcd', only: /./ },
  zookeeper: { folder: 'zookeeper', only: /./ },
  postgres: { folder: 'stores', only: /row|session|advisory/ },
  redis: { folder: 'stores', only: /redis|redlock|SET NX/ },
  kubernetes: { folder: 'stores', only: /kubernetes|client-go/ },
  dynamodb: { folder: 'stores', only: /dynamodb/ },
  consul: { folder: 'stores', only: /consul/ },
};

const makeOf = ({ name = '', make = name }: MeasuredRow): string => make;
const shown = (row: MeasuredRow | undefined): string =>
  row === undefined ? '–' : `${inWords(row.medianMs)} (${inWords(row.maxMs)})`;

function besideOthers(page: string, elector: string): string {
  const { folder, only } = makes[elector]!;
  const [kill, resign] = ['kill', 'resign'].map((name) =>
    readData<readonly MeasuredRow[]>(`${folder}/${name}`),
  );
  const rows = kill!
    .filter((row) => only.test(makeOf(row)))
    .map((row) => {
      const leaseMs = row.ttlMs === undefined ? (row.sessionTimeoutMs ?? 1000 * row.ttlSeconds!) : row.ttlMs;
      const resigned = resign!.find(
        (other) => makeOf(other) === makeOf(row) && other.ttlSeconds === row.ttlSeconds,
      );
      return [
        makeOf(row).startsWith('hustings ') ? `hustings ${electorOf(makeOf(row))}` : makeOf(row),
        leaseMs === null ? '–' : inWords(leaseMs),
        row.trials,
        shown(row),
        shown(resigned),
      ];
    });
  const headings = ['', 'lease', 'trials', 'after SIGKILL', 'after a resignation'];
  const sources = ['kill', 'resign'].map((name) => linked(`${folder}/${name}.json`, page)).join(' and ');
  return `Until the next one leads, on one machine, beside what others do: medians, and the slowest in brackets.\n\n${table(
    headings,
    rows,
  )}\n\nFrom ${sources}.`;
}

function measured(page: string, elector: string): string {
  if (elector in makes) return besideOthers(page, elector);
  const rows = readEvidence().filter((row) => row.elector === elector);
  const cells = rows.map((row) => measuredCells(row, page));
  return `Medians on one machine, until the next one leads:\n\n${table(measuredHeadings, cells)}`;
}

interface ScaleRow {
  readonly way: string;
  readonly elections: number;
  readonly processes: number;
  readonly renewalsPerSecond: number;
  readonly readsPerSecond: number;
  readonly watches: number;
  readonly callsPerSecond: number | null;
  readonly cpu: {
    readonly etcd: number;
    readonly aggregator: number | null;
    readonly process: number;
  } | null;
  readonly failoverMs: { readonly mean: number };
  readonly lastFailoverMs: { readonly mean: number };
}

const scaled = (file: string): readonly ScaleRow[] =>
  readData<{ readonly rows: readonly ScaleRow[] }>(`scale/${file}`).rows;

const wayNames: Readonly<Record<string, string>> = {
  alone: 'each alone',
  session: 'over sessions',
  aggregator: 'behind an aggregator',
};

const rate = (value: number): string => grouped(value >= 100 ? Math.round(value) : Number(value.toFixed(1)));

/** Simulated, and in brackets what was measured, where it was. */
function scale(page: string): string {
  const live = scaled('live');
  const rows = scaled('simulated').map((row) => {
    const twin = live.find(({ way, elections }) => way === row.way && elections === row.elections);
    const both = (read: (from: ScaleRow) => string): string =>
      twin === undefined ? read(row) : `${read(row)} (${read(twin)})`;
    return [
      wayNames[row.way]!,
      grouped(row.elections),
      grouped(row.processes),
      both((from) => rate(from.renewalsPerSecond)),
      both((from) => rate(from.readsPerSecond)),
      both((from) => rate(from.watches)),
      row.callsPerSecond === null ? '–' : both((from) => rate(from.callsPerSecond!)),
      both((from) => inWords(Math.round(from.failoverMs.mean / 100) * 100)),
      both((from) => inWords(Math.round(from.lastFailoverMs.mean / 100) * 100)),
    ];
  });
  const headings = [
    ...['', 'elections', 'processes', 'renewals a second', 'reads a second', 'watches'],
    ...['calls a second to the aggregator', 'failover of one', 'of all'],
  ];
  const sources = `${linked('scale/simulated.json', page)}, and in brackets ${linked('scale/live.json', page)}`;
  return `${table(headings, rows)}\n\nFrom ${sources}.`;
}

function scaleCpu(page: string): string {
  const rows = scaled('live').map(({ way, elections, cpu }) => [
    wayNames[way]!,
    grouped(elections),
    ...[cpu!.etcd, cpu!.aggregator, cpu!.process].map((share) => (share === null ? '–' : share.toFixed(2))),
  ]);
  const headings = ['', 'elections', 'etcd', 'the leading aggregator', 'each process'];
  return `${table(headings, rows)}\n\nFrom ${linked('scale/live.json', page)}.`;
}

interface CutOffRow {
  readonly ttlSeconds?: number;
  readonly sessionTimeoutMs?: number;
  readonly members?: number;
  readonly overlaps: number;
  readonly abortedBeforeSuccessorStarted: { trials: number; minMs: number; medianMs: number };
}

/** How long before the next one led the signal of a leader that was cut off had aborted. */
function cutOff(page: string, elector: string): string {
  const rows = readData<readonly CutOffRow[]>(`${elector}/cut-off`);
  const hasMembers = rows.some(({ members }) => members !== undefined);
  const cells = rows.map(({ abortedBeforeSuccessorStarted: before, ...row }) => [
    inWords(row.sessionTimeoutMs ?? 1000 * row.ttlSeconds!),
    ...(hasMembers ? [row.members!] : []),
    ...[before.trials, row.overlaps, inWords(before.medianMs), inWords(before.minMs)],
  ]);
  const headings = [
    'lease',
    ...(hasMembers ? ['members'] : []),
    ...['trials', 'with two leaders', 'stopped before the next began by', 'at least'],
  ];
  return `${table(headings, cells)}\n\nFrom ${linked(`${elector}/cut-off.json`, page)}.`;
}

function idle(page: string): string {
  const { seconds, heartbeatMs, percentOfACore } = readData<{
    readonly seconds: number;
    readonly heartbeatMs: number;
    readonly percentOfACore: readonly number[];
  }>('raft/idle');
  const [least, most] = [Math.min(...percentOfACore), Math.max(...percentOfACore)];
  return `While nothing happened, ${percentOfACore.length} nodes with heartbeats of ${heartbeatMs} ms used ${least} to ${most} % of a core each, over ${seconds / 60} minutes (${linked('raft/idle.json', page)}).`;
}

/** The same as in `scale`, without what was measured. */
function sessions(page: string): string {
  const simulatedRows = scaled('simulated').filter(({ elections }) => elections <= 1000);
  const rows = simulatedRows
    .filter(({ way }) => way === 'alone')
    .map((alone) => {
      const session = simulatedRows.find(
        ({ way, elections }) => way === 'session' && elections === alone.elections,
      )!;
      const cells = [alone, session].flatMap((row) => [
        rate(row.renewalsPerSecond),
        rate(row.readsPerSecond),
        rate(row.watches),
      ]);
      return [grouped(alone.elections), ...cells];
    });
  const each = ['renewals a second', 'reads a second', 'watches'];
  const headings = [
    'elections',
    ...['alone', 'session'].flatMap((way) => each.map((name) => `${way}: ${name}`)),
  ];
  const source = `What three processes ask of etcd while nothing happens, with leases of 5 s; simulated, from ${linked('scale/simulated.json', page)}.`;
  return `${table(headings, rows)}\n\n${source}`;
}

interface FailoverRow {
  readonly elector: string;
  readonly means: string | null;
  readonly isOurs: boolean;
  readonly settings: {
    readonly electionTimeoutMs?: readonly [number, number];
    readonly ttlSeconds?: number;
    readonly ttlMs?: number;
    readonly sessionTimeoutMs?: number;
  };
  readonly fault: string;
  readonly trials: number;
  readonly overlaps: number | null;
  readonly longestOverlapMs: number | null;
  readonly failoverMs: { readonly p50: number; readonly p95: number; readonly max: number };
  readonly messages: { readonly election: number | null; readonly total: number } | null;
  readonly idlePerSecond: number | null;
}

const waitOf = (settings: FailoverRow['settings']): string => {
  const { electionTimeoutMs, ttlSeconds, ttlMs, sessionTimeoutMs } = settings;
  if (electionTimeoutMs !== undefined) return `timeout ${electionTimeoutMs.map(inWords).join(' to ')}`;
  if (sessionTimeoutMs !== undefined) return `session ${inWords(sessionTimeoutMs)}`;
  return `TTL ${inWords(ttlMs ?? 1000 * ttlSeconds!)}`;
};

function overlapsIn({ overlaps, longestOverlapMs }: FailoverRow): string {
  if (overlaps === null) return '–';
  return longestOverlapMs === null ? `${overlaps}` : `${overlaps} (${inWords(longestOverlapMs)})`;
}

function failover(page: string): string {
  const { rows, nodes, machine } = readData<{
    readonly rows: readonly FailoverRow[];
    readonly nodes: number;
    readonly machine: { readonly cpus: number };
  }>('failover');
  const cells = rows.map((row) => [
    `${row.isOurs ? '' : '*'}${row.elector}${row.isOurs ? '' : '*'}${row.means === null ? '' : `, ${row.means}`}`,
    waitOf(row.settings),
    row.fault,
    row.trials,
    overlapsIn(row),
    ...[row.failoverMs.p50, row.failoverMs.p95, row.failoverMs.max].map(inWords),
    row.messages?.election ?? '–',
    row.messages?.total ?? '–',
    row.idlePerSecond ?? '–',
  ]);
  const headings = [
    ...['elector', 'waits', 'leader', 'trials', 'two leaders', 'median', 'p95', 'slowest'],
    ...['messages', 'with renewals', 'idle/s'],
  ];
  const source = `${nodes} candidates on one machine of ${machine.cpus} processors, one server. From ${linked('failover.json', page)}.`;
  return `${table(headings, cells)}\n\n${source}`;
}

// ---- What the code says --------------------------------------------------------------------------------

const planCells = ({ elector, setting, value, ...plan }: LeasePlan): Cells => [
  elector,
  `\`${setting}: ${value}\``,
  inWords(plan.renewEveryMs),
  inWords(plan.guardMs),
  inWords(plan.pauseMs),
  inWords(plan.worstGapMs),
  plan.isEnough ? 'yes' : 'no',
];

function ttl(): string {
  const plans = planLeases({ failoverMs: 10_000, pauseMs: 1000, roundTripMs: 10, driftBound: 0.01 });
  const headings = [
    'elector',
    'setting',
    'renewed every',
    'guard',
    'bears a pause of',
    'worst gap',
    'enough?',
  ];
  return table(headings, plans.map(planCells));
}

/** What the formulas cannot be read from: who waits, and what Raft's guard is. */
const waits = [
  ['PostgreSQL, Redis', store, '*T*'],
  ['Kubernetes, DynamoDB', dynamodb, '*T*, one renewal and the guard'],
  ['Consul', consul, '2·*T*'],
  ['etcd', etcdKind, '*T* + 500 ms'],
  ['ZooKeeper', zookeeperKind, '*T* + a tick of 2 s'],
  ['Raft, *T* the shortest election timeout', raftKind, '2·*T*, if no vote is split'],
] as const;

function arithmetic(): string {
  const guardOf = (kind: LeaseKind): string =>
    kind === raftKind ? '*T* − *T*·(1 − *d*) / (1 + *d*)' : `2·*d*·*T* + ${kind.guardMs(0, 0.01)} ms`;
  const rows = waits.map(([name, kind, wait]) => [
    name,
    `${Number(kind.renewEveryMs(1).toFixed(2))}·*T*`,
    guardOf(kind),
    wait,
  ]);
  return table(['', 'renewed every', 'guard', 'the others wait at most'], rows);
}

function wan(): string {
  const trips = [5, 50, 150, 300];
  const cellOf = (elector: LeasedElector, roundTripMs: number): string => {
    const plan = planLease(elector, { failoverMs: 1, pauseMs: 1000, roundTripMs, driftBound: 0.01 });
    return `\`${plan.setting}: ${plan.value}\`, ${inWords(plan.worstGapMs)}`;
  };
  const electors: readonly LeasedElector[] = ['raft', 'etcd', 'zookeeper', 'postgres'];
  return table(
    ['round trip', ...trips.map((ms) => `${ms} ms`)],
    electors.map((elector) => [elector, ...trips.map((ms) => cellOf(elector, ms))]),
  );
}

const peers = { 'node-2': 'ws://127.0.0.1:1' };
const node = { id: 'node-1', listen: 0, peers, secret: 'sixteen bytes or more', directory: 'state' };
const candidate = { id: 'node-1', election: 'billing' };
// Nothing is asked of a client before the elector is started.
const client = {
  query: () => {},
  connect: () => {},
  send: () => {},
  duplicate: () => {},
  call: () => {},
} as never;

/** The name of its page, and the elector. */
const electors: Readonly<Record<string, () => HustingsElector<never>>> = {
  raft: () => raftElector(node),
  etcd: () => etcdElector({ ...candidate, hosts: ['http://127.0.0.1:1'] }),
  zookeeper: () => zookeeperElector({ ...candidate, hosts: ['127.0.0.1:1'] }),
  postgres: () => postgresElector({ ...candidate, client }),
  redis: () => redisElector({ ...candidate, client }),
  kubernetes: () =>
    kubernetesElector({ ...candidate, server: { url: 'https://127.0.0.1:1', namespace: 'default' } }),
  consul: () => consulElector({ ...candidate, hosts: ['http://127.0.0.1:1'] }),
  dynamodb: () => dynamodbElector({ ...candidate, client, table: 'leases' }),
  local: () => localElector({ ...candidate, directory: 'state' }),
  bully: () => bullyElector(node),
  ring: () => ringElector(node),
};

type Promised = Exclude<keyof Guarantees, 'assumptions'>;

const promises: Readonly<Record<Promised, string>> = {
  atMostOneLeader: 'at most one leader',
  monotonicTokens: 'tokens grow',
  toleratesPartition: 'tolerates a partition',
  orderedSuccession: 'the successor is known',
  targetedTransfer: 'the successor can be chosen',
  leased: 'ends by itself',
};

const yesOrNo = (holds: boolean): string => (holds ? 'yes' : 'no');

const asSentence = (words: string): string =>
  `${words.startsWith('etcd') ? words : words.charAt(0).toUpperCase() + words.slice(1)}${words.endsWith('.') ? '' : '.'}`;

function guarantees(_page: string, elector?: string): string {
  const names = Object.keys(promises) as Promised[];
  if (elector === undefined) {
    const rows = Object.entries(electors).map(([name, make]) => [
      `[${name}](electors/${name}.md)`,
      ...names.map((promise) => yesOrNo(make().guarantees[promise])),
    ]);
    return table(['elector', ...Object.values(promises)], rows);
  }
  const { assumptions, ...promised } = electors[elector]!().guarantees;
  const rows = names.map((name) => [promises[name], yesOrNo(promised[name])]);
  const list = assumptions.map((assumption) => `- ${asSentence(assumption)}`).join('\n');
  return `${table(['promise', ''], rows)}\n\nThis assumes:\n\n${list}`;
}

// ---- The pages -----------------------------------------------------------------------------------------

const makers: Readonly<Record<string, (page: string, word?: string) => string>> = {
  'split-brain': splitBrain,
  messages: (page, elector = '') => messages(page, elector),
  fencing,
  promotion,
  evidence,
  measured: (page, elector = '') => measured(page, elector),
  scale,
  'scale-cpu': scaleCpu,
  'cut-off': (page, elector = '') => cutOff(page, elector),
  idle,
  sessions,
  failover,
  ttl,
  arithmetic,
  wan,
  guarantees,
};

/** The number in a file of docs/data, as a sentence would have it. */
function numberOf(file: string, path: string): string {
  const parts = path.split('.');
  const value = parts.reduce<unknown>((found, part) => {
    const [key = '', wanted] = part.split('=');
    if (wanted === undefined) return (found as Record<string, unknown> | undefined)?.[key];
    return (found as readonly Record<string, unknown>[]).find((item) => String(item[key]) === wanted);
  }, readData(file));
  if (typeof value !== 'number') throw new Error(`There is no number ${path} in ${file}.json.`);
  const unit = parts.findLast((part) => /Ms$|PerSecond$|^kept$/.test(part));
  if (unit?.endsWith('Ms')) return inWords(value);
  return Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(2)));
}

/** The page with its tables and numbers as they should be. */
export function withTables(path: string, text: string): string {
  const withNumbers = text.replace(
    /<!-- of: (\S+) (\S+) -->[^<]*<!-- end -->/g,
    (_, file: string, place: string) => `<!-- of: ${file} ${place} -->${numberOf(file, place)}<!-- end -->`,
  );
  return withNumbers.replace(
    /<!-- table: (\S+)(?: (\S+))? -->\n[\s\S]*?<!-- end -->/g,
    (_, name: string, word?: string) => {
      const maker = makers[name];
      if (maker === undefined) throw new Error(`${path} wants a table '${name}', which nobody makes.`);
      const mark = `<!-- table: ${name}${word === undefined ? '' : ` ${word}`} -->`;
      return `${mark}\n\n${maker(path, word)}\n\n<!-- end -->`;
    },
  );
}
