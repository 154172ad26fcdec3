/** Processes with many elections each on one etcd, of which one is killed. */

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type EtcdCluster, monotonicMs, type SupervisedProcess, supervise } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { spread } from '../run/spread.js';
import { electionNames, type Said } from './lines.js';
import { metricsOf } from './metrics.js';

export interface SessionsTrial {
  readonly processes: number;
  /** In each process. */
  readonly elections: number;
  readonly ttlSeconds: number;
  /** How long nothing happens, to be measured. */
  readonly quietMs: number;
}

/** Who led an election, from when to when. */
interface Term {
  readonly node: string;
  readonly election: string;
  readonly token: bigint;
  readonly beganMs: number;
  endedMs: number;
}

class Node {
  readonly id: string;
  readonly said: Said[] = [];
  readonly terms: Term[] = [];
  process: SupervisedProcess | null = null;

  constructor(id: string) {
    this.id = id;
  }

  hear(line: string): void {
    const said = JSON.parse(line) as Said;
    this.said.push(said);
    if (said.type === 'began') {
      const { election, token, atMs } = said;
      const term = {
        node: this.id,
        election,
        token: BigInt(token),
        beganMs: atMs,
        endedMs: Number.POSITIVE_INFINITY,
      };
      this.terms.push(term);
    }
    if (said.type !== 'ended') return;
    const term = this.terms.find(({ token }) => token === BigInt(said.token));
    if (term !== undefined) term.endedMs = said.atMs;
  }

  get known(): number {
    return this.#state?.known ?? 0;
  }

  get cpuMs(): number {
    return this.#state?.cpuMs ?? 0;
  }

  leadsAt(atMs: number): Term[] {
    return this.terms.filter(({ beganMs, endedMs }) => beganMs <= atMs && endedMs > atMs);
  }

  get #state(): Extract<Said, { type: 'state' }> | undefined {
    return this.said.findLast((said) => said.type === 'state');
  }
}

const program = fileURLToPath(
  new URL('../../../dist/measurements/sessions/node-process.js', import.meta.url),
);
const patienceMs = 300_000;

export async function runSessions(etcd: EtcdCluster, trial: SessionsTrial) {
  const { processes, elections, ttlSeconds, quietMs } = trial;
  const [endpoint = ''] = etcd.endpoints;
  const names = electionNames(elections);
  const prefix = `sessions-${randomUUID()}`;
  const nodes = Array.from({ length: processes }, (_, index) => new Node(`node-${index + 1}`));
  const startedMs = monotonicMs();
  try {
    for (const node of nodes) {
      node.process = await supervise(
        process.execPath,
        [program, node.id, prefix, `${elections}`, `${ttlSeconds}`, ...etcd.endpoints],
        { onLine: (line) => node.hear(line) },
      );
    }
    const isEven = (group: readonly Node[]): boolean => {
      const loads = loadsOf(group);
      return (
        loads.reduce((sum, load) => sum + load, 0) === elections &&
        Math.max(...loads) - Math.min(...loads) <= 1
      );
    };
    await until('all elections are led, and known to be', patienceMs, () =>
      nodes.every(({ known }) => known === elections),
    );
    const ledMs = monotonicMs();
    await until('they are evenly spread', patienceMs, () => isEven(nodes));
    const evenMs = monotonicMs();
    await untilNobodyWrites(endpoint);
    const [before, cpuBefore] = [await metricsOf(endpoint), nodes.map(({ cpuMs }) => cpuMs)];
    const quietFromMs = monotonicMs();
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const [after, cpuAfter] = [await metricsOf(endpoint), nodes.map(({ cpuMs }) => cpuMs)];
    const quietSeconds = (monotonicMs() - quietFromMs) / 1000;

    const [victim, ...survivors] = nodes as [Node, ...Node[]];
    const killedMs = monotonicMs();
    const lost = victim.leadsAt(killedMs).map(({ election }) => election);
    victim.process?.signal('SIGKILL');
    for (const term of victim.leadsAt(killedMs)) term.endedMs = killedMs;
    const successors = (): Term[] =>
      survivors.flatMap(({ terms }) =>
        terms.filter((term) => term.beganMs > killedMs && lost.includes(term.election)),
      );
    await until('all elections of the dead process are led again', patienceMs, () =>
      lost.every((election) => successors().some((term) => term.election === election)),
    );
    const firsts = lost.map((election) => firstOf(successors().filter((term) => term.election === election)));
    const takenBy = survivors.map(({ id }) => firsts.filter(({ node }) => node === id).length);
    await until('they are evenly spread again', patienceMs, () => isEven(survivors));
    const evenAgainMs = monotonicMs();
    return {
      ...{ processes, elections, ttlSeconds },
      begin: { allLedAfterMs: round(ledMs - startedMs), evenAfterMs: round(evenMs - startedMs) },
      quiet: {
        seconds: round(quietSeconds),
        renewalsPerSecond: round((after.renewals - before.renewals) / quietSeconds),
        transactionsPerSecond: round((after.transactions - before.transactions) / quietSeconds),
        ...{ watches: after.watches, watchStreams: after.watchStreams },
        serverCpuShare: round((after.cpuSeconds - before.cpuSeconds) / quietSeconds),
        processCpuShare: cpuAfter.map((cpuMs, index) =>
          round((cpuMs - cpuBefore[index]!) / 1000 / quietSeconds),
        ),
      },
      kill: {
        lost: lost.length,
        failoverMs: spread(firsts.map(({ beganMs }) => beganMs - killedMs)),
        takenBy,
        evenAfterMs: round(evenAgainMs - killedMs),
      },
      led: loadsOf(survivors),
      ...verdictOf(nodes, names),
      failures: nodes.flatMap(({ said }) => said.filter(({ type }) => type === 'failed')).length,
    };
  } finally {
    await Promise.all(nodes.map((node) => node.process?.stop()));
  }
}

/** Nodes still line up behind each leader when all is even. */
async function untilNobodyWrites(endpoint: string): Promise<void> {
  for (let patience = 40, before = Number.NEGATIVE_INFINITY; patience > 0; patience -= 1) {
    const { transactions } = await metricsOf(endpoint);
    if (transactions - before <= 3) return;
    before = transactions;
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

const loadsOf = (nodes: readonly Node[]): number[] => nodes.map((node) => node.leadsAt(monotonicMs()).length);

const round = (value: number): number => Math.round(value * 100) / 100;

const firstOf = (terms: readonly Term[]): Term =>
  terms.reduce((first, term) => (term.beganMs < first.beganMs ? term : first));

/** Of each election, whether every term began after the one before had ended, and with a greater token. */
function verdictOf(nodes: readonly Node[], names: readonly string[]) {
  let [overlaps, tokensThatDidNotGrow, terms] = [0, 0, 0];
  for (const election of names) {
    const held = nodes
      .flatMap((node) => node.terms.filter((term) => term.election === election))
      .toSorted((left, right) => left.beganMs - right.beganMs);
    terms += held.length;
    for (const [index, term] of held.slice(1).entries()) {
      const previous = held[index]!;
      if (previous.endedMs > term.beganMs) overlaps += 1;
      if (previous.token >= term.token) tokensThatDidNotGrow += 1;
    }
  }
  return { terms, overlaps, tokensThatDidNotGrow };
}
