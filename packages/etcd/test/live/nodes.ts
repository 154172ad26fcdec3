import { randomUUID } from 'node:crypto';
import type { Leadership, NodeId } from '@hustings/elector';
import { createElector, memoryStorage, type RuntimeElector } from '@hustings/runtime';
import { until } from '@hustings/testkit';
import { type EtcdGatewayOptions, etcdGateway } from '../../src/gateway.js';
import { type EtcdAnnouncement, type EtcdElectionRequest, type EtcdSettings, etcd } from '../../src/index.js';

/** Nodes of one election, which are stopped together. */
export class Nodes {
  readonly name = `live-${randomUUID()}`;
  readonly #settings: Partial<EtcdSettings>;
  readonly #electors: RuntimeElector<EtcdElectionRequest>[] = [];

  constructor(settings: Partial<EtcdSettings> = {}) {
    this.#settings = { name: this.name, ttlSeconds: 2, ...settings };
  }

  async start(id: NodeId, connection: Omit<EtcdGatewayOptions, 'id'>): Promise<Node> {
    const announcements: EtcdAnnouncement[] = [];
    const elector = createElector({
      protocol: etcd(this.#settings),
      transport: etcdGateway({ id, ...connection }),
      peers: [],
      storage: memoryStorage(),
      onAnnouncement: (announcement) => announcements.push(announcement),
    });
    this.#electors.push(elector);
    await elector.start();
    return new Node(elector, announcements);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#electors.map((elector) => elector.stop()));
  }
}

/** An elector, and the Leadership that its last campaign has won. */
export class Node {
  readonly elector: RuntimeElector<EtcdElectionRequest>;
  readonly announcements: readonly EtcdAnnouncement[];
  #term: Leadership | null = null;

  constructor(elector: RuntimeElector<EtcdElectionRequest>, announcements: readonly EtcdAnnouncement[]) {
    this.elector = elector;
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
  until(what, 20_000, condition);
