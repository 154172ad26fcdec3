/** docs/comparison.md, made from the committed data and from nothing else. */

import type { Digest, DigestRow } from './digest.js';

export interface ComparisonData {
  readonly simulated: Digest;
  readonly live: Digest;
  /** What the lab has measured on real stores. */
  readonly stores?: StoreMeasurements;
}

export interface StoreMeasurements {
  readonly kill: readonly StoreMeasurement[];
  readonly resign: readonly StoreMeasurement[];
}

interface StoreMeasurement {
  readonly make: string;
  /** Null where there is no lease: the kernel frees a lock with its process. */
  readonly ttlMs: number | null;
  readonly trials: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

/** What cannot be measured: what each needs, and what it is for. */
const facts: Readonly<
  Record<string, { readonly needs: string; readonly partition: string; readonly choose: string }>
> = {
  bully: {
    needs: 'nothing but its peers',
    partition: 'a leader on each side',
    choose:
      'you are learning, or two leaders do no harm and a crash must be survived in a fraction of a second',
  },
  ring: {
    needs: 'nothing but its peers, in a known order',
    partition: 'a leader on each side',
    choose: 'you are learning, or messages are dear and two leaders do no harm',
  },
  raft: {
    needs: 'its peers, a disk for each, and a majority of them alive',
    partition: 'the majority elects; the minority has nobody',
    choose: 'you want one leader and no further servers',
  },
  zookeeper: {
    needs: 'a ZooKeeper ensemble, and the native `zookeeper` client',
    partition: 'whoever reaches ZooKeeper elects',
    choose: 'you run ZooKeeper already, or share an election with Curator',
  },
  etcd: {
    needs: 'an etcd cluster',
    partition: 'whoever reaches etcd elects',
    choose: 'you run etcd already: the fewest messages, however many candidates wait',
  },
  lease: {
    needs:
      'a store that you have: PostgreSQL, Redis, Kubernetes, DynamoDB, Consul, one machine, or one of your own in fifty lines',
    partition: 'whoever reaches the store elects',
    choose: 'you run one of these stores, and nothing else that could elect',
  },
};

const familiarSize = 5;

export function renderComparisonPage({ simulated, live, stores }: ComparisonData): string {
  return `${[
    '# The comparison',
    '',
    '<!-- Made by apps/bench from docs/data: node apps/bench/dist/comparison.js --write. A test fails when it differs. -->',
    '',
    'No figure here says that an elector is right for you. Bully and ring are fast because they do not ask anybody: both elect two leaders when the network is partitioned. The others never did in any trial below, as long as clocks and pauses stay within what they declare; `lease/redis-replica`, on a store that forgets, is there to show that it can. Times are those of a modelled network, or of one machine.',
    '',
    'To know before comparing rows:',
    '',
    `- **One budget for all.** The longest that a silent leader goes unnoticed is ${grouped(simulated.budgetMs ?? 0)} ms for each elector. Bully, ring and raft draw their timeouts from one range, half of that to all of it, so the first of several followers notices sooner; a lease or a session has no such luck, and runs out when it does.`,
    '- **A crash is not silence.** A killed process closes its connections. Bully and ring take that for a death and elect at once; raft, etcd and zookeeper wait for the timeout, the lease or the session, since a closed connection proves nothing. A lease on `lease/postgres-session` or `lease/local` ends with its process, by the word of the server or the kernel that kept the connection.',
    '- **Stores are not alike.** Consul keeps a session for twice its time, so its lease is half as long in these rows. Nobody tells a candidate on DynamoDB that a leader resigned: it looks. `lease/local` has no rows for faults of a network, which one machine has not; and one that hangs is not replaced.',
    ...provisional(simulated),
    '',
    ...choices(simulated),
    '',
    ...safety(simulated),
    '',
    ...times(simulated),
    '',
    ...coordinatorFaults(simulated),
    '',
    ...sizes(simulated),
    '',
    ...liveRun(live),
    '',
    ...besideClaims(live),
    '',
    ...oursAndTheirs(live),
    ...(stores === undefined ? [] : onStores(stores)),
    ...provenance(simulated, live),
  ].join('\n')}\n`;
}

interface Claim {
  readonly algorithm: string;
  readonly published: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly why: string;
}

/** What textbooks and manuals say of a failover. A round trip on one machine takes less than a millisecond. */
const claims: readonly Claim[] = [
  {
    algorithm: 'bully',
    published: 'two round trips',
    fromMs: 0,
    toMs: 2,
    why: 'That counts the messages. Before them it waits until a stronger node that is silent must have answered: twice the longest delay of a message, which is a setting and not the network’s.',
  },
  {
    algorithm: 'raft',
    published: '1 to 5 s',
    fromMs: 1000,
    toMs: 5000,
    why: 'It is the election timeout, whatever that is: shorter ones give shorter failovers ([`raft/failover.json`](data/raft/failover.json)).',
  },
  {
    algorithm: 'zookeeper',
    published: '5 to 30 s',
    fromMs: 5000,
    toMs: 30_000,
    why: 'It is what is left of the session. The claim is that of customary sessions; this one is shorter.',
  },
  {
    algorithm: 'etcd',
    published: '5 to 30 s',
    fromMs: 5000,
    toMs: 30_000,
    why: 'It is what is left of the lease, and the server’s next look for expired ones. The claim is that of customary leases; this one is shorter.',
  },
];

function besideClaims({ rows }: Digest): string[] {
  const crashes = rows.filter(
    ({ fault, peer, variant }) => fault === 'crash' && !peer && variant === 'default',
  );
  const lines = claims.flatMap(({ algorithm, published, fromMs, toMs, why }) => {
    const found = crashes.find((row) => row.algorithm === algorithm)?.failoverMs;
    if (found === null || found === undefined) return [];
    const verdict = found.p50 < fromMs ? 'no: sooner' : found.p50 > toMs ? 'no: later' : 'yes';
    return [[algorithm, published, spread(found), verdict, why]];
  });
  return [
    '## Beside the published claims',
    '',
    'A crash, from the live run above, beside what textbooks and manuals say. A claim about a time is a claim about settings.',
    '',
    ...table(['elector', 'published', 'measured here', 'does it hold here?', 'why'], lines),
  ];
}

/** The lab measures leases, for each store has electors of other people beside it. */
function onStores({ kill, resign }: StoreMeasurements): string[] {
  const [{ trials }] = kill as [StoreMeasurement];
  const shown = (found: StoreMeasurement | undefined): string =>
    found === undefined ? '–' : `${milliseconds(found.medianMs)} (${milliseconds(found.maxMs)})`;
  return [
    '## Leases on real stores',
    '',
    `Real servers and processes, ${trials} trials each: medians, and the slowest in brackets. DynamoDB is an emulator, dynalite. \`pg_advisory_lock\`, a loop of \`SET NX PX\`, the \`redlock\` package, client-go, \`consul lock\` and \`flock\` are what others do; none of them has a token, and the lease of the programs cannot be changed. A candidate of client-go looks every five seconds; \`consul lock\` waits for a lock-delay, too. The rows from \`hustings kubernetes\` on come from a machine that had far too much to do, so their milliseconds are not to be compared with those above them; \`local.json\` has \`local\` on a quiet one. The data are in [\`docs/data/stores\`](data/stores).`,
    '',
    ...table(
      ['elector', 'lease', 'SIGKILL to the next leader', 'resignation to the next leader'],
      kill.map((row) => [
        row.make,
        row.ttlMs === null ? 'none' : milliseconds(row.ttlMs),
        shown(row),
        shown(resign.find(({ make }) => make === row.make)),
      ]),
    ),
    '',
  ];
}

/** Of fewer trials than this, p99 is the slowest one. */
const fewTrials = 100;

function provisional({ rows }: Digest): string[] {
  const [{ trials }] = rows as [DigestRow];
  if (trials >= fewTrials) return [];
  return [
    `- **The data are provisional.** The simulated rows have ${trials} trials each, so p99 is the slowest of them, and some algorithms and settings have changed since. The commands at the end make them anew.`,
  ];
}

function choices({ rows }: Digest): string[] {
  return [
    '## In short',
    '',
    ...table(
      [
        'elector',
        'take it if',
        'needs',
        'when the network is partitioned',
        'two leaders at once',
        'stale writes accepted unfenced',
        'fenced',
      ],
      algorithmsOf(rows).map((algorithm) => {
        const own = rows.filter((row) => row.algorithm === algorithm && row.variant === 'default');
        const { choose, needs, partition } = facts[algorithm]!;
        return [
          algorithm,
          choose,
          needs,
          partition,
          twoLeaders(own),
          grouped(sum(own, (row) => row.writes.staleAcceptedUnfenced)),
          grouped(sum(own, (row) => row.writes.staleAcceptedFenced)),
        ];
      }),
    ),
    ...whyFencesFail(rows),
  ];
}

/** Only electors that do not promise growing tokens have such rows; a test of the benchmark holds the others to it. */
function whyFencesFail(rows: Digest['rows']): string[] {
  const passed = rows.filter((row) => row.variant === 'default' && row.writes.staleAcceptedFenced > 0);
  if (passed.length === 0) return [];
  const counts = algorithmsOf(passed).map((algorithm) => {
    const own = passed.filter((row) => row.algorithm === algorithm);
    return `${grouped(sum(own, (row) => row.writes.staleAcceptedFenced))} of ${algorithm}`;
  });
  const faults = [...new Set(passed.map(({ fault }) => `\`${fault}\``))].join(', ');
  return [
    '',
    `**Why a fenced store took stale writes, ${counts.join(' and ')}**, all under ${faults}: whoever did not receive the announcement of another leader counts its own epoch from the same number, and both lead with the same token. The store keeps the holder that it saw first under a token and refuses the second one, so each token has one writer; but the one that it keeps began earlier, and its writes are stale by the clock. That is what it means not to promise growing tokens.`,
  ];
}

/** A clock at half speed is beyond what any elector with a lease declares, so it is told apart. */
function twoLeaders(rows: Digest['rows']): string {
  const share = (some: Digest['rows']): string | null => {
    const affected = sum(some, (row) => row.splitBrain.trialsAffected);
    return affected === 0
      ? null
      : `${grouped(affected)} of ${grouped(sum(some, (row) => row.trials))} trials`;
  };
  const otherwise = share(rows.filter(({ fault }) => fault !== 'clock-drift'));
  const drifting = share(rows.filter(({ fault }) => fault === 'clock-drift'));
  if (drifting === null) return otherwise ?? 'never';
  return `${otherwise ?? 'never'}; with a clock at half speed ${drifting}`;
}

/** A lease has another store in each variant, and what a store promises is not the same for all. */
const isMainRow = ({ algorithm, variant }: DigestRow): boolean =>
  variant === 'default' || algorithm === 'lease';

function safety({ rows }: Digest): string[] {
  const shown = rows.filter(
    (row) => row.nodes === familiarSize && isMainRow(row) && row.splitBrain.trialsAffected > 0,
  );
  return [
    `## Two leaders at once, ${familiarSize} nodes`,
    '',
    'The rows in which it happened; no other elector has one. Each leader writes every 10 ms, and a write is stale once a newer leader has begun.',
    '',
    ...table(
      [
        'elector',
        'fault',
        'trials',
        'with two leaders',
        'for at most',
        'stale writes',
        'accepted unfenced',
        'accepted fenced',
      ],
      shown.map((row) => [
        nameOf(row),
        row.fault,
        grouped(row.trials),
        grouped(row.splitBrain.trialsAffected),
        milliseconds(row.splitBrain.longestMs),
        grouped(row.writes.staleAttempted),
        grouped(row.writes.staleAcceptedUnfenced),
        grouped(row.writes.staleAcceptedFenced),
      ]),
    ),
  ];
}

const commonFaults: readonly string[] = ['crash', 'pause', 'isolate', 'split', 'graceful'];

function times({ rows, budgetMs }: Digest): string[] {
  const shown = rows.filter((row) => row.nodes === familiarSize && commonFaults.includes(row.fault));
  return [
    `## How long, ${familiarSize} nodes`,
    '',
    `Every elector is given ${grouped(budgetMs ?? 0)} ms to notice that its leader is silent. Medians; p99 in brackets. *Next write* is when a write of the new leader first gets through: a fenced store accepts it, and the coordinator, if there is one, can commit. *Messages* are those until the next one leads, heartbeats left out.`,
    '',
    ...timesTable(shown),
  ];
}

function timesTable(rows: readonly DigestRow[]): string[] {
  return table(
    [
      'elector',
      'fault',
      'detection',
      'failover',
      'next write',
      'all agree',
      'messages',
      'idle messages/s',
      'unresolved',
    ],
    rows.map((row) => [
      nameOf(row),
      row.fault,
      spread(row.detectionMs),
      spread(row.failoverMs),
      spread(row.nextWriteMs),
      spread(row.convergenceMs),
      whole(row.messages.failover),
      whole(row.messages.steadyPerSecond),
      row.unresolved === 0 ? '0' : `${grouped(row.unresolved)} of ${grouped(row.trials)}`,
    ]),
  );
}

function coordinatorFaults({ rows }: Digest): string[] {
  const faults = ['isolate-from-coordinator', 'coordinator-member-crash', 'coordinator-crash'];
  const shown = rows.filter((row) => row.nodes === familiarSize && faults.includes(row.fault));
  if (shown.length === 0) return [];
  return [
    '## When the coordinator fails',
    '',
    'Nobody leads while the whole coordinator is down, which is the right answer; bully, ring and raft have none to lose. *Kept*: the leader rightly stayed.',
    '',
    ...table(
      ['elector', 'fault', 'kept', 'failover', 'unresolved', 'two leaders', 'stale writes fenced'],
      shown.map((row) => [
        nameOf(row),
        row.fault,
        `${grouped(row.kept)} of ${grouped(row.trials)}`,
        spread(row.failoverMs),
        grouped(row.unresolved),
        grouped(row.splitBrain.trialsAffected),
        grouped(row.writes.staleAcceptedFenced),
      ]),
    ),
  ];
}

function sizes({ rows }: Digest): string[] {
  const counts = [...new Set(rows.map(({ nodes }) => nodes))].sort((a, b) => a - b);
  if (counts.length < 2) return [];
  const section = (fault: string): string[] => {
    const shown = rows.filter((row) => row.fault === fault);
    const names = [...new Set(shown.map(nameOf))];
    return [
      ...table(
        [`${fault}: nodes`, ...counts.map(String)],
        names.map((name) => [
          name,
          ...counts.map((nodes) =>
            whole(
              shown.find((row) => nameOf(row) === name && row.nodes === nodes)?.messages.failover ?? null,
            ),
          ),
        ]),
      ),
      '',
    ];
  };
  return [
    '## Messages until the next one leads, against the size of the cluster',
    '',
    'In a crash every connection closes, so all nodes notice at once: the worst case of bully, which is quadratic. A ring lets all elections but one end early, and stays linear. A silent leader is noticed by one node or a few. ZooKeeper and etcd wake only the next in line; their `herd` and `race` variants wake everyone.',
    '',
    ...section('crash'),
    ...section('isolate'),
  ].slice(0, -1);
}

function liveRun(live: Digest): string[] {
  const ours = live.rows.filter(({ peer }) => !peer);
  const [{ trials, nodes }] = ours as [DigestRow];
  return [
    `## The same for real, ${nodes} nodes`,
    '',
    `One live run: processes on one machine of ${live.machine.cpus} processors, joined by WebSockets, with real etcd and ZooKeeper of three members; SIGKILL, and cut links. ${trials} trials a row, so p99 is the slowest of them.`,
    '',
    ...timesTable(ours),
    '',
    `Two leaders at once: ${sentenceOf(
      ours,
      (row) => row.splitBrain.trialsAffected,
      (count) => `in ${counted(count, 'trial')}`,
    )}. Stale writes that the fenced store accepted: ${sentenceOf(
      ours,
      (row) => row.writes.staleAcceptedFenced,
      (count) => counted(count, 'write'),
    )}.`,
  ];
}

/** Nothing where no rivals were measured. */
function oursAndTheirs({ rows }: Digest): string[] {
  const rivals = rows.filter(({ peer }) => peer);
  if (rivals.length === 0) return [];
  const faults = rivals.map(({ fault }) => fault);
  // Beside them those of ours that use the same servers: their messages pass the same counters.
  const shown = rows.filter(
    ({ peer, messages, fault }) => peer || (messages.wire !== undefined && faults.includes(fault)),
  );
  return [
    '## Ours and theirs',
    '',
    `From the same live run, on the same servers, with the same lease or session: ${algorithmsOf(rivals).join(', ')} are other people’s electors, the \`etcd3\` package’s election, \`etcdctl elect\` and \`etcdctl lock\`, and Apache Curator’s LeaderLatch. \`etcdctl elect\` has a lease of 60 s that cannot be changed, so it is compared only where nobody waits for its end. A dash stands for what did not happen. *On the wire*: messages between all candidates and the servers until the next one leads, keep-alives included, and per second while nothing happens.`,
    '',
    ...table(
      [
        ...['elector', 'fault', 'failover', 'next write', 'two leaders', 'for at most'],
        ...['stale writes unfenced', 'fenced', 'on the wire', 'idle/s', 'kept', 'unresolved'],
      ],
      shown.map((row) => [
        ...[nameOf(row), row.fault, spread(row.failoverMs), spread(row.nextWriteMs)],
        `${grouped(row.splitBrain.trialsAffected)} of ${grouped(row.trials)}`,
        milliseconds(row.splitBrain.longestMs),
        grouped(row.writes.staleAcceptedUnfenced),
        grouped(row.writes.staleAcceptedFenced),
        whole(row.messages.wire?.failover ?? null),
        whole(row.messages.wire?.steadyPerSecond ?? null),
        grouped(row.kept),
        grouped(row.unresolved),
      ]),
    ),
    '',
  ];
}

function sentenceOf(
  rows: readonly DigestRow[],
  pick: (row: DigestRow) => number,
  say: (count: number) => string,
): string {
  const affected = algorithmsOf(rows).flatMap((algorithm) => {
    const count = sum(
      rows.filter((row) => row.algorithm === algorithm),
      pick,
    );
    return count === 0 ? [] : [`${algorithm} ${say(count)}`];
  });
  return affected.length === 0 ? 'none' : `${affected.join(', ')}; the others none`;
}

function provenance(simulated: Digest, live: Digest): string[] {
  const [first] = simulated.rows;
  const counts = [...new Set(simulated.rows.map(({ nodes }) => nodes))].join(',');
  const liveFaults = [...new Set(live.rows.map(({ fault }) => fault))].join(',');
  const hasRivals = live.rows.some(({ peer }) => peer);
  return [
    '## Where the figures come from',
    '',
    'The data is in [docs/data](data), and every row of `simulated.json` names its worst trial: `npm run replay -- TOKEN` shows it. To measure again:',
    '',
    '```sh',
    `npm run bench -- --variants --nodes ${counts} --faults all --trials ${first!.trials} --seed ${simulated.seed} --out bench-results/simulated`,
    `npm run bench -- --mode live${hasRivals ? ' --peers' : ''} --faults ${liveFaults} --trials ${live.rows[0]!.trials} --out bench-results/live`,
    'node apps/bench/dist/comparison.js --simulated bench-results/simulated/results.json --live bench-results/live/results.json --write',
    '```',
    '',
    ...settingsTable(simulated),
    'What is measured, and how, is in the [benchmark’s README](../apps/bench/README.md).',
  ];
}

function settingsTable({ settings }: Digest): string[] {
  if (settings === undefined) return [];
  const value = (each: number | string | readonly number[]): string =>
    typeof each === 'object' ? each.map(grouped).join(' to ') : grouped(Number(each));
  const rows = Object.entries(settings).map(([name, parameters]) => [
    name,
    Object.entries(parameters)
      .map(([key, each]) => `${key} ${value(each)}`)
      .join(', '),
  ]);
  return ['The settings of the simulated rows:', '', ...table(['elector', 'settings'], rows), ''];
}

const nameOf = ({ algorithm, variant }: DigestRow): string =>
  variant === 'default' ? algorithm : `${algorithm}/${variant}`;

const algorithmsOf = (rows: readonly DigestRow[]): string[] => [
  ...new Set(rows.map(({ algorithm }) => algorithm)),
];

const sum = (rows: readonly DigestRow[], pick: (row: DigestRow) => number): number =>
  rows.reduce((total, row) => total + pick(row), 0);

const grouped = (value: number): string => value.toLocaleString('en-US');
const counted = (value: number, thing: string): string =>
  `${grouped(value)} ${thing}${value === 1 ? '' : 's'}`;
const whole = (value: number | null): string => (value === null ? '–' : grouped(Math.round(value)));
const milliseconds = (value: number | null): string => {
  if (value === null) return '–';
  return value < 10 ? `${value.toFixed(1)} ms` : `${grouped(Math.round(value))} ms`;
};
const spread = (quantiles: DigestRow['failoverMs']): string =>
  quantiles === null ? '–' : `${milliseconds(quantiles.p50)} (${milliseconds(quantiles.p99)})`;

function table(headings: readonly string[], lines: readonly (readonly string[])[]): string[] {
  return [
    `| ${headings.join(' | ')} |`,
    `|${headings.map(() => '---').join('|')}|`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ];
}
