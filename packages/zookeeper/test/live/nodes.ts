import { randomUUID } from 'node:crypto';
import type { Leadership, NodeId } from '@hustings/elector';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { until } from '@hustings/testkit';
import {
  type ZooKeeperDiagnostic,
  type ZooKeeperGatewayOptions,
  zookeeperGateway,
} from '../../src/gateway.js';
import {
  type ZooKeeperAnnouncement,
  type ZooKeeperElectionRequest,
  type ZooKeeperSettings,
  zookeeper,
} from '../../src/index.js';

/** Nodes of one election, which are stopped together. */
export class Nodes {
  readonly path = `/live/${randomUUID()}`;
  readonly #settings: Partial<ZooKeeperSettings>;
  readonly #electors: RuntimeElector<ZooKeeperElectionRequest>[] = [];

  constructor(settings: Partial<ZooKeeperSettings> = {}) {
    this.#settings = { path: this.path, sessionTimeoutMs: 2000, ...settings };
  }

  async start(id: NodeId, connection: Omit<ZooKeeperGatewayOptions, 'id'>): Promise<Node> {
    const diagnostics: ZooKeeperDiagnostic[] = [];
    const announcements: ZooKeeperAnnouncement[] = [];
    const elector = createElector({
      protocol: zookeeper(this.#settings),
      transport: zookeeperGateway({
        id,
        onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
        ...connection,
      }),
      peers: [],
      storage: memoryStorage(),
      onAnnouncement: (announcement) => announcements.push(announcement),
    });
    this.#electors.push(elector);
    await elector.start();
    return new Node(elector, diagnostics, announcements);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#electors.map((elector) => elector.stop()));
  }
}

/** An elector, and the Leadership that its last campaign has won. */
export class Node {
  readonly elector: RuntimeElector<ZooKeeperElectionRequest>;
  readonly diagnostics: readonly ZooKeeperDiagnostic[];
  readonly announcements: readonly ZooKeeperAnnouncement[];
  #term: Leadership | null = null;

  constructor(
    elector: RuntimeElector<ZooKeeperElectionRequest>,
    diagnostics: readonly ZooKeeperDiagnostic[],
    announcements: readonly ZooKeeperAnnouncement[],
  ) {
    this.elector = elector;
    this.diagnostics = diagnostics;
    this.announcements = announcements;
  }

  get leads(): boolean {
    return this.#term !== null && !this.#term.signal.aborted;
  }

  term(): Leadership {
    if (this.#term === null) throw new Error(`${this.elector.id} has never led.`);
    return this.#term;
  }

  /** Stands, and says when it leads; the test's end may interrupt it. */
  stand(onLead: (leadership: Leadership) => void = () => {}): void {
    this.elector.campaign().then(
      (leadership) => {
        this.#term = leadership;
        onLead(leadership);
      },
      () => {},
    );
  }
}

/** Waits for something that must happen on a busy machine. */
export const eventually = (what: string, condition: () => boolean): Promise<void> =>
  until(what, 25_000, condition);
