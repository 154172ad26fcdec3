/** Elections of many candidates, in the simulator and in one process on a real ensemble, and what they cost. */

import { randomUUID } from 'node:crypto';
import type { Leadership } from '@hustings/elector';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { type AnyProtocol, Oracle, Random, Simulation } from '@hustings/simulator';
import { until } from '@hustings/testkit/check';
import { type MeteredTransport, metered } from '@hustings/transport';
import {
  invariants,
  type ZooKeeperMessage,
  type ZooKeeperSettings,
  type ZooKeeperState,
  zookeeper,
} from '@hustings/zookeeper';
import { zookeeperGateway } from '@hustings/zookeeper/gateway';
import { simulatedZooKeeper } from '@hustings/zookeeper/simulated';

const patienceMs = 60_000;

/** What the survivors sent and received from the leader's end until all was quiet, pings left out. */
export interface FailoverCost {
  readonly notifications: number;
  /** Sent and received until the next one led. */
  readonly untilLed: Readonly<Record<string, number>>;
  /** The same until everyone had heard who leads. */
  readonly untilAgreed: Readonly<Record<string, number>>;
}

const isNotification = (type: string): boolean => type === 'node-deleted' || type === 'children-changed';

function costOf(untilLed: Record<string, number>, untilAgreed: Record<string, number>): FailoverCost {
  const notifications = Object.entries(untilAgreed)
    .filter(([type]) => isNotification(type))
    .reduce((sum, [, count]) => sum + count, 0);
  return { notifications, untilLed, untilAgreed };
}

// ---- Simulated ----------------------------------------------------------------------------------------

function simulate(nodes: number, settings: Partial<ZooKeeperSettings>, seed: number) {
  const protocol = zookeeper({ sessionTimeoutMs: 2000, ...settings });
  const counts: Record<string, number> = {};
  const oracle = new Oracle<ZooKeeperState>(invariants, protocol.guarantees);
  const simulation = new Simulation<ZooKeeperState>({
    protocol: protocol as AnyProtocol<ZooKeeperState>,
    services: [{ id: 'zookeeper', machine: simulatedZooKeeper() }],
    nodes: Array.from({ length: nodes }, (_, index) => `n${index + 1}`),
    seed,
    network: { latencyMs: [0.5, 1] },
    observers: [
      oracle,
      {
        sending(_from, _to, { type }) {
          if (!protocol.periodicMessages.has(type as ZooKeeperMessage['type'])) {
            counts[type] = (counts[type] ?? 0) + 1;
          }
          return undefined;
        },
      },
    ],
  });
  oracle.attach(simulation);
  return { simulation, oracle, counts };
}

export function simulatedFailover(nodes: number, settings: Partial<ZooKeeperSettings>): FailoverCost {
  const { simulation, counts } = simulate(nodes, settings, nodes);
  simulation.runUntil(5000);
  const doomed = simulation.leader!;
  const before = { ...counts };
  simulation.inject({ type: 'crash', node: doomed.id });
  simulation.runUntilTrue(() => simulation.leader !== null, 10_000);
  const led = subtract(counts, before);
  simulation.runUntil(12_000);
  return costOf(led, subtract(counts, before));
}

/** Candidates leave one by one, in random order, by crash or by resigning. Says what went wrong, or null. */
export function simulatedExodus(nodes: number, seed: number): string | null {
  const { simulation, oracle } = simulate(nodes, {}, seed);
  const random = new Random(seed);
  const remaining = simulation.nodes.map(({ id }) => id);
  let atMs = 5000;
  while (remaining.length > 1) {
    const [leaving] = remaining.splice(random.integer(0, remaining.length - 1), 1);
    const type = random.chance(0.5) ? ('crash' as const) : ('graceful' as const);
    simulation.plan({ type, node: leaving!, atMs });
    atMs += random.between(0, 500);
  }
  simulation.runUntilTrue(() => oracle.violation !== null, atMs + 10_000);
  if (oracle.violation !== null) return `${oracle.violation.property}: ${oracle.violation.detail}`;
  return simulation.leader?.id === remaining[0]
    ? null
    : `${simulation.leader?.id} leads, not ${remaining[0]}`;
}

// ---- Real ---------------------------------------------------------------------------------------------

interface Candidate {
  readonly elector: RuntimeElector;
  readonly meter: MeteredTransport<ZooKeeperMessage>;
}

/** Candidates in one process, in the order in which they stood, and every Leadership that began beside another. */
export class Crowd {
  readonly path = `/crowd/${randomUUID()}`;
  readonly candidates: Candidate[] = [];
  readonly overlaps: string[] = [];
  readonly #hosts: string;
  readonly #settings: Partial<ZooKeeperSettings>;
  readonly #terms = new Map<Candidate, Leadership>();

  constructor(hosts: string, settings: Partial<ZooKeeperSettings> = {}) {
    this.#hosts = hosts;
    this.#settings = { sessionTimeoutMs: 2000, ...settings };
  }

  get leader(): Candidate | null {
    for (const [candidate, { signal }] of this.#terms) if (!signal.aborted) return candidate;
    return null;
  }

  async gather(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const meter = metered(zookeeperGateway({ id: `n${index + 1}`, hosts: this.#hosts }));
      const protocol = zookeeper({ path: this.path, ...this.#settings });
      const elector = createElector({ protocol, transport: meter, peers: [], storage: memoryStorage() });
      const candidate: Candidate = { elector, meter };
      this.candidates.push(candidate);
      await elector.start();
      elector.campaign().then(
        (term) => this.#begin(candidate, term),
        () => {},
      );
      const [first] = this.candidates;
      if (index === 0) await until('the first leads', patienceMs, () => this.leader === first);
    }
    await this.agreed();
  }

  /** Until everyone who is left believes in the leader. */
  agreed(): Promise<void> {
    return until('all believe in the leader', patienceMs, () =>
      this.candidates.every(({ elector }) => elector.belief().leaderId === this.leader?.elector.id),
    );
  }

  async leave(candidate: Candidate): Promise<void> {
    this.candidates.splice(this.candidates.indexOf(candidate), 1);
    await candidate.elector.stop();
  }

  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { meter } of this.candidates) {
      const { sent, received } = meter.counts();
      for (const [type, count] of [...Object.entries(sent.byType), ...Object.entries(received.byType)]) {
        if (!periodic.has(type)) counts[type] = (counts[type] ?? 0) + count;
      }
    }
    return counts;
  }

  async stop(): Promise<void> {
    await Promise.all(this.candidates.map(({ elector }) => elector.stop()));
  }

  #begin(candidate: Candidate, term: Leadership): void {
    const rival = this.leader;
    if (rival !== null) this.overlaps.push(`${candidate.elector.id} led beside ${rival.elector.id}`);
    this.#terms.set(candidate, term);
  }
}

const periodic: ReadonlySet<string> = zookeeper().periodicMessages;

export async function realFailover(
  hosts: string,
  nodes: number,
  settings: Partial<ZooKeeperSettings>,
): Promise<FailoverCost> {
  const crowd = new Crowd(hosts, settings);
  try {
    await crowd.gather(nodes);
    const former = crowd.leader!;
    crowd.candidates.splice(crowd.candidates.indexOf(former), 1);
    const before = crowd.counts();
    await former.elector.stop();
    await until('another leads', patienceMs, () => crowd.leader !== null);
    const led = subtract(crowd.counts(), before);
    await crowd.agreed();
    await new Promise((resolve) => setTimeout(resolve, 500));
    return costOf(led, subtract(crowd.counts(), before));
  } finally {
    await crowd.stop();
  }
}

/** Candidates leave one by one, in random order. Says who led beside whom. */
export async function realExodus(hosts: string, nodes: number, seed: number): Promise<readonly string[]> {
  const crowd = new Crowd(hosts);
  const random = new Random(seed);
  try {
    await crowd.gather(nodes);
    while (crowd.candidates.length > 1) {
      await crowd.leave(crowd.candidates[random.integer(0, crowd.candidates.length - 1)]!);
      if (random.chance(0.2)) await until('somebody leads', patienceMs, () => crowd.leader !== null);
    }
    await crowd.agreed();
    return crowd.overlaps;
  } finally {
    await crowd.stop();
  }
}

function subtract(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const entries = Object.entries(after).map(([type, count]) => [type, count - (before[type] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}
