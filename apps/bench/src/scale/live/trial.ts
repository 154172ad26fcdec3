/** Services with many elections on one etcd: what they cost while nothing happens, and what comes of the death of a process. */

import { randomBytes, randomUUID } from 'node:crypto';
import { type EtcdCluster, monotonicMs } from '@hustings/servers';
import { aggregators, processesPerService, type ScaleName, servicesOf } from '../plan.js';
import { type EtcdMetrics, metricsOf } from './etcd-metrics.js';
import { AggregatorNode, Node, shareOf, type Term } from './node.js';

interface LiveScaleTrial extends ScaleName {
  /** How long nothing happens, to be measured. */
  readonly quietMs: number;
  /** Whether `balance` keeps the elections even. */
  readonly balance: boolean;
  readonly signal: AbortSignal;
}

/** What came of one trial. */
export interface LiveOutcome {
  readonly renewalsPerSecond: number;
  readonly readsPerSecond: number;
  readonly watches: number;
  readonly callsPerSecond: number | null;
  readonly cpu: { readonly etcd: number; readonly aggregator: number | null; readonly process: number };
  readonly lostWhileQuiet: number;
  readonly lost: number;
  readonly failoverMs: readonly number[];
  /** How many of the lost elections each process that survives has led first. */
  readonly takenBy: readonly number[];
  /** How many elections each of them leads in the end. */
  readonly led: readonly number[];
  readonly overlaps: number;
  readonly tokensThatDidNotGrow: number;
  readonly failures: number;
}

/** This machine does not bear it. */
export class TooMuchError extends Error {}

/** More than a quiet machine needs for any number of elections that it can hold. */
const patienceMs = 90_000;

export async function runLiveTrial(etcd: EtcdCluster, trial: LiveScaleTrial): Promise<LiveOutcome> {
  const stage = new Stage(etcd, trial);
  try {
    await stage.begin();
    const quiet = await stage.quiet();
    return { ...quiet, ...(await stage.kill()) };
  } finally {
    await stage.end();
  }
}

class Stage {
  readonly #etcd: EtcdCluster;
  readonly #trial: LiveScaleTrial;
  readonly #name = `scale-${randomUUID()}`;
  readonly #secret = randomBytes(32).toString('hex');
  readonly #aggregators: AggregatorNode[] = [];
  /** The processes of each service. */
  readonly #services: Node[][] = [];

  constructor(etcd: EtcdCluster, trial: LiveScaleTrial) {
    this.#etcd = etcd;
    this.#trial = trial;
  }

  get #nodes(): Node[] {
    return this.#services.flat();
  }

  async begin(): Promise<void> {
    const { way, elections, balance } = this.#trial;
    const hosts = this.#etcd.endpoints;
    const urls = way === 'aggregator' ? await this.#startAggregators(hosts) : hosts;
    for (const [index, size] of servicesOf(elections).entries()) {
      const service: Node[] = [];
      this.#services.push(service);
      const prefix = `${this.#name}-${index + 1}`;
      for (let place = 0; place < processesPerService; place += 1) {
        const id = `node-${place + 1}`;
        const order = { id, place, way, prefix, elections: size, urls, secret: this.#secret, balance };
        service.push(await Node.start(order));
      }
    }
    await this.#until('all elections are led', () =>
      servicesOf(elections).every((size, index) => this.#isReady(this.#services[index]!, size)),
    );
  }

  #isReady(service: readonly Node[], size: number): boolean {
    const led = service.reduce((sum, node) => sum + node.led.length, 0);
    const isSettled = service.every(({ state }) => state.known === size && state.standing === size);
    return led === size && isSettled && (!this.#trial.balance || isEven(service, size));
  }

  async #startAggregators(hosts: readonly string[]): Promise<string[]> {
    const election = `${this.#name}-aggregators`;
    for (let place = 1; place <= aggregators; place += 1) {
      const order = { id: `aggregator-${place}`, election, hosts, secret: this.#secret };
      this.#aggregators.push(await AggregatorNode.start(order));
    }
    await this.#until('an aggregator leads', () => this.#leading !== undefined);
    return this.#aggregators.map(({ state }) => state!.url);
  }

  get #leading(): AggregatorNode | undefined {
    const all = this.#aggregators.every(({ state }) => state !== null);
    return all ? this.#aggregators.find(({ state }) => state?.leads) : undefined;
  }

  /** While nothing happens. */
  async quiet() {
    await this.#untilNobodyWrites();
    const termsBefore = this.#countTerms();
    const before = await this.#look();
    await this.#pause(this.#trial.quietMs);
    const after = await this.#look();
    const seconds = (after.atMs - before.atMs) / 1000;
    const shares = after.nodes.map((state, index) => shareOf(before.nodes[index]!, state));
    const [asked, was] = [after.aggregator, before.aggregator];
    const hasAggregator = asked !== null && was !== null;
    return {
      renewalsPerSecond: (after.etcd.renewals - before.etcd.renewals) / seconds,
      readsPerSecond: (after.etcd.transactions - before.etcd.transactions) / seconds,
      watches: after.etcd.watches,
      callsPerSecond: hasAggregator ? (1000 * (asked.calls - was.calls)) / (asked.atMs - was.atMs) : null,
      cpu: {
        etcd: (after.etcd.cpuSeconds - before.etcd.cpuSeconds) / seconds,
        aggregator: hasAggregator ? shareOf(was, asked) : null,
        process: shares.reduce((sum, share) => sum + share, 0) / shares.length,
      },
      lostWhileQuiet: this.#countTerms() - termsBefore,
    };
  }

  async #look() {
    return {
      etcd: await this.#metrics(),
      nodes: this.#nodes.map(({ state }) => state),
      aggregator: this.#leading?.state ?? null,
      atMs: monotonicMs(),
    };
  }

  #metrics(): Promise<EtcdMetrics> {
    return metricsOf(this.#etcd.endpoints[0] ?? '');
  }

  #countTerms(): number {
    return this.#nodes.reduce((sum, { terms }) => sum + terms.length, 0);
  }

  /** Of the first service one process dies. */
  async kill() {
    const [victim, ...survivors] = this.#services[0] as [Node, ...Node[]];
    const killedMs = monotonicMs();
    const lost = victim.kill(killedMs);
    const successors = new Map<string, Term>();
    await this.#until('all elections of the dead process are led again', () => {
      for (const { terms } of survivors) {
        for (const term of terms) {
          if (term.beganMs <= killedMs) continue;
          const first = successors.get(term.election);
          if (first === undefined || term.beganMs < first.beganMs) successors.set(term.election, term);
        }
      }
      return lost.every(({ election }) => successors.has(election));
    });
    const firsts = lost.map(({ election }) => successors.get(election)!);
    const size = servicesOf(this.#trial.elections)[0]!;
    if (this.#trial.balance) await this.#until('all is even again', () => isEven(survivors, size));
    return {
      lost: lost.length,
      failoverMs: firsts.map(({ beganMs }) => beganMs - killedMs),
      takenBy: survivors.map(({ id }) => firsts.filter(({ node }) => node === id).length),
      led: survivors.map(({ led }) => led.length),
      ...verdictOf(this.#services),
      failures: this.#nodes.reduce((sum, { failures }) => sum + failures, 0),
    };
  }

  async end(): Promise<void> {
    await Promise.all([...this.#nodes, ...this.#aggregators].map((node) => node.stop()));
  }

  /** Keys are still put, and nodes still line up, when all are led. */
  async #untilNobodyWrites(): Promise<void> {
    const giveUpMs = monotonicMs() + patienceMs;
    for (let before = -1; monotonicMs() < giveUpMs; ) {
      const { writes } = await this.#metrics();
      if (writes === before) return;
      before = writes;
      await this.#pause(2500);
    }
    throw new TooMuchError(`its elections came to no rest within ${patienceMs / 1000} s.`);
  }

  async #until(what: string, condition: () => boolean): Promise<void> {
    const giveUpMs = monotonicMs() + patienceMs;
    while (!condition()) {
      if (monotonicMs() > giveUpMs) {
        throw new TooMuchError(`${patienceMs / 1000} s were not enough until ${what}.`);
      }
      await this.#pause(20);
    }
  }

  async #pause(ms: number): Promise<void> {
    this.#trial.signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function isEven(service: readonly Node[], size: number): boolean {
  const loads = service.map(({ led }) => led.length);
  return loads.reduce((sum, load) => sum + load, 0) === size && Math.max(...loads) - Math.min(...loads) <= 1;
}

/** Of each election, whether every term began after the one before had ended, and with a greater token. */
function verdictOf(services: readonly (readonly Node[])[]) {
  let [overlaps, tokensThatDidNotGrow] = [0, 0];
  for (const service of services) {
    const terms = service.flatMap((node) => node.terms);
    const previous = new Map<string, Term>();
    for (const term of terms.toSorted((left, right) => left.beganMs - right.beganMs)) {
      const former = previous.get(term.election);
      previous.set(term.election, term);
      if (former === undefined) continue;
      if (former.endedMs > term.beganMs) overlaps += 1;
      if (former.token >= term.token) tokensThatDidNotGrow += 1;
    }
  }
  return { overlaps, tokensThatDidNotGrow };
}
