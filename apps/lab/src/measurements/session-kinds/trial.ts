/** Processes with many elections each on one ensemble, or in one Raft group, of which one after the other is killed. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { monotonicMs, type SupervisedProcess, supervise } from '@hustings/servers';
import { until } from '@hustings/testkit/check';
import { spread } from '../run/spread.js';
import { electionNames, type Kind, type Said, type Setup } from './lines.js';

export interface Trial {
  readonly kind: Kind;
  /** In each of three processes. */
  readonly elections: number;
  readonly timeoutMs: number;
  /** How long nothing happens, to be measured. */
  readonly quietMs: number;
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
  readonly directory: string;
  /** How many requests the server has had so far, where there is one. */
  requests?(): Promise<number>;
}

/** Who led an election, from when to when. */
interface Term {
  readonly node: string;
  readonly election: string;
  readonly token: bigint;
  readonly beganMs: number;
  endedMs: number;
}

const ids = ['node-1', 'node-2', 'node-3'];
const patienceMs = 120_000;
const program = fileURLToPath(
  new URL('../../../dist/measurements/session-kinds/node-process.js', import.meta.url),
);

class Node {
  readonly id: string;
  readonly terms: Term[] = [];
  process: SupervisedProcess | null = null;
  known = 0;
  cpuMs = 0;
  ledGroupMs = 0;
  failures = 0;

  constructor(id: string) {
    this.id = id;
  }

  async start(setup: Omit<Setup, 'id'>): Promise<void> {
    const own: Setup = { ...setup, id: this.id, directory: join(setup.directory, this.id) };
    this.process = await supervise(process.execPath, [program, JSON.stringify(own)], {
      onLine: (line) => this.#hear(JSON.parse(line) as Said),
    });
  }

  /** When it was killed, and what it led. */
  kill(): { readonly atMs: number; readonly lost: readonly string[] } {
    this.process?.signal('SIGKILL');
    const atMs = monotonicMs();
    const lost = this.leads();
    for (const term of lost) term.endedMs = atMs;
    this.known = 0;
    return { atMs, lost: lost.map(({ election }) => election) };
  }

  leads(): Term[] {
    return this.terms.filter(({ endedMs }) => endedMs === Number.POSITIVE_INFINITY);
  }

  #hear(said: Said): void {
    if (said.type === 'began') {
      const { election, token, atMs: beganMs } = said;
      const endedMs = Number.POSITIVE_INFINITY;
      this.terms.push({ node: this.id, election, token: BigInt(token), beganMs, endedMs });
    } else if (said.type === 'ended') {
      const ofToken = ({ election, token }: Term) => election === said.election && `${token}` === said.token;
      const term = this.terms.find(ofToken);
      if (term !== undefined) term.endedMs = said.atMs;
    } else if (said.type === 'state') {
      this.known = said.known;
      this.cpuMs = said.cpuMs;
    } else if (said.type === 'leads-group') this.ledGroupMs = said.atMs;
    else this.failures += 1;
  }
}

export async function runTrial(trial: Trial) {
  const { kind, elections, timeoutMs, quietMs } = trial;
  const prefix = `sessions-${randomUUID()}`;
  const ports = Object.fromEntries(ids.map((id, index) => [id, trial.ports[index] ?? 0]));
  const setup = {
    ...{ kind, prefix, elections, timeoutMs, ports },
    hosts: trial.hosts,
    directory: trial.directory,
  };
  const nodes = ids.map((id) => new Node(id));
  const untilEven = (group: readonly Node[]) =>
    until('all elections are led and evenly spread', patienceMs, () => {
      const loads = group.map((node) => node.leads().length);
      const sum = loads.reduce((total, load) => total + load, 0);
      return sum === elections && Math.max(...loads) - Math.min(...loads) <= 1;
    });

  async function kill(victim: Node) {
    const ledGroup = leaderOf(nodes) === victim;
    const others = nodes.filter((node) => node !== victim);
    const { atMs, lost } = victim.kill();
    const successors = (election: string) =>
      others.flatMap(({ terms }) =>
        terms.filter((term) => term.election === election && term.beganMs > atMs),
      );
    await until('what it led is led again', patienceMs, () =>
      lost.every((election) => successors(election).length > 0),
    );
    const firstMs = lost.map(
      (election) => Math.min(...successors(election).map(({ beganMs }) => beganMs)) - atMs,
    );
    await untilEven(others);
    const evenAfterMs = round(monotonicMs() - atMs);
    await victim.start(setup);
    await untilEven(nodes);
    return {
      ...(kind === 'raft' && { ledTheGroup: ledGroup }),
      ...{ lost: lost.length, failoverMs: spread(firstMs), evenAfterMs },
    };
  }

  const startedMs = monotonicMs();
  try {
    await Promise.all(nodes.map((node) => node.start(setup)));
    await until('all elections are led, and known to be', patienceMs, () =>
      nodes.every(({ known }) => known === elections),
    );
    const allLedAfterMs = round(monotonicMs() - startedMs);
    await untilEven(nodes);
    const evenAfterMs = round(monotonicMs() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 2 * timeoutMs));
    const cpuBefore = nodes.map(({ cpuMs }) => cpuMs);
    const requestsBefore = await trial.requests?.();
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const cpuShare = nodes.map(({ cpuMs }, index) => round((cpuMs - cpuBefore[index]!) / quietMs));
    const requestsAfter = await trial.requests?.();
    const kills = [];
    // In a group, first one that does not lead it, and then the one that does.
    const follower = nodes.find((node) => node !== leaderOf(nodes))!;
    kills.push(await kill(follower));
    if (kind === 'raft') kills.push(await kill(leaderOf(nodes)));
    return {
      ...{ kind, processes: nodes.length, elections, timeoutMs },
      begin: { allLedAfterMs, evenAfterMs },
      quiet: {
        seconds: quietMs / 1000,
        processCpuShare: cpuShare,
        ...(requestsBefore !== undefined &&
          requestsAfter !== undefined && {
            requestsPerSecond: round((requestsAfter - requestsBefore) / (quietMs / 1000)),
          }),
      },
      kills,
      ...verdictOf(nodes, electionNames(elections)),
      failures: nodes.reduce((sum, { failures }) => sum + failures, 0),
    };
  } finally {
    await Promise.all(nodes.map((node) => node.process?.stop()));
  }
}

const leaderOf = (nodes: readonly Node[]): Node =>
  nodes.reduce((last, node) => (node.ledGroupMs > last.ledGroupMs ? node : last));

const round = (value: number): number => Math.round(value * 100) / 100;

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
